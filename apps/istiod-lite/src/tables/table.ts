import Table from "cli-table3"

/** No lines: what is printed can be cut with standard tools, and read at a hundred columns. */
const chars = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "  "
}

/** Columns under their heads, two spaces between them; no blanks at the ends of lines. */
export const table = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string | number>>
): string => {
  const made = new Table({
    chars,
    head: [...head],
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 }
  })
  for (const row of rows) made.push(row.map(String))
  return made
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
}

/** The lines moved to the right. */
export const indent = (text: string): string =>
  text
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n")

/** `1 pod`, `2 pods` */
export const counted = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : nouns}`
