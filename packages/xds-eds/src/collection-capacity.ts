/** Fewer places than this are not worth counting. */
const least = 16

/**
 * How many places to make for so many endpoints: a sixteenth more, rounded up to an eighth of a power of two. Empty places
 * cost a client that has just come a name each, and no place left costs all clients the whole collection anew.
 */
export const capacityFor = (count: number): number => {
  const wanted = Math.max(least, Math.ceil(count * (1 + 1 / 16)))
  const step = 2 ** Math.max(0, Math.floor(Math.log2(wanted)) - 3)
  return Math.ceil(wanted / step) * step
}

/** Whether so many endpoints may stay in so many places: there is one for each, and not most of them are empty. */
export const fits = (count: number, capacity: number): boolean =>
  count <= capacity && (capacity === least || 2 * count >= capacity)
