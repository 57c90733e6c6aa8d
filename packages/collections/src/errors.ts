const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** A function of a derived collection or an index threw. Its item has no output until an input of it changes. */
export class DerivationError extends Error {
  override readonly name = "DerivationError"
  readonly collection: string
  readonly key: string
  constructor(collection: string, key: string, cause: unknown) {
    super(`Cannot derive ${collection} "${key}": ${reasonOf(cause)}`, { cause })
    this.collection = collection
    this.key = key
  }
}

/** A subscriber threw. The other subscribers were called all the same. */
export class ListenerError extends Error {
  override readonly name = "ListenerError"
  constructor(of: string, cause: unknown) {
    super(`Listener of ${of} failed: ${reasonOf(cause)}`, { cause })
  }
}

const shown = 5

/** All that went wrong in one transaction; the message holds the first few. */
export function aggregate(errors: ReadonlyArray<unknown>): AggregateError {
  const more = errors.length > shown ? `; and ${errors.length - shown} more` : ""
  return new AggregateError(errors, errors.slice(0, shown).map(reasonOf).join("; ") + more)
}
