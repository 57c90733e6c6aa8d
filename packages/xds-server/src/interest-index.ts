import type { PushScope } from "@istiod-lite/model"
import type { SubscriptionListener } from "./type-session.ts"

interface Named<Stream> {
  readonly name: string
  readonly streams: Set<Stream>
}

/**
 * Which streams subscribe to what of one resource type, by the subject that pushes speak of: a push costs what it
 * concerns, not what is connected. Also the one place that keeps each name once for all streams.
 */
export class InterestIndex<Stream> {
  private readonly byName = new Map<string, Named<Stream>>()
  private readonly bySubject = new Map<string, Set<Named<Stream>>>()
  private readonly wildcards = new Set<Stream>()
  private readonly subjectOf: (name: string) => string

  constructor(subjectOf: (name: string) => string = (name) => name) {
    this.subjectOf = subjectOf
  }

  /** How many different names are subscribed to. */
  get size(): number {
    return this.byName.size
  }

  /** The listener through which the sessions of one stream keep the index true. */
  listenerOf(stream: Stream): SubscriptionListener {
    return {
      subscribed: (name) => this.add(name, stream),
      unsubscribed: (name) => this.remove(name, stream)
    }
  }

  /** Notes whether a stream subscribes to all there are. */
  setWildcard(stream: Stream, wildcard: boolean): void {
    if (wildcard) this.wildcards.add(stream)
    else this.wildcards.delete(stream)
  }

  /** Calls `found` for each stream and each of its names that the scope concerns; `all` for wildcard streams. */
  forEachTouched(
    scope: Exclude<PushScope, "all">,
    found: (stream: Stream, names: ReadonlyArray<string> | "all") => void
  ): void {
    if (scope.size === 0) return
    for (const stream of this.wildcards) found(stream, "all")
    for (const subject of scope) {
      for (const { name, streams } of this.bySubject.get(subject) ?? []) {
        const names = [name]
        for (const stream of streams) found(stream, names)
      }
    }
  }

  private add(name: string, stream: Stream): string {
    const known = this.byName.get(name) ?? this.insert(name)
    known.streams.add(stream)
    return known.name
  }

  private insert(name: string): Named<Stream> {
    const named: Named<Stream> = { name, streams: new Set() }
    this.byName.set(name, named)
    const subject = this.subjectOf(name)
    const siblings = this.bySubject.get(subject)
    if (siblings === undefined) this.bySubject.set(subject, new Set([named]))
    else siblings.add(named)
    return named
  }

  private remove(name: string, stream: Stream): void {
    const named = this.byName.get(name)
    if (named === undefined || !named.streams.delete(stream) || named.streams.size > 0) return
    this.byName.delete(name)
    const subject = this.subjectOf(name)
    const siblings = this.bySubject.get(subject)
    siblings?.delete(named)
    if (siblings?.size === 0) this.bySubject.delete(subject)
  }
}
