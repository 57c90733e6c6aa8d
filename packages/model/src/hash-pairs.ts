/**
 * Hashes of 64 bits, in pairs of 32, to ask quickly whether something stands twice among thousands.
 *
 * A yes may be wrong, by a chance of about n² / 2⁶⁵: whoever gets one compares the things themselves. A no is right.
 */

/** Writes the hash of a text and a number into `pairs`, at `at` and behind it. */
export const writeHashPair = (pairs: Uint32Array, at: number, text: string, seed: number): void => {
  let a = 0x811c9dc5 ^ seed
  let b = 0x9747b28c + seed
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 0x01000193)
    b = Math.imul(b + unit, 0x85ebca6b) ^ (b >>> 15)
  }
  pairs[at] = spread(a)
  pairs[at + 1] = spread(b)
}

/** Brings the differences of neighbouring addresses into all bits (MurmurHash3's finalizer). */
const spread = (value: number): number => {
  let h = value ^ (value >>> 16)
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** Whether some hash is in the lists twice. */
export const hasDuplicatePairs = (lists: ReadonlyArray<Uint32Array>): boolean => {
  const count = lists.reduce((sum, list) => sum + list.length / 2, 0)
  if (count < 2) return false
  // Open addressing, at most half full. An empty slot is two zeros: a hash of two zeros is an early yes.
  const mask = 2 ** Math.ceil(Math.log2(2 * count)) - 1
  const table = new Uint32Array(2 * (mask + 1))
  for (const list of lists) {
    for (let i = 0; i < list.length; i += 2)
      if (isTaken(table, mask, list[i] ?? 0, list[i + 1] ?? 0)) return true
  }
  return false
}

/** Takes the hash's slot; true if it was taken already. */
const isTaken = (table: Uint32Array, mask: number, a: number, b: number): boolean => {
  let slot = a & mask
  for (;;) {
    const heldA = table[2 * slot]
    const heldB = table[2 * slot + 1]
    if (heldA === a && heldB === b) return true
    if (heldA === 0 && heldB === 0) break
    slot = (slot + 1) & mask
  }
  table[2 * slot] = a
  table[2 * slot + 1] = b
  return false
}
