import { Data } from "effect"

/** What an API server answered instead of what was asked for, or that it did not answer. */
export class KubeError extends Data.TaggedError("KubeError")<{
  /** what was tried, and where: `list endpointslices.discovery.k8s.io at https://192.0.2.10:6443` */
  readonly operation: string
  /** HTTP status; undefined: there was no answer */
  readonly status: number | undefined
  /** the reason of a Kubernetes Status, such as `Expired`, `Conflict`, `Forbidden`; empty if it gave none */
  readonly reason: string
  /** what it said, or why there was no answer */
  readonly detail: string
  /** how long it asks to wait, in milliseconds */
  readonly retryAfter?: number | undefined
}> {
  override get message(): string {
    return `Cannot ${this.operation}: ${this.detail}`
  }
}
