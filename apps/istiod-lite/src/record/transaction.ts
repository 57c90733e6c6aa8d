import type { InputChanges } from "../compose/inputs.ts"

/** How the control plane that is recorded was composed. */
export interface RunStart {
  /** of the format; another one is not read */
  readonly version: typeof formatVersion
  readonly configCluster: string
  /** whether automatic addresses came from an allocator's statuses */
  readonly allocates: boolean
}

/** The version of the recordings that are written. */
export const formatVersion = 1

/** One transaction of the inputs of a control plane. */
export interface Transaction {
  /** epoch milliseconds */
  readonly time: number
  /** there: a control plane started, and the changes are all that it had */
  readonly start: RunStart | undefined
  readonly changes: InputChanges
}
