/**
 * Hashes of 64 bits, in pairs of 32, to ask quickly whether something stands twice among thousands.
 *
 * A yes may be wrong, by a chance of about n² / 2⁶⁵: whoever gets one compares the things themselves. A no is right. Two
 * zeros are no hash: they stand for things that may repeat.
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
  pairs[at + 1] = spread(b) || 1
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
  // Open addressing, at most half full. An empty slot is two zeros.
  const mask = 2 ** Math.ceil(Math.log2(2 * count)) - 1
  const table = new Uint32Array(2 * (mask + 1))
  for (const list of lists) {
    for (let i = 0; i < list.length; i += 2)
      if (list[i + 1] !== 0 && isTaken(table, mask, list[i] ?? 0, list[i + 1] ?? 0)) return true
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
    if (heldB === 0) break
    slot = (slot + 1) & mask
  }
  table[2 * slot] = a
  table[2 * slot + 1] = b
  return false
}

/** More hashes than this are found faster by a table of all. */
const fewPairs = 8

/**
 * The same where it is known of earlier lists that no hash is in them twice. Lists that stay the values they were are
 * only searched for hashes that are new: a change of thousands of endpoints brings one.
 */
export const hasDuplicatePairsSince = (
  unique: ReadonlyArray<Uint32Array>,
  lists: ReadonlyArray<Uint32Array>
): boolean => {
  const replaced = new Set(unique)
  const added = lists.filter((list) => !replaced.has(list))
  const staying = lists.filter((list) => replaced.delete(list))
  // Of a list that is there twice, only one is found.
  if (added.length + staying.length < lists.length || hasDuplicatePairs(added)) return true
  const fresh = freshPairs([...replaced], added)
  if (fresh.length > 2 * fewPairs) return hasDuplicatePairs(lists)
  for (let i = 0; i < fresh.length; i += 2)
    if (staying.some((list) => placeOf(list, fresh[i] ?? 0, fresh[i + 1] ?? 0) >= 0)) return true
  return false
}

/** Hashes of each list that the one in whose place it came has not; when there are more than a few, some of them. */
const freshPairs = (
  replaced: ReadonlyArray<Uint32Array>,
  lists: ReadonlyArray<Uint32Array>
): ReadonlyArray<number> => {
  const fresh: Array<number> = []
  for (const [n, list] of lists.entries()) {
    const before = replaced[n] ?? noPairs
    // What stays follows each other.
    let next = 0
    for (let i = 0; i < list.length && fresh.length <= 2 * fewPairs; i += 2) {
      const [a, b] = [list[i] ?? 0, list[i + 1] ?? 0]
      if (b === 0) continue
      const place = before[next] === a && before[next + 1] === b ? next : placeOf(before, a, b)
      if (place < 0) fresh.push(a, b)
      else next = place + 2
    }
  }
  return fresh
}

const noPairs = new Uint32Array()

/** Where the hash is; negative if it is not there. */
const placeOf = (list: Uint32Array, a: number, b: number): number => {
  for (let i = 0; i < list.length; i += 2) if (list[i] === a && list[i + 1] === b) return i
  return -1
}
