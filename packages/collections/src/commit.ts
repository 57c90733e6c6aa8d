/** What one propagation did, for logs and metrics. */
export interface Commit {
  /** Counts from 1, without gaps. */
  readonly sequence: number
  /** The collections that changed, inputs before what is derived from them. */
  readonly changed: ReadonlyArray<CollectionChanged>
  /** How many items ran their function. */
  readonly recomputed: number
}

/** How much of one collection a propagation changed. */
export interface CollectionChanged {
  readonly name: string
  /** Entries after the commit. */
  readonly size: number
  /** Keys that changed. */
  readonly changes: number
}
