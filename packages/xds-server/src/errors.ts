import { Data } from "effect"

/** Files for TLS cannot be used. */
export class TlsFileError extends Data.TaggedError("TlsFileError")<{
  readonly file: string
  readonly reason: string
}> {
  override get message(): string {
    return (
      `Cannot use ${this.file} for TLS: ${this.reason}. ` +
      "It takes PEM files: a certificate chain, its key, and the certificates of those who issue clients' ones."
    )
  }
}

/** The server cannot listen where it was told to. */
export class BindError extends Data.TaggedError("BindError")<{
  /** `host:port` */
  readonly address: string
  readonly cause: unknown
}> {
  override get message(): string {
    if (this.cause instanceof TlsFileError) {
      return `Cannot listen for xDS on ${this.address}: ${this.cause.message}`
    }
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
