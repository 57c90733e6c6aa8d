import type { XdsChanges } from "@istiod-lite/model"

/** Members of a collection that a client that reconnects says it has: versions by name. */
export type Claims = ReadonlyMap<string, string>

/** What a client said it has of the collections that it subscribes to, by the collection's name. */
export const claimsOf = (
  versions: Readonly<Record<string, string>>,
  subscribed: ReadonlySet<string>
): Map<string, Claims> => {
  const claims = new Map<string, Map<string, string>>()
  for (const [name, version] of Object.entries(versions)) {
    const collection = collectionOf(name)
    if (collection === undefined || !subscribed.has(collection)) continue
    const known = claims.get(collection)
    if (known === undefined) claims.set(collection, new Map([[name, version]]))
    else known.set(name, version)
  }
  return claims
}

/** All there is of a collection (and what there is not, in `removed`), less what a client has, and has not. */
export const withoutClaimed = ({ resources }: XdsChanges, claims: Claims): XdsChanges => {
  const existing = new Set(resources.map(({ name }) => name))
  return {
    resources: resources.filter(({ name, version }) => claims.get(name) !== version),
    removed: [...claims.keys()].filter((name) => !existing.has(name))
  }
}

/** Of a client that has nothing of a collection. */
export const noClaims: Claims = new Map()

/** Whether a name is that of a glob collection. */
export const isCollectionName = (name: string): boolean => name.startsWith("xdstp:") && name.endsWith("/*")

/** The glob collection that a name would be a member of; only `xdstp:` names can be. */
const collectionOf = (name: string): string | undefined =>
  name.startsWith("xdstp:") ? `${name.slice(0, name.lastIndexOf("/"))}/*` : undefined
