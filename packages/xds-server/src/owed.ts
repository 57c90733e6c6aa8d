/**
 * What a stream is owed of one resource type: noted at once when a request or a push comes, looked up only when the
 * stream can be written to. A slow client therefore costs names, never bytes, and gets one merged response (S-83).
 */
export class Owed {
  /** A response is due even if it turns out that nothing differs. */
  private reply = false
  /** Any resource may have changed. */
  private all = false
  /** Every resource is due, whatever its version. */
  private everything = false
  private readonly changed = new Set<string>()
  private readonly demanded = new Set<string>()
  /** names whose resources go ahead of the others */
  private readonly ahead = new Set<string>()

  /** The names whose resources go ahead of what else is owed; empty: none does. */
  get first(): ReadonlySet<string> {
    return this.ahead
  }

  get something(): boolean {
    const names = this.changed.size + this.demanded.size + this.ahead.size
    return this.reply || this.all || this.everything || names > 0
  }

  get needsReply(): boolean {
    return this.reply
  }

  /** Whether all subscribed names have to be looked at. */
  get concernsAll(): boolean {
    return this.all || this.everything
  }

  /** The names to look at where not all have to be. */
  get names(): ReadonlySet<string> {
    return this.changed.size === 0 ? this.demanded : this.changed.union(this.demanded)
  }

  /** Whether the resource is due even if the client has this version. */
  isDemanded(name: string): boolean {
    return this.everything || this.demanded.has(name)
  }

  markReply(): void {
    this.reply = true
  }

  markAllChanged(): void {
    this.all = true
    this.changed.clear()
  }

  markChanged(name: string): void {
    if (!this.all) this.changed.add(name)
  }

  /** The name's resource may have changed, and goes ahead of the others. */
  markFirst(name: string): void {
    this.ahead.add(name)
  }

  /** The names that go ahead were looked at, and of these the resources were sent or do not differ. */
  settleFirst(settled: Iterable<string>): void {
    for (const name of this.ahead) this.markChanged(name)
    this.ahead.clear()
    for (const name of settled) this.forget(name)
  }

  demand(name: string): void {
    this.demanded.add(name)
  }

  demandEverything(): void {
    this.everything = true
  }

  forget(name: string): void {
    this.changed.delete(name)
    this.demanded.delete(name)
    this.ahead.delete(name)
  }

  clear(): void {
    this.reply = false
    this.all = false
    this.everything = false
    this.changed.clear()
    this.demanded.clear()
    this.ahead.clear()
  }
}
