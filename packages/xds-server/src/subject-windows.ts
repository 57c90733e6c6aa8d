import type { PushRequest } from "@istiod-lite/model"

/** How long a subject waits, in milliseconds. */
export interface WindowTimes {
  /** until nothing has come for so long */
  readonly quiet: number
  /** at the latest so long after the first change */
  readonly max: number
}

/** A part of requests that waits by itself: a service, a proxy, everything, or what names nothing. */
type Subject =
  | { readonly kind: "service" | "proxy"; readonly name: string }
  | { readonly kind: "all" | "unnamed" }

interface Window {
  readonly subject: Subject
  readonly firstAt: number
  readonly lastAt: number
  readonly definition: boolean
  readonly endpoints: boolean
  readonly since: number
}

/**
 * What waits in windows, a window for each service, each proxy, and one for what concerns everybody: a service that
 * changes all the time holds up itself and nobody else (D-2). It costs the same to add and to take however much waits.
 */
export class SubjectWindows {
  /** In the order of the last change, so the first is quiet first. */
  readonly #byLast = new Map<string, Window>()
  /** In the order of the first change, so the first has waited longest. */
  readonly #byFirst = new Map<string, Window>()
  #reasons = new Map<string, number>()
  readonly #times: WindowTimes

  constructor(times: WindowTimes) {
    this.#times = times
  }

  get isEmpty(): boolean {
    return this.#byLast.size === 0
  }

  /** The request waits from the time `at` on. */
  add(request: PushRequest, at: number): void {
    const { endpoints, full, proxies, reasons, services, since } = request
    for (const [reason, count] of reasons) this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + count)
    const note = (subject: Subject, about: Partial<Pick<Window, "definition" | "endpoints">> = {}): void => {
      const key = "name" in subject ? `${subject.kind} ${subject.name}` : subject.kind
      const last = this.#byLast.get(key)
      const window: Window = {
        subject,
        firstAt: last?.firstAt ?? at,
        lastAt: at,
        definition: (about.definition ?? false) || (last?.definition ?? false),
        endpoints: (about.endpoints ?? false) || (last?.endpoints ?? false),
        since: Math.min(since, last?.since ?? since)
      }
      this.#byLast.delete(key)
      this.#byLast.set(key, window)
      this.#byFirst.set(key, window)
    }
    // Everything has all the rest in it.
    if (full) return note({ kind: "all" })
    if (services.size + endpoints.size + proxies.size === 0) return note({ kind: "unnamed" })
    for (const name of services) note({ kind: "service", name }, { definition: true })
    for (const name of endpoints) note({ kind: "service", name }, { endpoints: true })
    for (const name of proxies) note({ kind: "proxy", name })
  }

  /** When the next window ends; undefined: nothing waits. */
  endsAt(): number | undefined {
    const [quiet] = this.#byLast.values()
    const [oldest] = this.#byFirst.values()
    if (quiet === undefined || oldest === undefined) return undefined
    return Math.min(quiet.lastAt + this.#times.quiet, oldest.firstAt + this.#times.max)
  }

  /** Takes what has waited long enough at the time `at`, if anything has. */
  take(at: number): PushRequest | undefined {
    const { max, quiet } = this.#times
    const due: Array<Window> = []
    const takeFrom = (windows: ReadonlyMap<string, Window>, isDue: (window: Window) => boolean): void => {
      for (const [key, window] of windows) {
        if (!isDue(window)) return
        this.#byLast.delete(key)
        this.#byFirst.delete(key)
        due.push(window)
      }
    }
    takeFrom(this.#byLast, ({ lastAt }) => lastAt + quiet <= at)
    takeFrom(this.#byFirst, ({ firstAt }) => firstAt + max <= at)
    if (due.length === 0) return undefined
    // A push of everything is one of all that waits, too.
    const full = due.some(({ subject }) => subject.kind === "all")
    if (full) takeFrom(this.#byLast, () => true)
    const reasons = this.#reasons
    this.#reasons = new Map()
    const namesOf = (where: (window: Window) => boolean): ReadonlySet<string> =>
      new Set(
        due.flatMap((window) => ("name" in window.subject && where(window) ? [window.subject.name] : []))
      )
    return {
      full,
      services: namesOf(({ definition }) => definition),
      endpoints: namesOf(({ endpoints }) => endpoints),
      proxies: namesOf(({ subject }) => subject.kind === "proxy"),
      reasons,
      since: due.reduce((earliest, { since }) => Math.min(earliest, since), Number.POSITIVE_INFINITY)
    }
  }
}
