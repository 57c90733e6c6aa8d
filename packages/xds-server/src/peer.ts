import type { Peer } from "@istiod-lite/model"

/** What a transport knows of who calls. */
export interface PeerFacts {
  /** `address:port` */
  readonly address: string
  /** the subject alternative names of a certificate that TLS verified, as Node writes them */
  readonly alternativeNames: string | undefined
  /** the `authorization` header */
  readonly authorization: string | undefined
}

/**
 * Who calls: by a certificate that TLS verified, or by a token that someone else has to verify. A certificate of an
 * issuer that is not trusted proves nothing, like none.
 */
export const peerOf = ({ address, alternativeNames = "", authorization }: PeerFacts): Peer => ({
  address,
  identities: urisOf(alternativeNames),
  bearerToken: tokenOf(authorization)
})

/**
 * `kind:value`, with ", " in between. A value that could be taken for more than one is written as JSON; commas stand only
 * in those. So a name cannot pretend to be two.
 */
const alternativeName = /([^:,"]+):("(?:[^"\\]|\\.)*"|[^,"]*)(?:, |$)/gy

const urisOf = (alternativeNames: string): ReadonlyArray<string> =>
  [...alternativeNames.matchAll(alternativeName)].flatMap(([, kind, value = ""]) =>
    kind === "URI" ? [value.startsWith('"') ? unquoted(value) : value] : []
  )

const unquoted = (json: string): string => {
  const value: unknown = JSON.parse(json)
  return typeof value === "string" ? value : json
}

const tokenOf = (authorization: string | undefined): string | undefined =>
  authorization !== undefined && /^bearer /i.test(authorization)
    ? authorization.slice("bearer ".length).trim()
    : undefined
