/** One line of a watch. */
export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR"
  readonly object: RawListed
}

/** As much of an object, a bookmark or a Status as the reflector itself looks at. */
export interface RawListed {
  apiVersion?: string
  kind?: string
  readonly metadata?: {
    readonly name?: string
    readonly namespace?: string
    readonly resourceVersion?: string
    annotations?: unknown
  }
  /** of a Status */
  readonly code?: number
  readonly reason?: string
  readonly message?: string
}

/** A page of a list. */
export interface ListPage {
  readonly items: ReadonlyArray<RawListed>
  readonly resourceVersion: string
  /** undefined: this was the last one */
  readonly continue: string | undefined
}

/** Cuts a watch's bytes into the JSON documents of its lines; throws if one is none. */
export class WatchLines {
  #rest: Uint8Array | undefined

  /** The events that are complete with this piece. */
  add(piece: Uint8Array): ReadonlyArray<WatchEvent> {
    const bytes = this.#rest === undefined ? piece : Buffer.concat([this.#rest, piece])
    const events: Array<WatchEvent> = []
    let start = 0
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
      if (end > start) events.push(parseEvent(bytes.subarray(start, end)))
      start = end + 1
    }
    this.#rest = start === bytes.length ? undefined : bytes.subarray(start)
    return events
  }
}

const newline = 0x0a

const parseEvent = (line: Uint8Array): WatchEvent => {
  const event = parse(line)
  if (!isEvent(event)) throw new Error("a line of the watch is no event")
  return event
}

/** Reads a page of a list in JSON; throws if it is none. */
export const readListPage = (body: Uint8Array): ListPage => {
  const list = parse(body)
  if (!isList(list)) throw new Error("the answer is no list")
  const { items, metadata } = list
  return {
    items: items ?? [],
    resourceVersion: metadata.resourceVersion,
    continue: metadata.continue || undefined
  }
}

interface RawList {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string }
  readonly items?: ReadonlyArray<RawListed> | null
}

const parse = ({ buffer, byteLength, byteOffset }: Uint8Array): unknown =>
  JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString("utf8"))

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const isEvent = (value: unknown): value is WatchEvent =>
  isRecord(value) && typeof value.type === "string" && isRecord(value.object)

const isList = (value: unknown): value is RawList =>
  isRecord(value) &&
  isRecord(value.metadata) &&
  typeof value.metadata.resourceVersion === "string" &&
  (value.items === undefined || value.items === null || Array.isArray(value.items))
