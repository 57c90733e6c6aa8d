/** A mesh policy over collections that a test fills by hand: never part of a published package. */
import { Graph, type Source, untracked } from "@istiod-lite/collections"
import {
  defaultMeshConfig,
  type IstioObjects,
  keyOfService,
  type Labels,
  makeIstioSources,
  type MeshConfigValue,
  meshKey,
  objectKey,
  type Proxy,
  type Service,
  type ServiceEndpoints
} from "@istiod-lite/model"
import { makePolicyQueries, type PolicyQueries } from "./src/mesh-policy.ts"
import type { ProxyView } from "./src/proxy-view.ts"

/** The inputs of a mesh policy, and the policy. */
export class PolicyFixture {
  readonly graph = new Graph()
  readonly config = makeIstioSources(this.graph)
  readonly mesh = this.graph.source<MeshConfigValue>("mesh")
  readonly services = this.graph.source<Service>("services")
  readonly byHostname = this.graph.index("services by hostname", this.services, ({ hostname }) => [hostname])
  readonly endpoints = this.graph.source<ServiceEndpoints>("endpoints")
  /** labels that the registries know, by proxy id */
  readonly workloads = this.graph.source<Labels>("workload labels")
  readonly queries: PolicyQueries

  constructor(mesh: Partial<MeshConfigValue> = {}) {
    this.mesh.set(meshKey, { ...defaultMeshConfig, ...mesh })
    this.queries = makePolicyQueries(
      { config: this.config, graph: this.graph, mesh: this.mesh },
      {
        byHostname: this.byHostname,
        endpoints: this.endpoints,
        reads: [this.workloads],
        services: this.services,
        workloadLabels: (read, { id }: Proxy) => read.get(this.workloads, id)
      }
    )
  }

  /** Adds services, in one transaction, under keys that tell several addresses of a host apart. */
  serve(...services: ReadonlyArray<Service>): this {
    this.graph.transaction(() => {
      for (const service of services) this.services.set(serviceEntryKey(service), service)
    })
    return this
  }

  /** Adds objects of one kind, in one transaction. */
  apply<K extends keyof IstioObjects>(kind: K, ...objects: ReadonlyArray<IstioObjects[K]>): this {
    const source: Source<IstioObjects[K]> = this.config[kind]
    this.graph.transaction(() => {
      for (const object of objects) source.set(objectKey(object.meta), object)
    })
    return this
  }

  view(proxy: Proxy): ProxyView {
    return this.queries.viewOf(untracked, proxy)
  }
}

/** One key per definition of a service: object and address tell those of one hostname apart. */
export const serviceEntryKey = (service: Service): string =>
  [keyOfService(service), service.provider, service.objectName, service.defaultAddress].join("|")
