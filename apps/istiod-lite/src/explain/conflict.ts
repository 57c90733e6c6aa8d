/** Two or more objects that want the same host, address or place. */
export interface Conflict {
  readonly kind: "host" | "virtual address" | "endpoint address" | "slices"
  /** the host or the address */
  readonly subject: string
  /** the objects, the winner first; without a winner by name */
  readonly claimants: ReadonlyArray<string>
  /** undefined: nobody wins, clients cannot tell them apart */
  readonly winner: string | undefined
  readonly rule: string
  readonly because: string
  readonly remedy: string
}
