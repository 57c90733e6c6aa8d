/**
 * Which items give an output key. Of several, the item key that sorts first wins, so that the result does not
 * depend on who came first. One string per key in the usual case, an array only for contested keys.
 */
export class Claims {
  readonly #items = new Map<string, string | ReadonlyArray<string>>()

  winner(key: string): string | undefined {
    const items = this.#items.get(key)
    return typeof items === "object" ? items[0] : items
  }

  add(key: string, item: string): void {
    const items = this.#items.get(key)
    this.#items.set(key, items === undefined ? item : [item].concat(items).toSorted())
  }

  drop(key: string, item: string): void {
    const items = this.#items.get(key)
    if (items === item) this.#items.delete(key)
    if (typeof items !== "object") return
    const rest = items.filter((other) => other !== item)
    this.#items.set(key, rest.length === 1 && rest[0] !== undefined ? rest[0] : rest)
  }

  clear(): void {
    this.#items.clear()
  }
}
