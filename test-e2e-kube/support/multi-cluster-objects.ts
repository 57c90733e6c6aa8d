/** Objects of Multi-Cluster Services (KEP-1645), and the CRDs by which an API server has them. */

const group = "multicluster.x-k8s.io"

/** Any object is accepted: the schema of sigs.k8s.io/mcs-api is not what is tested. */
const crd = (kind: string): object => {
  const singular = kind.toLowerCase()
  const plural = `${singular}s`
  const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true }
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, singular, plural, listKind: `${kind}List` },
      versions: [{ name: "v1alpha1", served: true, storage: true, schema: { openAPIV3Schema: schema } }]
    }
  }
}

export const multiClusterCrds: ReadonlyArray<object> = [crd("ServiceExport"), crd("ServiceImport")]

const multiCluster = (kind: string, name: string): object => ({
  apiVersion: `${group}/v1alpha1`,
  kind,
  metadata: { name, namespace: "shop" }
})

/** Of a Service in namespace shop. */
export const serviceExport = (name: string): object => multiCluster("ServiceExport", name)

/** Of a Service in namespace shop, at these addresses. */
export const serviceImport = (name: string, ...ips: ReadonlyArray<string>): object => ({
  ...multiCluster("ServiceImport", name),
  spec: { type: "ClusterSetIP", ips, ports: [{ name: "http", port: 80, protocol: "TCP" }] }
})
