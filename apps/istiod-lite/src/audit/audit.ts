import type { ConnectionInfo } from "@istiod-lite/xds-server"
import { type Duration, Effect } from "effect"
import { confirm } from "./confirm.ts"
import type { Drift } from "./drift.ts"
import type { Running } from "./rebuild.ts"
import { findSuspects } from "./suspects.ts"

/** What came of an audit. */
export interface AuditResult {
  readonly checked: number
  readonly drifts: ReadonlyArray<Drift>
}

/** A push takes less: what a proxy has not been sent after it, it is not sent. */
export const settleTime: Duration.Input = "5 seconds"

/**
 * Compares what proxies have acknowledged of these names with what their objects give. To be cheap it makes anew only
 * what these names need; what differs is looked at again after `settleTime`, against a control plane that is made of
 * everything, and only what differs then too is told.
 */
export const audit = (
  running: Running,
  names: ReadonlyArray<string>,
  connections: () => ReadonlyArray<ConnectionInfo>
): Effect.Effect<AuditResult, Error> =>
  Effect.gen(function* () {
    if (names.length === 0) return { checked: 0, drifts: [] }
    const { checked, suspects } = yield* Effect.scoped(findSuspects(running, names, connections))
    if (suspects.length === 0) return { checked, drifts: [] }
    yield* Effect.sleep(settleTime)
    const drifts = yield* Effect.scoped(confirm(running, suspects, connections))
    return { checked, drifts }
  })
