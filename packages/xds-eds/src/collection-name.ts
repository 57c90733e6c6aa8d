import { formatLocality, type Locality } from "@istiod-lite/model"
import { lbEndpointTypeUrl, messageNameOf } from "@istiod-lite/xds-proto"

/** Which part of an assignment the endpoints of a collection are. */
export interface CollectionIdentity {
  /** the cluster that the assignment is of, as it was asked for */
  readonly cluster: string
  readonly locality: Locality
  /** by labels (S-67): endpoints of one locality may be in several priorities */
  readonly distance: number
}

const prefix = `xdstp://istiod-lite/${messageNameOf(lbEndpointTypeUrl)}/`

/**
 * Where the collections of a part of an assignment are: `xdstp://istiod-lite/<type>/<cluster>/<locality>/<distance>`.
 *
 * Only characters that no client escapes (Envoy does a tilde), so that it asks for the very name that it was told; others
 * are written as `!<hex>!`. The cluster's name may have been anything.
 */
export const collectionPath = ({ cluster, distance, locality }: CollectionIdentity): string => {
  const segments = [cluster, ...formatLocality(locality).split("/")].map(escape)
  return `${prefix}${segments.join("/")}/${distance}`
}

/** The name of the glob collection with so many places; a member has the number of its place instead of the star. */
export const collectionName = (path: string, capacity: number): string => `${path}/${capacity}/*`

/** The path of a collection's name, and its cluster; undefined for other names. */
export const parseCollectionName = (
  name: string
): { readonly path: string; readonly cluster: string } | undefined => {
  const path = /^(.*)\/\d+\/\*$/.exec(name)?.[1]
  if (path === undefined || !path.startsWith(prefix)) return undefined
  const [cluster = ""] = path.slice(prefix.length).split("/", 1)
  return { path, cluster: unescape(cluster) }
}

const escape = (text: string): string =>
  text === "" ? "!" : text.replaceAll(/[^\w.|-]/g, (unit) => `!${unit.charCodeAt(0).toString(16)}!`)

const unescape = (segment: string): string =>
  segment === "!"
    ? ""
    : segment.replaceAll(/!([0-9a-f]{1,4})!/g, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16))
      )
