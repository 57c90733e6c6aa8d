import { Data } from "effect"

/** A port cannot be listened on; names the flag that chooses another. */
export class PortError extends Data.TaggedError("PortError")<{ readonly message: string }> {}

/** @param text what the system said about it */
export const portError = (what: string, address: string, flag: string, text: string): PortError => {
  const [, reason, remedy] = known.find(([code]) => text.includes(code)) ?? [
    "",
    text,
    "See FLAG and --listen."
  ]
  return new PortError({
    message: `Cannot listen for ${what} on ${address}: ${reason}. ${remedy.replace("FLAG", flag)}`
  })
}

/** What the system says, in words, and what to do about it. */
const known: ReadonlyArray<readonly [code: string, reason: string, remedy: string]> = [
  [
    "EADDRINUSE",
    "another program uses the port",
    "Stop it, or choose another port with FLAG (0 takes a free one)."
  ],
  ["EACCES", "low ports need a privilege", "Choose a higher port with FLAG (0 takes a free one)."],
  ["EADDRNOTAVAIL", "this machine has no such address", "Name one of its addresses with --listen."]
]
