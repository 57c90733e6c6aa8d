/** The names that simulated meshes are made of: few, so that they meet. */
export const namespaces = ["shop", "pay"] as const
export const rootNamespace = "istio-system"
export const apps = ["cart", "web", "crm"] as const
export const versions = ["v1", "v2"] as const
export const accounts = ["default", "cart", "web"] as const
export const nodes = ["node-a", "node-b", "node-c"] as const
export const zones = [
  ["eu", "eu-1"],
  ["eu", "eu-2"],
  ["us", "us-1"]
] as const
export const networks = ["", "north", "south"] as const
export const machines = ["vm-1", "vm-2", "vm-3"] as const
export const entries = ["erp", "crm", "db"] as const
export const sliceSuffixes = ["a", "b"] as const

/** Kubernetes services: namespace and name. Both clusters may have each. */
export const kubeServices = [
  ["shop", "cart"],
  ["shop", "web"],
  ["pay", "crm"]
] as const

/** Hosts that ServiceEntries declare; one of them is a Kubernetes service's. */
export const entryHosts = [
  "erp.corp.example",
  "crm.corp.example",
  "db.corp.example",
  "cart.shop.svc.cluster.local"
] as const

export const gatewayHost = `gateway.${rootNamespace}.svc.cluster.local`
export const hosts: ReadonlyArray<string> = [
  ...new Set([
    ...kubeServices.map(([namespace, name]) => `${name}.${namespace}.svc.cluster.local`),
    ...kubeServices.map(([namespace, name]) => `${name}.${namespace}.svc.clusterset.local`),
    ...entryHosts,
    gatewayHost
  ])
]
