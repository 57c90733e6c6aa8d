import type { KubeCluster } from "../../tools/kube-cluster/kube-cluster.ts"

/** A pod and its address. */
export interface NamedPod {
  readonly name: string
  readonly address: string
}

const perBatch = 100

/** Pods with addresses of 10.x, and the writing of them, in batches that may run at the same time. */
export const manyPods = (
  generation: "old" | "new",
  count: number
): {
  readonly pods: ReadonlyArray<NamedPod>
  readonly batches: ReadonlyArray<(cluster: KubeCluster) => Promise<void>>
} => {
  const net = generation === "old" ? 20 : 21
  const pods = Array.from({ length: count }, (_, i) => ({
    name: `big-${generation}-${i}`,
    address: `10.${net}.${Math.floor(i / 250)}.${(i % 250) + 1}`
  }))
  const batches = Array.from(
    { length: Math.ceil(count / perBatch) },
    (_, batch) => async (cluster: KubeCluster) => {
      for (const pod of pods.slice(batch * perBatch, (batch + 1) * perBatch)) await writePod(cluster, pod)
    }
  )
  return { pods, batches }
}

const writePod = async (cluster: KubeCluster, { address, name }: NamedPod): Promise<void> => {
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "shop", labels: { app: "big" } },
    spec: { nodeName: "node-1", containers: [{ name: "main", image: "main" }] }
  }
  const made = await cluster.api("POST", "/api/v1/namespaces/shop/pods", pod)
  if (made.status !== 201) throw new Error(`Cannot create pod ${name}: ${JSON.stringify(made.body)}`)
  const status = {
    status: {
      phase: "Running",
      podIP: address,
      podIPs: [{ ip: address }],
      conditions: [{ type: "Ready", status: "True" }]
    }
  }
  const path = `/api/v1/namespaces/shop/pods/${name}/status`
  await cluster.api("PATCH", path, status, "application/merge-patch+json")
}

/** Writes the slices of a Service, 100 pods each; those that were there are replaced one by one. */
export const podSlices = async (
  cluster: KubeCluster,
  of: string,
  port: number,
  pods: ReadonlyArray<NamedPod>
): Promise<void> => {
  for (let index = 0; index * perBatch < pods.length; index++) {
    const slice = {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: `${of}-${index}`, namespace: "shop", labels: { "kubernetes.io/service-name": of } },
      addressType: "IPv4",
      ports: [{ name: "http", port, protocol: "TCP" }],
      endpoints: pods.slice(index * perBatch, (index + 1) * perBatch).map(({ address, name }) => ({
        addresses: [address],
        conditions: { ready: true },
        targetRef: { kind: "Pod", namespace: "shop", name }
      }))
    }
    const query = "?fieldManager=test&force=true"
    const path = `/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices/${of}-${index}${query}`
    const { body, status } = await cluster.api("PATCH", path, slice, "application/apply-patch+yaml")
    if (status >= 300) throw new Error(`Cannot write slice ${of}-${index}: ${JSON.stringify(body)}`)
  }
}
