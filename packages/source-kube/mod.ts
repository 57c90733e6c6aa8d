/**
 * Kubernetes API servers as a source of objects, and the way to write objects back.
 */
export type { KubeAnswer, KubeClient, KubeRequest } from "./src/kube-client.ts"
export { KubeError } from "./src/kube-error.ts"
