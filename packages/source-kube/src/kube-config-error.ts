import { Data } from "effect"

/** A kubeconfig cannot be used. */
export class KubeConfigError extends Data.TaggedError("KubeConfigError")<{
  /** which one: a file, a secret, or the pod's service account */
  readonly subject: string
  /** what is wrong, naming the field */
  readonly reason: string
  /** what to do about it; may be empty */
  readonly remedy: string
}> {
  override get message(): string {
    const remedy = this.remedy === "" ? "" : ` ${this.remedy}`
    return `Cannot use ${this.subject}: ${this.reason}.${remedy}`
  }
}
