import { keyOfService, type Service } from "@istiod-lite/model"
import type { Findings, Searched } from "./findings.ts"

/** Hostnames that several objects declare; a client that sees all of them gets the first (S-42). */
export const hostConflicts = ({ discovery: { byHostname } }: Pick<Searched, "discovery">): Findings =>
  new Map(
    [...byHostname.keys()].flatMap((hostname) => {
      const declarations = new Map(
        byHostname.lookup(hostname).map(([, service]) => [declarationOf(service), service])
      )
      const [winner, ...others] = declarations.keys()
      if (winner === undefined || others.length === 0) return []
      const text = `${hostname} is declared by ${winner}, which counts, and by ${others.join(", ")}`
      return [[`${hostname}: ${[...declarations.keys()].join()}`, { kind: "HostConflict", text }] as const]
    })
  )

/** Definitions of one Kubernetes service in several clusters are one; so are the addresses of one ServiceEntry. */
const declarationOf = (service: Service): string => {
  const { namespace, objectName, provider } = service
  if (provider === "Kubernetes") return `Service ${namespace}/${service.name}`
  return objectName === ""
    ? `${provider} ${keyOfService(service)}`
    : `ServiceEntry ${namespace}/${objectName}`
}
