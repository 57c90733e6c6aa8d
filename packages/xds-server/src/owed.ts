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

  get something(): boolean {
    return this.reply || this.all || this.everything || this.changed.size > 0 || this.demanded.size > 0
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

  demand(name: string): void {
    this.demanded.add(name)
  }

  demandEverything(): void {
    this.everything = true
  }

  forget(name: string): void {
    this.changed.delete(name)
    this.demanded.delete(name)
  }

  clear(): void {
    this.reply = false
    this.all = false
    this.everything = false
    this.changed.clear()
    this.demanded.clear()
  }
}
