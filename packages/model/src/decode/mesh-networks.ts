import { isIp, parseCidr } from "../addresses.ts"
import type { MeshNetwork, MeshNetworks } from "../network.ts"
import type { ObjectFault } from "./fault.ts"
import { Fields } from "./fields.ts"

/**
 * Reads Istio's mesh networks settings: a document with `networks`. Faults of severity error mean that the value
 * must not be used.
 *
 * Source: istio.io/api mesh/v1alpha1 MeshNetworks.
 */
export const decodeMeshNetworks = (
  raw: unknown
): { readonly value: MeshNetworks; readonly faults: ReadonlyArray<ObjectFault> } => {
  const faults: Array<ObjectFault> = []
  const networks = Fields.root(raw ?? {}, { object: "MeshNetworks", faults }).at("networks")
  const value = Object.fromEntries(networks.names().map((name) => [name, decodeNetwork(networks.at(name))]))
  return { value, faults }
}

type Member = MeshNetwork["endpoints"][number]
type Gateway = MeshNetwork["gateways"][number]

const decodeNetwork = (fields: Fields): MeshNetwork => ({
  endpoints: fields.list("endpoints").flatMap(decodeMember),
  gateways: fields.list("gateways").flatMap(decodeGateway)
})

const decodeMember = (fields: Fields): ReadonlyArray<Member> => {
  const fromRegistry = fields.text("fromRegistry")
  const fromCidr = fields.text("fromCidr")
  if (fromRegistry !== "") return [{ fromRegistry }]
  if (parseCidr(fromCidr) !== undefined) return [{ fromCidr }]
  if (fromCidr === "") fields.fail("", "expected fromRegistry or fromCidr", "name a cluster or a CIDR")
  else fields.fail("fromCidr", "expected a CIDR", "write it as 10.0.0.0/8")
  return []
}

const decodeGateway = (fields: Fields): ReadonlyArray<Gateway> => {
  const port = fields.requiredPort("port")
  const address = fields.text("address")
  const registryServiceName = fields.text("registryServiceName")
  if (registryServiceName !== "") return [{ port, registryServiceName }]
  if (address === "")
    fields.fail("", "expected address or registryServiceName", "say how the network is entered")
  else if (!isIp(address) && /[\s/:]/.test(address)) {
    fields.fail("address", "expected an IP address or a hostname", "give the port in `port`")
  }
  return [{ port, address }]
}
