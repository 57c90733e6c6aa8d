import { Cause, type Duration, Effect, Queue, Stream } from "effect"
import type { KubeClient, KubeRequest } from "../kube-client.ts"
import { KubeError } from "../kube-error.ts"
import { type FakeApi, Refusal } from "./fake-api.ts"

/** A watch that is open, and what can become of it. */
export interface OpenWatch {
  readonly path: string
  /** Ends it as a server does when its time is over. */
  readonly end: () => void
  /** The connection breaks. */
  readonly cut: () => void
  /** Nothing comes any more, and nobody says so. */
  readonly silence: () => void
  /** Something else comes. */
  readonly send: (text: string) => void
}

/** A client of a `FakeApi` without a network, for tests on the test clock. */
export class FakeKubeClient implements KubeClient {
  readonly server = "https://192.0.2.10:6443"
  readonly requests: Array<KubeRequest> = []
  readonly watches = new Set<OpenWatch>()
  /** what to answer instead; undefined: nothing is wrong */
  fault: (request: KubeRequest) => KubeError | undefined = () => undefined
  /** how long an answer takes to come */
  delay: (request: KubeRequest) => Duration.Input = () => 0
  readonly #api: FakeApi

  constructor(api: FakeApi) {
    this.#api = api
  }

  readonly json: KubeClient["json"] = (request) =>
    Effect.tap(
      this.#attempt(request, () => this.#api.list({ path: request.path, query: request.query ?? {} })),
      Effect.sleep(this.delay(request))
    )

  readonly bytes: KubeClient["bytes"] = (request) =>
    Effect.map(this.json(request), (value) => ({
      contentType: "application/json",
      body: encode(JSON.stringify(value))
    }))

  readonly stream: KubeClient["stream"] = (request) =>
    Effect.acquireRelease(
      Effect.flatMap(Queue.unbounded<Uint8Array, KubeError | Cause.Done>(), (queue) => {
        const watch = openWatch(request, queue)
        const asked = { path: request.path, query: request.query ?? {} }
        return this.#attempt(request, () => {
          const stop = this.#api.watch(asked, (event) => watch.send(`${JSON.stringify(event)}\n`))
          this.watches.add(watch)
          return { queue, watch, stop }
        })
      }),
      ({ stop, watch }) =>
        Effect.sync(() => {
          stop()
          this.watches.delete(watch)
        })
    ).pipe(Effect.map(({ queue }) => ({ contentType: "application/json", body: Stream.fromQueue(queue) })))

  #attempt<A>(request: KubeRequest, run: () => A): Effect.Effect<A, KubeError> {
    return Effect.suspend(() => {
      this.requests.push(request)
      const fault = this.fault(request)
      if (fault !== undefined) return Effect.fail(fault)
      return Effect.try({ try: run, catch: (cause) => refused(request, cause) })
    })
  }
}

/** What a server answers that refuses a request, or nothing if there is no status. */
export const failure = (
  { operation }: KubeRequest,
  { detail = "as the test wants it", reason = "", retryAfter, status }: Partial<KubeError> = {}
): KubeError => new KubeError({ operation, status, reason, detail, retryAfter })

const refused = (request: KubeRequest, cause: unknown): KubeError =>
  cause instanceof Refusal
    ? failure(request, { status: cause.code, reason: cause.reason, detail: cause.message })
    : failure(request, { detail: String(cause) })

const openWatch = (
  request: KubeRequest,
  queue: Queue.Queue<Uint8Array, KubeError | Cause.Done>
): OpenWatch => {
  let isSilent = false
  return {
    path: request.path,
    end: () => void Queue.endUnsafe(queue),
    cut: () => {
      const error = failure(request, { detail: "the connection was cut" })
      if (!isSilent) Queue.failCauseUnsafe(queue, Cause.fail(error))
    },
    silence: () => {
      isSilent = true
    },
    send: (text) => {
      if (!isSilent) Queue.offerUnsafe(queue, encode(text))
    }
  }
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
