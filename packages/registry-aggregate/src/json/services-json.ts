import { compareText, type Service, type ServicePort } from "@istiod-lite/model"
import { compact, type Json, type JsonRecord } from "./json-value.ts"

/**
 * The merged services of all registries, one entry per hostname and address. Ports are always there.
 *
 * @param notes further fields of a service
 */
export const servicesJson = (
  services: Iterable<Service>,
  notes: (service: Service) => JsonRecord = () => ({})
): Json =>
  [...services].toSorted(byIdentity).map((service) => ({
    ports: service.ports.map(portJson),
    ...compact({
      hostname: service.hostname,
      namespace: service.namespace,
      name: service.name,
      objectName: service.objectName,
      registry: service.provider,
      resolution: service.resolution,
      clusterVIPs: service.clusterVips,
      defaultAddress: service.defaultAddress,
      autoAllocatedIPv4: service.autoAllocatedIpv4,
      autoAllocatedIPv6: service.autoAllocatedIpv6,
      meshExternal: service.meshExternal,
      serviceAccounts: service.serviceAccounts,
      exportTo: service.exportTo.toSorted(),
      labels: service.labels,
      labelSelectors: service.labelSelectors,
      trafficDistribution: service.trafficDistribution === "Any" ? "" : service.trafficDistribution,
      creationTime: service.creationTime,
      passthroughTargetPorts: service.passthroughTargetPorts,
      ...kubeFields(service),
      ...notes(service)
    })
  }))

const kubeFields = ({ kube }: Service): JsonRecord =>
  kube === undefined
    ? {}
    : {
        k8sType: kube.type,
        externalName: kube.externalName,
        nodeLocal: kube.nodeLocal,
        publishNotReadyAddresses: kube.publishNotReadyAddresses,
        clusterExternalAddresses: kube.externalAddresses,
        clusterExternalPorts: kube.externalPorts
      }

/** A service port; its fields are always there. */
export const portJson = (port: ServicePort): JsonRecord => ({
  name: port.name,
  number: port.number,
  protocol: port.protocol
})

const byIdentity = (a: Service, b: Service): number =>
  compareText(a.hostname, b.hostname) ||
  compareText(a.namespace, b.namespace) ||
  compareText(a.provider, b.provider) ||
  compareText(a.objectName, b.objectName) ||
  compareText(a.defaultAddress, b.defaultAddress)
