import { DiscoveryRequest, lengthDelimitedTag } from "@istiod-lite/xds-proto"
import { Buffer } from "node:buffer"
import { hash } from "node:crypto"
import { maxRequestLength } from "./message-reader.ts"

/** A DiscoveryRequest of which the names may have been left unread. */
export interface SotwMessage extends Omit<DiscoveryRequest, "resourceNames"> {
  /** undefined: the same as in the last request of this type on the stream */
  readonly resourceNames: ReadonlyArray<string> | undefined
}

/** Shorter lists are read as fast as they are compared, in bytes. */
const worthComparing = 256

const tags = { resourceNames: lengthDelimitedTag(3), typeUrl: lengthDelimitedTag(4) }

/** How much is kept of names that clients have in common: they are those of namespaces, or of everybody. */
export const knownNamesLimits = { lists: 16, bytes: maxRequestLength }

/** Of so many types it is remembered what a stream named; which they are is the client's choice. */
const typesRemembered = 16

/** Names that clients subscribed to lately, by the digest of their bytes: proxies that are alike name the same. */
export class KnownNames {
  readonly #lists = new Map<string, { readonly names: ReadonlyArray<string>; readonly bytes: number }>()
  #bytes = 0

  get(digest: string): ReadonlyArray<string> | undefined {
    return this.#lists.get(digest)?.names
  }

  /** Keeps names that are not known yet, instead of the oldest. `bytes`: how many they took in the request. */
  add(digest: string, names: ReadonlyArray<string>, bytes: number): void {
    this.#lists.set(digest, { names, bytes })
    this.#bytes += bytes
    for (const [oldest, list] of this.#lists) {
      if (this.#lists.size <= knownNamesLimits.lists && this.#bytes <= knownNamesLimits.bytes) return
      this.#lists.delete(oldest)
      this.#bytes -= list.bytes
    }
  }
}

/**
 * Reads the requests of one state-of-the-world stream.
 *
 * Every request names the whole subscription, so that a proxy of a thousand clusters acknowledges each push, of however
 * little, with a thousand names. They are almost always those of the request before, and the first ones those of another
 * client: their bytes tell, by a digest.
 */
export class SotwRequestReader {
  /** of the names of the last request, by type */
  readonly #digests = new Map<string, string>()
  readonly #known: KnownNames

  /** @param known of all streams of a server */
  constructor(known: KnownNames) {
    this.#known = known
  }

  /** Throws on bytes that are no request. */
  read(message: Uint8Array): SotwMessage {
    const names = findNames(message)
    if (names === undefined) {
      const request = DiscoveryRequest.decode(message)
      this.#digests.delete(request.typeUrl)
      return request
    }
    const { begin, end, typeUrl } = names
    const digest = hash("sha256", message.subarray(begin, end), "base64url")
    const isRepeated = this.#digests.get(typeUrl) === digest
    const known = this.#known.get(digest)
    if (isRepeated || known !== undefined) {
      const rest = Buffer.concat([message.subarray(0, begin), message.subarray(end)])
      const request = DiscoveryRequest.decode(rest)
      this.#remember(typeUrl, digest)
      return { ...request, resourceNames: isRepeated ? undefined : known }
    }
    const request = DiscoveryRequest.decode(message)
    this.#remember(typeUrl, digest)
    this.#known.add(digest, request.resourceNames, end - begin)
    return request
  }

  #remember(typeUrl: string, digest: string): void {
    this.#digests.set(typeUrl, digest)
    const [oldest] = this.#digests.keys()
    if (oldest !== undefined && this.#digests.size > typesRemembered) this.#digests.delete(oldest)
  }
}

interface Names {
  /** of the bytes of all names with their tags */
  readonly begin: number
  readonly end: number
  readonly typeUrl: string
}

/**
 * Where the names are; undefined if they are few, or anything is unusual, which a decoder may judge: names that do not stand
 * together, a type that is said twice or not at all, other kinds of fields, bytes that are cut off.
 */
const findNames = (message: Uint8Array): Names | undefined => {
  const types: Array<string> = []
  let [begin, end, at] = [-1, -1, 0]
  while (at < message.length) {
    const start = at
    const tag = message[at++] ?? 0
    // The tags of all fields take one byte; so do the length's 7-bit groups.
    if ((tag & 0b111) !== 2 || tag > 0x7f) return undefined
    let length = 0
    for (let shift = 0, group = 0x80; group > 0x7f; shift += 7) {
      if (shift > 21) return undefined
      group = message[at++] ?? 0
      length |= (group & 0x7f) << shift
    }
    const next = at + length
    if (next > message.length) return undefined
    if (tag === tags.resourceNames) {
      if (begin === -1) begin = start
      else if (end !== start) return undefined
      end = next
    } else if (tag === tags.typeUrl) {
      types.push(Buffer.from(message.buffer, message.byteOffset + at, length).toString("utf8"))
    }
    at = next
  }
  const [typeUrl] = types
  return typeUrl === undefined || types.length > 1 || end - begin < worthComparing
    ? undefined
    : { begin, end, typeUrl }
}
