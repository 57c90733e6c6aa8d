/** As much as a line of a log can hold of what a client chose, in UTF-16 units. */
const longest = 300

/** Line ends, terminal commands and what else is not seen; line and paragraph separators among them. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/**
 * What a client sent, as it may stand in a line of the log: short, and without characters that would begin a line of
 * their own or steer the terminal; those are written as JSON escapes them.
 */
export const printable = (text: string): string => {
  const shown = text
    .slice(0, longest)
    .replaceAll(unseen, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
  return text.length > longest ? `${shown}… (${text.length} characters)` : shown
}
