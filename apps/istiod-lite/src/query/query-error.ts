import { Data } from "effect"

/** What was asked for is not there. */
export class NothingFound extends Data.TaggedError("NothingFound")<{ readonly message: string }> {}

/** The question itself is wrong. */
export class WrongUse extends Data.TaggedError("WrongUse")<{ readonly message: string }> {}

/** No control plane answers at the address. */
export class NoServer extends Data.TaggedError("NoServer")<{
  readonly server: string
  readonly cause: unknown
}> {
  override get message(): string {
    return (
      `Cannot reach a control plane at ${this.server}. ` +
      "Start one with `istiod-lite serve`, name another with --server, or read files with --manifests PATH."
    )
  }
}

export type QueryError = NothingFound | WrongUse | NoServer
