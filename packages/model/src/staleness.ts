/**
 * Why something is known only as it was: its source failed or fell silent, and its last state goes on to be served
 * (S-82).
 */
export interface Staleness {
  /** epoch milliseconds */
  readonly since: number
  /** what happened, for people: `cannot read east/pods.yaml: permission denied` */
  readonly because: string
}
