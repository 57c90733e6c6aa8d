/**
 * What a proxy sees of the mesh (S-45 … S-52): the services in its scope and their addresses, identities, aliases,
 * and the policies of clients and servers.
 *
 * Pure functions on the model's values, joined by derived collections that know no proxy. What depends on a proxy
 * is a query, computed on demand and remembered until something it read changes.
 */
export { type NamespacedHost } from "./src/aliases.ts"
export { isClusterLocal } from "./src/cluster-local.ts"
export {
  type ClusterName,
  type Direction,
  formatClusterName,
  outboundCluster,
  parseClusterName
} from "./src/cluster-name.ts"
export { type MergedDestinationRule } from "./src/destination-rules.ts"
export { makePolicyQueries, MeshPolicy, type PolicyQueries } from "./src/mesh-policy.ts"
export { type ProxyView } from "./src/proxy-view.ts"
export { type SidecarScope } from "./src/sidecar-scope.ts"
export { demandedTlsMode, effectivePolicy, noTrafficPolicy } from "./src/traffic-policy.ts"
export { type Visibility, visibilityOf } from "./src/visibility-of.ts"
