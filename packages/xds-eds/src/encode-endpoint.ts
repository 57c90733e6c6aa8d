import type { Health } from "@istiod-lite/model"
import { HealthStatus, lengthDelimited, utf8Field } from "@istiod-lite/xds-proto"
import type { AssignedEndpoint, EndpointAddress } from "./assigned-endpoint.ts"
import { BackwardWriter } from "./backward-writer.ts"
import type { WorkloadMetadata } from "./endpoint-metadata.ts"
import { isMutualTls } from "./tls-mode.ts"

/** Envoy's HealthStatus; TERMINATING is never sent (S-62). */
export const healthStatus: Readonly<Record<Health, HealthStatus>> = {
  UNKNOWN: HealthStatus.UNKNOWN,
  HEALTHY: HealthStatus.HEALTHY,
  UNHEALTHY: HealthStatus.UNHEALTHY,
  DRAINING: HealthStatus.DRAINING,
  TERMINATING: HealthStatus.UNKNOWN
}

/** Names that clients and Istio's filters know. */
export const originalDestination = "envoy.filters.listener.original_dst"
export const socketMatch = "envoy.transport_socket_match"
/** the client's own listener that opens HBONE tunnels */
export const tunnelListener = "connect_originate"

const socketMatchEntry = (key: string, value: string): Uint8Array => {
  const field = lengthDelimited(1, utf8Field(1, key), lengthDelimited(2, utf8Field(3, value)))
  return lengthDelimited(1, utf8Field(1, socketMatch), lengthDelimited(2, field))
}

const mutualTlsEntry = socketMatchEntry("tlsMode", "istio")
const tunnelEntry = socketMatchEntry("tunnel", "http")
const istioName = utf8Field(1, "istio")
const workloadName = utf8Field(1, "workload")
const originalDestinationName = utf8Field(1, originalDestination)
const localName = utf8Field(1, "local")

/**
 * Writes an element of `LocalityLbEndpoints.lb_endpoints`.
 *
 * By hand, because around an endpoint's three texts there are a dozen small messages, most of which are the same
 * for all: a generated encoder, which cannot know that, takes several times as long. A property test holds the
 * bytes equal to the generated encoder's.
 */
export const writeEndpoint = (out: BackwardWriter, endpoint: AssignedEndpoint): void => {
  const whole = out.mark
  out.uint32(1, endpoint.weight)
  out.message(4, whole)
  writeMetadata(out, endpoint)
  const health = healthStatus[endpoint.health]
  if (health !== HealthStatus.UNKNOWN) out.uint32(2, health)
  const body = out.mark
  for (let i = endpoint.additionalAddresses.length - 1; i >= 0; i--) {
    writeAdditional(out, endpoint, endpoint.additionalAddresses[i] ?? "")
  }
  writeAddress(out, endpoint.address)
  out.message(1, body)
  out.message(2, whole)
}

/** `filter_metadata`, its entries sorted by name. */
const writeMetadata = (out: BackwardWriter, { address, tlsMode, workload }: AssignedEndpoint): void => {
  const whole = out.mark
  out.fields(istioEntry(workload))
  if (address.kind === "tunnel") {
    out.fields(tunnelEntry)
    const entry = out.mark
    out.text(3, address.target)
    closeEntry(out, entry, originalDestinationName, localName)
  } else if (tlsMode !== "") {
    out.fields(isMutualTls(tlsMode) ? mutualTlsEntry : socketMatchEntry("tlsMode", tlsMode))
  }
  out.message(3, whole)
}

const area = new BackwardWriter(256)
let last: { readonly workload: WorkloadMetadata; readonly bytes: Uint8Array } | undefined

/** Endpoints of one workload mostly follow each other: the last one's entry is kept. */
const istioEntry = (workload: WorkloadMetadata): Uint8Array => {
  if (last === undefined || !workload.every((part, i) => part === last?.workload[i])) {
    area.semicolons(3, workload)
    closeEntry(area, 0, istioName, workloadName)
    last = { workload, bytes: area.take() }
  }
  return last.bytes
}

/** Makes the text written since `mark` a metadata entry whose Struct has one key. Name and key are encoded fields. */
const closeEntry = (out: BackwardWriter, mark: number, name: Uint8Array, key: Uint8Array): void => {
  out.message(2, mark)
  out.fields(key)
  out.message(1, mark)
  out.message(2, mark)
  out.fields(name)
  out.message(1, mark)
}

const writeAdditional = (out: BackwardWriter, endpoint: AssignedEndpoint, address: string): void => {
  const { address: first } = endpoint
  const whole = out.mark
  writeAddress(out, first.kind === "socket" ? { ...first, address } : { kind: "pipe", path: address })
  out.message(4, whole)
}

const writeAddress = (out: BackwardWriter, address: EndpointAddress): void => {
  const whole = out.mark
  switch (address.kind) {
    case "socket":
      out.uint32(3, address.port)
      if (address.address !== "") out.text(2, address.address)
      out.message(1, whole)
      break
    case "pipe":
      if (address.path !== "") out.text(1, address.path)
      out.message(2, whole)
      break
    case "tunnel":
      out.text(2, address.target)
      out.text(1, tunnelListener)
      out.message(3, whole)
      break
  }
  out.message(1, whole)
}
