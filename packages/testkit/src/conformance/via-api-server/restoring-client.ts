import type { KubeAnswer, KubeClient } from "@istiod-lite/source-kube"
import { Effect, Stream } from "effect"
import { isFields, restored, textOf } from "./restored.ts"

/** What passed by on the way to the source. */
export interface Seen {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly isGone: boolean
  readonly version: bigint
}

/**
 * A client whose lists and watches show the objects of one run alone, with what the API server decided put back to what
 * the scenario says. Everything else about them is the API server's: defaults, conversions, order, versions.
 */
export const restoringClient = (
  client: KubeClient,
  run: string,
  onSeen: (seen: Seen) => void
): KubeClient => {
  const show = (raw: unknown, isGone: boolean): unknown => {
    const found = restored(raw)
    if (found === undefined || found.marker.run !== run) return undefined
    const { metadata } = found.object
    const { name = "", namespace = "", resourceVersion = "0" } = isFields(metadata) ? metadata : {}
    const kind = textOf(found.object.kind)
    const version = BigInt(textOf(resourceVersion))
    onSeen({ kind, namespace: textOf(namespace), name: textOf(name), isGone, version })
    return found.object
  }
  return {
    server: client.server,
    json: client.json,
    bytes: (request) =>
      // Only JSON can be read here.
      Effect.map(client.bytes({ ...request, accept: "application/json" }), ({ body }) => ({
        contentType: "application/json",
        body: Buffer.from(JSON.stringify(restoreList(JSON.parse(Buffer.from(body).toString("utf8")), show)))
      })),
    stream: (request) =>
      Effect.map(client.stream(request), ({ body, contentType }): KubeAnswer => ({
        contentType,
        body: body.pipe(
          Stream.decodeText(),
          Stream.splitLines,
          Stream.filter((line) => line !== ""),
          Stream.map((line) => restoreEvent(line, show)),
          Stream.filter((line) => line !== ""),
          Stream.encodeText
        )
      }))
  }
}

type Show = (raw: unknown, isGone: boolean) => unknown

/** Items of a list do not say what they are: the list does. */
const restoreList = (list: unknown, show: Show): unknown => {
  if (!isFields(list) || !Array.isArray(list.items)) return list
  const kind = textOf(list.kind).replace(/List$/, "")
  const items = list.items.flatMap((item: unknown) => {
    const shown = show(isFields(item) ? { kind, apiVersion: list.apiVersion, ...item } : item, false)
    return shown === undefined ? [] : [shown]
  })
  return { ...list, items }
}

const restoreEvent = (line: string, show: Show): string => {
  const event: unknown = JSON.parse(line)
  if (!isFields(event) || event.type === "BOOKMARK" || event.type === "ERROR") return `${line}\n`
  const object = show(event.object, event.type === "DELETED")
  return object === undefined ? "" : `${JSON.stringify({ ...event, object })}\n`
}
