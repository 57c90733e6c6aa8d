import { mergePushRequests, type Proxy, type PushRequest } from "@istiod-lite/model"
import type { ControlPlane } from "../control-plane.ts"
import { type ClientChange, clientChanges } from "../pushes/client-changes.ts"
import { type ClientView, viewClient } from "../pushes/client-view.ts"
import { covers } from "../pushes/push-coverage.ts"

/** What was pushed in a step, and what the step changed for the clients of the scenario. */
export interface StepPushes {
  readonly clients: ReadonlyArray<Proxy>
  /** undefined = nothing was pushed */
  readonly request: PushRequest | undefined
  readonly changes: ReadonlyArray<ClientChange>
  /** what changed for a client although nothing that was pushed by then named it */
  readonly missed: ReadonlyArray<ClientChange>
}

/** Notes the pushes of a step and looks at the clients after each of its items. */
export class StepRecorder {
  readonly #plane: ControlPlane
  #views: ReadonlyArray<ClientView>
  #pending: PushRequest | undefined
  #step: StepPushes

  constructor(plane: ControlPlane, clients: Iterable<Proxy>) {
    this.#plane = plane
    this.#views = [...clients].map((proxy) => viewClient(plane, proxy))
    this.#step = emptyStep(this.#views)
  }

  push(request: PushRequest): void {
    this.#pending = merge(this.#pending, request)
  }

  /** Ends an item: what differs now must have been pushed since the last one. */
  look(): void {
    const pending = this.#pending
    const views = this.#views.map((before) => viewClient(this.#plane, before.proxy, before))
    const changes = this.#views.flatMap((before, i) => {
      const now = views[i]
      return now === undefined ? [] : clientChanges(before, now)
    })
    const missed = changes.filter((change) => pending === undefined || !covers(pending, change))
    this.#views = views
    this.#pending = undefined
    this.#step = {
      clients: this.#step.clients,
      request: merge(this.#step.request, pending),
      changes: [...this.#step.changes, ...changes],
      missed: [...this.#step.missed, ...missed]
    }
  }

  /** Ends the step. */
  take(): StepPushes {
    const step = this.#step
    this.#step = emptyStep(this.#views)
    return step
  }
}

const emptyStep = (views: ReadonlyArray<ClientView>): StepPushes => ({
  clients: views.map(({ proxy }) => proxy),
  request: undefined,
  changes: [],
  missed: []
})

const merge = (a: PushRequest | undefined, b: PushRequest | undefined): PushRequest | undefined =>
  a === undefined || b === undefined ? (a ?? b) : mergePushRequests(a, b)
