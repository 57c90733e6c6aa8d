import type { EndpointDifference } from "./compare-assignments.ts"

/** A proxy has something else than what the objects give. */
export type Drift = {
  /** the name of the assignment */
  readonly name: string
  /** whom it concerns, as people call the proxy */
  readonly who: string
} & (
  | {
      /** what would be sent now is not what the objects give */
      readonly kind: "derived"
      readonly differences: ReadonlyArray<EndpointDifference>
      /** which inputs of the assignment differ: `endpoints`, `service`, `gateways`, `policies` */
      readonly inputs: ReadonlyArray<string>
    }
  | {
      /** what would be sent is right, and has been for longer than a push takes, but the proxy was not sent it */
      readonly kind: "unsent"
      /** the version that it has, undefined if none, and the one that it should have */
      readonly held: string | undefined
      readonly current: string
    }
)
