import type { XdsResource } from "@istiod-lite/model"
import { encodeResponse, type XdsProtocol } from "./response-encoding.ts"
import type { SentResponse } from "./acknowledgement.ts"
import { SharedMessage } from "./shared-message.ts"
import type { Answer } from "./type-session.ts"

/** One encoded response and what it is called. Many streams may be sending it at once. */
export interface Frame extends SentResponse {
  readonly message: SharedMessage
}

/** How much is kept for streams that will ask for the same: about the frames of one push, not of history. */
export const frameCacheLimits = { frames: 256, bytes: 16 * 1024 * 1024 }

/**
 * Responses that are equal for several streams are encoded once and share their bytes.
 *
 * Equal is: the same type and protocol, and the same names and contents of resources, by identity, in the same order.
 * The least recently used frames are dropped first. Nonce and version are `<server>-<count>`: unique per frame, so on a
 * stream too as long as it is not sent the same frame twice in a row, which `previous` prevents.
 */
export class FrameCache {
  private readonly frames = new Map<string, Frame>()
  private readonly types = { sotw: new Map<string, number>(), delta: new Map<string, number>() }
  private readonly identities = new WeakMap<object, { readonly name: string; readonly number: number }>()
  private readonly prefix: string
  private keptBytes = 0
  private lastIdentity = 0
  private lastFrame = 0

  /** `prefix` tells this server's responses from those of others, such as its start time. */
  constructor(prefix: string) {
    this.prefix = prefix
  }

  /** The frame of an answer; never the one whose nonce is `previous`. */
  frame(protocol: XdsProtocol, typeUrl: string, answer: Answer, previous: string | undefined): Frame {
    const key = this.keyOf(protocol, typeUrl, answer)
    const kept = this.frames.get(key)
    if (kept !== undefined && kept.nonce !== previous) {
      this.frames.delete(key)
      this.frames.set(key, kept)
      return kept
    }
    if (kept !== undefined) this.drop(key, kept)
    const name = `${this.prefix}-${++this.lastFrame}`
    const response = { nonce: name, version: name }
    const message = new SharedMessage(encodeResponse(protocol, typeUrl, response, answer))
    const frame: Frame = { ...response, message }
    this.keep(key, frame)
    return frame
  }

  /** Short, since it is made for every response: most are of one resource. */
  private keyOf(protocol: XdsProtocol, typeUrl: string, answer: Answer): string {
    const identities = answer.resources.map((resource) => this.identityOf(resource)).join()
    const key = `${this.numberOf(protocol, typeUrl)}:${identities}`
    // Clients choose these names: there is nothing that could not stand in one of them, so they are quoted.
    return answer.removed.length === 0 ? key : `${key}:${JSON.stringify(answer.removed)}`
  }

  private numberOf(protocol: XdsProtocol, typeUrl: string): number {
    const known = this.types[protocol].get(typeUrl)
    if (known !== undefined) return known
    const number = this.types.sotw.size + this.types.delta.size
    this.types[protocol].set(typeUrl, number)
    return number
  }

  /** Of one name: the same content may stand under several, and a delta response says them. */
  private identityOf(resource: XdsResource): number {
    const { name } = resource
    const content = resource.parts ?? resource.bytes
    const known = this.identities.get(content)
    if (known?.name === name) return known.number
    this.identities.set(content, { name, number: ++this.lastIdentity })
    return this.lastIdentity
  }

  private keep(key: string, frame: Frame): void {
    this.frames.set(key, frame)
    this.keptBytes += frame.message.length
    for (const [oldKey, old] of this.frames) {
      if (this.frames.size <= frameCacheLimits.frames && this.keptBytes <= frameCacheLimits.bytes) return
      // The newest frame is kept whatever its size: the other streams of this push want it next.
      if (oldKey !== key) this.drop(oldKey, old)
    }
  }

  private drop(key: string, frame: Frame): void {
    this.frames.delete(key)
    this.keptBytes -= frame.message.length
  }
}
