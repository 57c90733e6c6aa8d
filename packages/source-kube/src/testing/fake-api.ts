import type { RawListed, WatchEvent } from "../watch-event.ts"

/** An object as an API server keeps it. */
export interface StoredObject extends RawListed {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly uid: string
    readonly resourceVersion: string
    readonly creationTimestamp: string
    readonly labels?: Readonly<Record<string, string>>
  }
}

/** An object before the server has given it a version. */
export interface GivenObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly uid?: string
    readonly labels?: Readonly<Record<string, string>>
  }
  readonly [field: string]: unknown
}

/** Why a server refuses, as its Status says. */
export class Refusal extends Error {
  readonly code: number
  readonly reason: string

  constructor(code: number, reason: string, message: string) {
    super(message)
    this.code = code
    this.reason = reason
  }

  /** the Status object */
  get status(): RawListed {
    const { code, message, reason } = this
    return { apiVersion: "v1", kind: "Status", metadata: {}, message, reason, code }
  }
}

/** What is asked of a collection, such as `/api/v1/pods` or `/api/v1/namespaces/shop/pods`. */
export interface Asked {
  readonly path: string
  readonly query: Readonly<Record<string, string>>
}

interface Watcher {
  readonly asked: Asked
  readonly tell: (event: WatchEvent) => void
}

interface Happened {
  readonly version: number
  readonly event: WatchEvent
}

/**
 * What a Kubernetes API server does when it is listed and watched, without a network: one version for all kinds, pages
 * of one moment, watches from a version on, and 410 once what happened since is forgotten.
 */
export class FakeApi {
  #version = 1000
  #uids = 0
  #forgotten = 0
  readonly #objects = new Map<string, StoredObject>()
  readonly #history: Array<Happened> = []
  readonly #pages = new Map<string, ReadonlyArray<StoredObject>>()
  readonly #watchers = new Set<Watcher>()
  /** plurals that are not there (404), and that may not be read (403) */
  readonly absent = new Set<string>()
  readonly forbidden = new Set<string>()
  /** path → the version of the last list that was given to its end */
  readonly listed = new Map<string, number>()

  get version(): string {
    return String(this.#version)
  }

  /** All objects of a kind, by `namespace/name`. */
  objectsOf(kind: string): ReadonlyMap<string, StoredObject> {
    const objects = [...this.#objects.values()].filter((object) => object.kind === kind)
    return new Map(
      objects.map((object) => [`${object.metadata.namespace ?? ""}/${object.metadata.name}`, object])
    )
  }

  /** Creates the object, or puts it in the place of the one of its name. */
  put(given: GivenObject): StoredObject {
    const path = pathOf(given)
    const before = this.#objects.get(path)
    const uid = given.metadata.uid ?? before?.metadata.uid ?? `uid-${++this.#uids}`
    const metadata = {
      creationTimestamp: "2026-01-05T08:00:00Z",
      ...given.metadata,
      uid,
      resourceVersion: String(++this.#version)
    }
    const object: StoredObject = { ...given, metadata }
    this.#objects.set(path, object)
    this.#happen({ type: before === undefined ? "ADDED" : "MODIFIED", object })
    return object
  }

  /** Nothing happens if there is none. */
  delete(given: Pick<GivenObject, "apiVersion" | "kind" | "metadata">): void {
    const path = pathOf(given)
    const before = this.#objects.get(path)
    if (before === undefined) return
    this.#objects.delete(path)
    const metadata = { ...before.metadata, resourceVersion: String(++this.#version) }
    this.#happen({ type: "DELETED", object: { ...before, metadata } })
  }

  /** Forgets what has happened, and the pages of lists: who asks for it gets 410. */
  compact(): void {
    this.#history.length = 0
    this.#pages.clear()
    this.#forgotten = ++this.#version
  }

  /** Tells all watches which version they have seen. */
  bookmark(): void {
    for (const { asked, tell } of this.#watchers) {
      if (asked.query.allowWatchBookmarks !== "true") continue
      tell({ type: "BOOKMARK", object: { metadata: { resourceVersion: this.version } } })
    }
  }

  /** A page of a list. Throws a Refusal. */
  list(asked: Asked): object {
    this.#checkAccess(asked.path)
    const limit = Number(asked.query.limit ?? Number.POSITIVE_INFINITY)
    const token = asked.query.continue
    const rest =
      token === undefined
        ? [...this.#objects.values()].filter((object) => matches(asked, object))
        : this.#pages.get(token)
    if (rest === undefined) throw expired("The provided continue parameter is too old")
    const version = token?.split(":")[0] ?? this.version
    const next = rest.length > limit ? `${version}:${asked.path}:${rest.length - limit}` : ""
    if (next === "") this.listed.set(asked.path, Number(version))
    else this.#pages.set(next, rest.slice(limit))
    const items = rest
      .slice(0, limit)
      .map((object) => ({ ...object, apiVersion: undefined, kind: undefined }))
    return { kind: "List", apiVersion: "v1", metadata: { resourceVersion: version, continue: next }, items }
  }

  /** Tells what has happened since a version and what happens from now on; gives how to end it. Throws a Refusal. */
  watch(asked: Asked, tell: (event: WatchEvent) => void): () => void {
    this.#checkAccess(asked.path)
    const from = Number(asked.query.resourceVersion)
    if (from < this.#forgotten) {
      const refusal = expired(`too old resource version: ${from} (${this.#forgotten})`)
      tell({ type: "ERROR", object: refusal.status })
      return () => undefined
    }
    for (const { event, version } of this.#history) {
      if (version > from && matches(asked, event.object)) tell(event)
    }
    const watcher = { asked, tell }
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  #happen(event: WatchEvent): void {
    this.#history.push({ version: this.#version, event })
    for (const { asked, tell } of this.#watchers) if (matches(asked, event.object)) tell(event)
  }

  #checkAccess(path: string): void {
    const plural = path.slice(path.lastIndexOf("/") + 1)
    if (this.absent.has(plural)) {
      throw new Refusal(404, "NotFound", "the server could not find the requested resource")
    }
    if (this.forbidden.has(plural)) {
      throw new Refusal(403, "Forbidden", `${plural} is forbidden: User "tester" cannot list resource`)
    }
  }
}

const expired = (message: string): Refusal => new Refusal(410, "Expired", message)

const collectionOf = (apiVersion: string, kind: string, namespace: string | undefined): string => {
  const plural = `${kind.toLowerCase().replace(/(?<=[^aeiou])y$/, "ie")}s`
  const root = apiVersion.includes("/") ? "/apis" : "/api"
  return `${root}/${apiVersion}${namespace === undefined ? "" : `/namespaces/${namespace}`}/${plural}`
}

const pathOf = ({
  apiVersion,
  kind,
  metadata
}: Pick<GivenObject, "apiVersion" | "kind" | "metadata">): string =>
  `${collectionOf(apiVersion, kind, metadata.namespace)}/${metadata.name}`

/** Selectors: only `name=value` is understood. */
const matches = ({ path, query }: Asked, { apiVersion, kind, metadata }: RawListed): boolean => {
  const { labels = {}, name, namespace }: Partial<StoredObject["metadata"]> = metadata ?? {}
  const ofAll = collectionOf(apiVersion ?? "", kind ?? "", undefined)
  if (path !== ofAll && path !== collectionOf(apiVersion ?? "", kind ?? "", namespace)) return false
  const [label = "", value] = query.labelSelector?.split("=") ?? []
  if (label !== "" && labels[label] !== value) return false
  return query.fieldSelector === undefined || query.fieldSelector === `metadata.name=${name}`
}
