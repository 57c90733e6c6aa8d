import { isIp } from "../addresses.ts"
import type { WorkloadEntry, WorkloadGroup, WorkloadSpec } from "../objects/istio.ts"
import type { ObjectMeta } from "../objects/meta.ts"
import { portRange, type Fields } from "./fields.ts"
import { hasCondition } from "./pod.ts"

/** What WorkloadEntries and inline endpoints of ServiceEntries have in common. */
export const decodeWorkloadSpec = (fields: Fields): WorkloadSpec => ({
  address: fields.text("address"),
  ports: fields.numbers("ports", portRange),
  labels: fields.labels("labels"),
  network: fields.text("network"),
  locality: fields.text("locality"),
  weight: fields.uint32("weight"),
  serviceAccount: fields.text("serviceAccount")
})

const unixPrefix = "unix://"
const hostname = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9_]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9_]*[a-z0-9])?)*\.?$/i
/** Four numbers that are no IPv4 address are no hostname either, but a slip of the hand. */
const fourNumbers = /^\d+(\.\d+){3}$/

export const isHostname = (text: string): boolean => hostname.test(text) && !fourNumbers.test(text)

/** Notes what is wrong with a workload's address: it may be an IP, a hostname, a unix path, or be left to a gateway. */
export const checkAddress = (fields: Fields, { address, network, ports }: WorkloadSpec): void => {
  if (address === "" && network === "") {
    fields.warn(
      "address",
      "without address and network it is never reached",
      "give an address, or the network whose gateways lead there"
    )
  } else if (address.startsWith(unixPrefix)) {
    if (!/^(\/|@)/.test(address.slice(unixPrefix.length))) {
      fields.fail("address", "expected an absolute path", "write unix:///path/to/socket")
    }
    if (Object.keys(ports).length > 0) fields.warn("ports", "a unix socket has no ports", "remove them")
  } else if (address !== "" && !isIp(address) && !isHostname(address)) {
    fields.fail("address", "expected an IP address, a hostname or unix://…", "correct the address")
  }
}

export const decodeWorkloadEntry = (root: Fields, meta: ObjectMeta): WorkloadEntry => {
  const fields = root.at("spec")
  const spec = decodeWorkloadSpec(fields)
  checkAddress(fields, spec)
  return { meta, spec, healthy: decodeHealth(root.at("status")) }
}

/** The condition that health checks write (S-34). */
const decodeHealth = (status: Fields): boolean | undefined =>
  status.list("conditions").some((it) => it.text("type") === "Healthy")
    ? hasCondition(status, "Healthy")
    : undefined

export const decodeWorkloadGroup = (root: Fields, meta: ObjectMeta): WorkloadGroup => {
  const spec = root.at("spec")
  const metadata = spec.at("metadata")
  return {
    meta,
    labels: metadata.labels("labels"),
    annotations: metadata.labels("annotations"),
    template: decodeWorkloadSpec(spec.at("template"))
  }
}
