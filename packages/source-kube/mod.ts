/**
 * Kubernetes API servers as a source of objects, and the way to write objects back.
 */
export { type ClusterSource, type ClusterSourceOptions, watchCluster } from "./src/cluster-source.ts"
export type { KubeAnswer, KubeClient, KubeRequest } from "./src/kube-client.ts"
export { type KubeResource, resourceOf, resourcePath } from "./src/kube-resource.ts"
export { KubeConfigError } from "./src/kube-config-error.ts"
export { KubeError } from "./src/kube-error.ts"
export { ConfigClusterClient, type KubeSourceOptions, layerKubeSource } from "./src/kube-source.ts"
export { layerLeadership, type LeadershipOptions, makeLeadership } from "./src/leadership.ts"
export { loadKubeConfig, type KubeConfigSource } from "./src/load-kube-config.ts"
export { makeKubeClient } from "./src/make-kube-client.ts"
export { makeObjectWriter } from "./src/object-writer.ts"
export {
  makeRemoteClusters,
  type RemoteClusters,
  type RemoteClustersOptions,
  remoteClusterTimeouts
} from "./src/remote-clusters.ts"
export { layerProxyAuthenticator } from "./src/proxy-authenticator.ts"
export {
  makeTokenReviewer,
  type Reviewed,
  type TokenReviewer,
  type TokenReviewOptions
} from "./src/token-review.ts"
