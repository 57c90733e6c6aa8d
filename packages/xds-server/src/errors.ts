import { Data } from "effect"

/** The server cannot listen where it was told to. */
export class BindError extends Data.TaggedError("BindError")<{
  /** `host:port` */
  readonly address: string
  readonly cause: unknown
}> {
  override get message(): string {
    const reason = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return `Cannot listen for xDS on ${this.address}: ${reason}. ${remedyOf(reason)}`
  }
}

const remedyOf = (reason: string): string => {
  if (reason.includes("EADDRINUSE"))
    return "Another program uses the port: stop it, or choose another port (0 takes a free one)."
  if (reason.includes("EACCES")) return "Ports below 1024 need a privilege: choose a higher one."
  if (reason.includes("EADDRNOTAVAIL") || reason.includes("ENOTFOUND"))
    return "This machine has no such address."
  return "Check address and port."
}
