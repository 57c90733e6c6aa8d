import { Data } from "effect"

/** A port cannot be listened on; names the flag that chooses another. */
export class PortError extends Data.TaggedError("PortError")<{ readonly message: string }> {}

/** @param text what the system said about it */
export const portError = (what: string, address: string, flag: string, text: string): PortError => {
  const taken = text.includes("EADDRINUSE")
  const reason = taken ? "another program uses the port" : text
  const remedy = taken
    ? `Stop it, or choose another port with ${flag} (0 takes a free one).`
    : `See ${flag} and --listen.`
  return new PortError({ message: `Cannot listen for ${what} on ${address}: ${reason}. ${remedy}` })
}
