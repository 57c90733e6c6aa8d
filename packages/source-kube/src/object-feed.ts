import type { KubeError } from "./kube-error.ts"
import type { ReflectorSink } from "./reflector.ts"
import type { RawListed, WatchEvent } from "./watch-event.ts"

/** What is done with the few objects of a kind that is no part of discovery. */
export interface ObjectFeedTarget<A> {
  /** All objects that there are now, after every list and every change. */
  readonly set: (objects: ReadonlyMap<string, A>) => void
  readonly failed: (error: KubeError, failures: number) => void
  readonly healthy: () => void
}

/** Keeps the few objects of a kind, such as secrets of a label, by name. */
export class ObjectFeed<A extends RawListed> implements ReflectorSink {
  readonly #is: (raw: RawListed) => raw is A
  readonly #target: ObjectFeedTarget<A>
  #objects = new Map<string, A>()
  #next = new Map<string, A>()

  constructor(is: (raw: RawListed) => raw is A, target: ObjectFeedTarget<A>) {
    this.#is = is
    this.#target = target
  }

  restarted(): void {
    this.#next = new Map()
  }

  page(objects: ReadonlyArray<RawListed>): void {
    for (const object of objects) if (this.#is(object)) this.#next.set(nameOf(object), object)
  }

  listed(): void {
    this.#objects = this.#next
    this.#next = new Map()
    this.#target.set(this.#objects)
  }

  changed(events: ReadonlyArray<WatchEvent>): void {
    for (const { object, type } of events) {
      if (type !== "DELETED" && this.#is(object)) this.#objects.set(nameOf(object), object)
      else this.#objects.delete(nameOf(object))
    }
    this.#target.set(this.#objects)
  }

  failed(error: KubeError, failures: number): void {
    this.#target.failed(error, failures)
  }

  healthy(): void {
    this.#target.healthy()
  }
}

const nameOf = ({ metadata }: RawListed): string => metadata?.name ?? ""
