/** Texts that are longer are hardly ever equal. In bytes. */
const longest = 64
/** How many texts are remembered: more than a cluster has nodes, namespaces and common labels. A power of two. */
const size = 8192

/**
 * Decodes texts and remembers some, so that equal ones that come often, such as names of nodes and labels, are one
 * string. A text takes the place of the one that was remembered where it belongs: nothing ever grows.
 */
export class TextPool {
  /** by place; there from the first text on */
  #texts: Array<string | undefined> = []

  /** The UTF-8 text of the bytes from `start` until `end`. */
  decode(bytes: Buffer, start: number, end: number): string {
    if (start === end) return ""
    if (end - start > longest) return bytes.toString("utf8", start, end)
    if (this.#texts.length === 0) this.#texts = Array.from({ length: size })
    const place = placeOf(bytes, start, end)
    const known = this.#texts[place]
    if (known !== undefined && isSame(known, bytes, start, end)) return known
    const text = bytes.toString("utf8", start, end)
    this.#texts[place] = text
    return text
  }
}

/** FNV-1a, folded. */
const placeOf = (bytes: Uint8Array, start: number, end: number): number => {
  let hash = 0x811c9dc5
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] ?? 0), 0x01000193)
  return (hash ^ (hash >>> 15)) & (size - 1)
}

/** Of other texts than ASCII it is not known. */
const isSame = (text: string, bytes: Uint8Array, start: number, end: number): boolean => {
  if (text.length !== end - start) return false
  for (let i = start; i < end; i++) {
    const byte = bytes[i] ?? 0
    if (byte > 0x7f || byte !== text.charCodeAt(i - start)) return false
  }
  return true
}
