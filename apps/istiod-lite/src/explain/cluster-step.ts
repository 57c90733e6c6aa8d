import type { Resolution, Service } from "@istiod-lite/model"
import { drop, type Step } from "./explanation.ts"
import { declaringObject } from "./object-names.ts"

/** Why a client that sees a service has no EDS cluster for the port (S-50, S-60). */
export const noClusterStep = (service: Service, portName: string): Step => {
  const object = declaringObject(service)
  const target = service.kube?.externalName ?? "another host"
  const byDns: Words = [
    "S-60",
    `clients resolve ${service.hostname} by DNS themselves, so they are sent no endpoints of it`,
    `set spec.resolution: STATIC in ${object} to have endpoints sent, or look at the client's DNS`
  ]
  const wordsOf: Readonly<Record<Resolution, Words>> = {
    alias: [
      "S-10",
      `${object} is another name (ExternalName) of ${target}: it has no endpoints of its own`,
      `explain service ${target}, or set spec.type: ClusterIP in ${object}`
    ],
    dnsLB: byDns,
    dnsRoundRobinLB: byDns,
    dynamicDNS: byDns,
    passthrough: [
      "S-50",
      `${object} is ${service.provider === "Kubernetes" ? "headless" : "of resolution NONE"}: sidecars connect to the ` +
        "address that the application chose, and are sent no endpoints",
      service.provider === "Kubernetes"
        ? `give ${object} a cluster IP to have clients balance over its endpoints`
        : `set spec.resolution: STATIC in ${object} to have endpoints sent`
    ],
    clientSideLB: [
      "S-50",
      `the client has no EDS cluster for port ${JSON.stringify(portName)} of ${object}`,
      `look at protocol (UDP has none) and at trafficPolicy.loadBalancer (PASSTHROUGH has none) of its DestinationRule`
    ]
  }
  return drop("cluster", ...wordsOf[service.resolution])
}

type Words = readonly [rule: string, text: string, remedy: string]
