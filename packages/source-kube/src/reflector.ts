import { Clock, Duration, Effect, Random, Stream } from "effect"
import { Backoff, type BackoffOptions, defaultBackoff } from "./backoff.ts"
import type { KubeClient, KubeRequest } from "./kube-client.ts"
import { KubeError } from "./kube-error.ts"
import { type ListPage, type RawListed, readListPage, type WatchEvent, WatchLines } from "./watch-event.ts"

/** What a reflector tells, one call at a time. */
export interface ReflectorSink {
  /** Objects of a list that has begun, page by page; they count when `listed` is called. */
  readonly page: (objects: ReadonlyArray<RawListed>) => void
  /** The pages since the last call, or since `restarted`, are all that there is. */
  readonly listed: () => void
  /** The pages so far do not count: the list begins anew. */
  readonly restarted: () => void
  /** Changes in their order; those that came together are told together. */
  readonly changed: (events: ReadonlyArray<WatchEvent>) => void
  /** An attempt failed, so often in a row; the next one follows. */
  readonly failed: (error: KubeError, failures: number) => void
  /** It is up to date: a list is complete and its watch has begun. */
  readonly healthy: () => void
}

/** How one resource is followed. */
export interface ReflectorOptions {
  readonly client: KubeClient
  /** for messages: `pods` */
  readonly name: string
  readonly path: string
  /** such as labelSelector */
  readonly query?: Readonly<Record<string, string>>
  /** objects per page: as many at once cost memory and hold up everything else */
  readonly pageSize?: number
  /** A watch without a byte for so long is given up: API servers send a bookmark every minute. */
  readonly inactivity?: Duration.Input
  readonly backoff?: BackoffOptions
  /** between attempts while the server has no such resource (404) or does not permit it (403) */
  readonly refusedPause?: Duration.Input
  /** The effect ends when, since the call, reason has come to try again sooner than planned. */
  readonly sooner?: () => Effect.Effect<void>
  /** what lists are asked for as, and how they are read; default JSON */
  readonly lists?: {
    readonly accept: string
    readonly read: (page: Uint8Array, contentType: string) => ListPage
  }
}

/** Half a minute more than the bookmarks of a healthy API server are apart. */
const defaultInactivity = Duration.seconds(90)
const defaultRefusedPause = Duration.seconds(10)
/** A server that asks for more is asked all the same: it may be a gateway's mistake. Milliseconds. */
const mostRetryAfter = 60_000

/** The version that was seen last is not there any more (410): only a list tells what happened since. */
const isExpired = (error: KubeError): boolean => error.status === 410 || error.reason === "Expired"

/** The server never had this version: its data were restored from a copy, say. Waiting for it would be for ever. */
const isUnknownVersion = ({ detail, status }: KubeError): boolean =>
  status === 400 || (status === 504 && detail.includes("Too large resource version"))

/** Asking again at once does not help: someone has to install or permit something first. */
const isRefused = (error: KubeError): boolean => error.status === 403 || error.status === 404

/**
 * Lists a resource and follows it by a watch, for ever: what fails is tried again, from the version that was seen last
 * if the server still knows it, else by a new list. There is never more than one request at a time.
 *
 * Lists name no resourceVersion, so they are consistent: a list may come from another replica of the API server, and one
 * from its cache could be older than what was seen already. Sources: Kubernetes API concepts, "Efficient detection of
 * changes"; client-go's Reflector.
 */
export const reflect = (options: ReflectorOptions, sink: ReflectorSink): Effect.Effect<never> =>
  Effect.gen(function* () {
    const { backoff, inactivity = defaultInactivity } = options
    const pause = new Backoff(backoff ?? defaultBackoff)
    /** undefined: a list is needed */
    let seen: string | undefined
    /** epoch milliseconds */
    let listedAt = 0
    /** the version after which a watch told something that is of no use */
    let stuckAt: string | undefined
    const follow = Effect.fnUntraced(function* (from: string) {
      const began = yield* Clock.currentTimeMillis
      const query = { ...options.query, ...(yield* watchQuery), resourceVersion: from }
      const { body } = yield* options.client.stream(get(options, "watch", query))
      sink.healthy()
      const lines = new WatchLines()
      let heardAt = yield* monotonicMillis
      const untilTold = Stream.runForEach(body, (piece) =>
        Effect.flatMap(monotonicMillis, (time) => {
          heardAt = time
          const taken = take(options, lines, piece)
          if (taken.version !== undefined) seen = taken.version
          if (taken.changes.length > 0) sink.changed(taken.changes)
          if (taken.error === undefined) return Effect.void
          // What comes next cannot be read, this time again: a list goes past it.
          if (stuckAt === seen) seen = undefined
          stuckAt = seen
          return Effect.fail(taken.error)
        })
      )
      const untilSilent = silence(() => heardAt, inactivity).pipe(
        Effect.andThen(Effect.fail(broken(options, `nothing came for ${describe(inactivity)}`)))
      )
      yield* Effect.raceFirst(untilTold, untilSilent)
      // Servers end watches in their time; one that ends at once is no watch.
      const lasted = (yield* Clock.currentTimeMillis) - began
      yield* lasted < 1000 ? Effect.fail(broken(options, `it ended after ${lasted} ms`)) : Effect.void
    }, Effect.scoped)
    const attempt = Effect.gen(function* () {
      if (seen === undefined) {
        seen = yield* list(options, sink)
        listedAt = yield* Clock.currentTimeMillis
      }
      yield* follow(seen)
    })
    const afterFailure = Effect.fnUntraced(function* (error: KubeError) {
      const now = yield* Clock.currentTimeMillis
      const isRelistEnough = isExpired(error) && seen !== undefined && now - listedAt > 1000
      if (isExpired(error) || isUnknownVersion(error) || isRefused(error)) seen = undefined
      if (isRelistEnough) return
      const wait = pause.next(now, yield* Random.next)
      sink.failed(error, pause.failures)
      yield* pauseAfter(options, error, wait)
    })
    return yield* attempt.pipe(
      // A fault of the program, in what becomes of the objects: a list brings them all up to date again.
      Effect.catchDefect((defect) => {
        seen = undefined
        const error = broken(options, `what came cannot be dealt with: ${messageOf(defect)}`)
        return Effect.andThen(Effect.logError(error.message, defect), Effect.fail(error))
      }),
      Effect.catch(afterFailure),
      Effect.forever
    )
  })

const monotonicMillis = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))

/**
 * Ends when nothing was heard for so long. A timer for each piece of what comes would cost more than reading it.
 *
 * @param heardAt when something was heard last, in `monotonicMillis`
 */
const silence = Effect.fnUntraced(function* (heardAt: () => number, inactivity: Duration.Input) {
  const longest = Duration.toMillis(Duration.fromInputUnsafe(inactivity))
  while (true) {
    const left = heardAt() + longest - (yield* monotonicMillis)
    if (left <= 0) return
    yield* Effect.sleep(left)
  }
})

/** @param wait by the back-off, in milliseconds */
const pauseAfter = (
  { refusedPause = defaultRefusedPause, sooner = () => Effect.never }: ReflectorOptions,
  error: KubeError,
  wait: number
): Effect.Effect<void> => {
  // Such an answer costs the server nothing, so what is installed or permitted is found soon.
  if (isRefused(error)) return Effect.sleep(refusedPause)
  const asked = Math.min(error.retryAfter ?? 0, mostRetryAfter)
  const rest = Effect.raceFirst(Effect.sleep(Duration.millis(Math.max(0, wait - asked))), sooner())
  return Effect.andThen(Effect.sleep(Duration.millis(asked)), rest)
}

const describe = (duration: Duration.Input): string => Duration.format(Duration.fromInputUnsafe(duration))

const watchQuery = Effect.map(Random.nextBetween(300, 600), (seconds) => ({
  watch: "1",
  allowWatchBookmarks: "true",
  // Spread, so that the watches of many clients do not end together.
  timeoutSeconds: String(Math.floor(seconds))
}))

const get = (
  { name, path }: ReflectorOptions,
  verb: string,
  query: Readonly<Record<string, string>>
): KubeRequest => ({ operation: `${verb} ${name}`, method: "GET", path, query })

/** Tells all pages; gives the version of the list. */
const list = Effect.fnUntraced(function* (options: ReflectorOptions, sink: ReflectorSink) {
  const { client, pageSize = 500, lists } = options
  sink.restarted()
  let token: string | undefined
  let isPaged = true
  while (true) {
    const query = {
      ...options.query,
      ...(isPaged ? { limit: String(pageSize) } : {}),
      ...(token === undefined ? {} : { continue: token })
    }
    const request = get(options, "list", query)
    const answer = yield* Effect.result(
      client.bytes(lists === undefined ? request : { ...request, accept: lists.accept })
    )
    if (answer._tag === "Failure") {
      if (!isExpired(answer.failure) || token === undefined) return yield* answer.failure
      // The pages took longer than the server keeps a version: all at once, then.
      sink.restarted()
      token = undefined
      isPaged = false
      continue
    }
    const { body, contentType } = answer.success
    const page = yield* Effect.try({
      try: () => (lists?.read ?? readListPage)(body, contentType),
      catch: (cause) => broken(options, messageOf(cause))
    })
    sink.page(page.items)
    token = page.continue
    if (token === undefined) {
      sink.listed()
      return page.resourceVersion
    }
  }
})

interface Taken {
  readonly changes: ReadonlyArray<WatchEvent>
  /** of the last event */
  readonly version: string | undefined
  /** the watch ends with it, after the changes */
  readonly error: KubeError | undefined
}

const take = (options: ReflectorOptions, lines: WatchLines, piece: Uint8Array): Taken => {
  let version: string | undefined
  const changes: Array<WatchEvent> = []
  try {
    for (const event of lines.add(piece)) {
      if (event.type === "ERROR") return { changes, version, error: toldError(options, event) }
      version = event.object.metadata?.resourceVersion ?? version
      if (event.type !== "BOOKMARK") changes.push(event)
    }
    return { changes, version, error: undefined }
  } catch (cause) {
    const error = broken(options, messageOf(cause))
    return { changes, version, error }
  }
}

const toldError = ({ client, name }: ReflectorOptions, { object }: WatchEvent): KubeError =>
  new KubeError({
    operation: `watch ${name} at ${client.server}`,
    status: object.code,
    reason: object.reason ?? "",
    detail: object.message ?? "the watch ended with an error"
  })

const broken = ({ client, name }: ReflectorOptions, detail: string): KubeError =>
  new KubeError({ operation: `watch ${name} at ${client.server}`, status: undefined, reason: "", detail })

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
