/** A document's text within a file. */
export interface Chunk {
  readonly text: string
  /** the line of the file on which it begins, counted from 1 */
  readonly line: number
}

/**
 * Cuts a YAML stream at its `---` lines, which can stand in no document's content (YAML 1.2, 9.1.2), so that each
 * document is parsed, cached and found faulty on its own.
 */
export const splitDocuments = (text: string): ReadonlyArray<Chunk> => {
  const chunks: Array<Chunk> = []
  let line = 1
  let start = 0
  const close = (end: number, nextStart: number): void => {
    const chunk = text.slice(start, end)
    // Passed over: nothing, or only the `%YAML` and comment lines before the first marker.
    if (/^[^\S\r\n]*[^\s%#]/m.test(chunk)) chunks.push({ text: chunk, line })
    line += countLines(text, start, nextStart)
    start = nextStart
  }
  for (const marker of text.matchAll(/^---(?=\s|$)/gm)) {
    if (marker.index > start) close(marker.index, marker.index)
    // Blanked, not cut: what stands behind the dashes on their line belongs to the document.
    start = marker.index + marker[0].length
  }
  close(text.length, text.length)
  return chunks
}

const countLines = (text: string, from: number, to: number): number => {
  let count = 0
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) count++
  return count
}
