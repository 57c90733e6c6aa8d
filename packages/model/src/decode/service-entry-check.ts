import { isIp, parseCidr } from "../addresses.ts"
import { hasLabels } from "../labels.ts"
import { isHttp, parseProtocol } from "../protocol.ts"
import type { ServiceEntry } from "../objects/istio.ts"
import type { Fields } from "./fields.ts"
import { checkAddress } from "./workload-spec.ts"

/** An entry whose resolution may be none that there is. */
type CheckedEntry = Omit<ServiceEntry, "resolution"> & {
  readonly resolution: ServiceEntry["resolution"] | undefined
}

/**
 * What Istio's admission says about ServiceEntries. It is an error only where discovery could not tell what is
 * meant; what istiod itself serves, once it is past admission, is served and called doubtful.
 *
 * Source: istio pkg/config/validation, ValidateServiceEntry.
 */
export const checkServiceEntry = (spec: Fields, entry: CheckedEntry): void => {
  checkHosts(spec, entry)
  checkAddresses(spec, entry)
  checkPorts(spec, entry)
  checkSelector(spec, entry)
  checkEndpoints(spec, entry)
}

const checkHosts = (spec: Fields, { hosts, ports, resolution }: CheckedEntry): void => {
  if (hosts.length === 0)
    spec.fail("hosts", "at least one host is required", "name the hosts that clients call")
  hosts.forEach((host, i) => {
    const name = `hosts[${i}]`
    if (host === "" || host === "*")
      spec.fail(name, "no host is named", "name a host, or a domain as *.example.com")
    else if (host.includes("*") && !host.startsWith("*.")) {
      spec.warn(name, "a wildcard stands for whole labels", "write it as *.example.com")
    }
    if (resolution === "DYNAMIC_DNS" && !host.startsWith("*")) {
      spec.warn(name, "DYNAMIC_DNS is for wildcard hosts", "use resolution DNS for a single host")
    }
  })
  const indistinct = ports.some((port) => !isDistinguishable(port.protocol))
  if (hosts.length > 1 && resolution !== undefined && resolution !== "NONE" && indistinct) {
    spec.warn(
      "hosts",
      "hosts on a plain TCP port cannot be told apart",
      "write one ServiceEntry for each host"
    )
  }
}

/** HTTP requests name their host, TLS connections their server name. */
const isDistinguishable = (name: string): boolean => {
  const protocol = parseProtocol(name)
  return isHttp(protocol) || protocol === "HTTPS" || protocol === "TLS"
}

/** An address that is neither IP nor CIDR has no effect, but leaves the entry without an automatic one (S-30). */
const checkAddresses = (spec: Fields, { addresses, resolution }: CheckedEntry): void =>
  addresses.forEach((address, i) => {
    const name = `addresses[${i}]`
    const isCidr = parseCidr(address) !== undefined
    if (!isCidr && !isIp(address)) {
      spec.warn(name, "expected an IP address or CIDR, so it is ignored", "correct or remove it")
    }
    if (isCidr && resolution !== undefined && resolution !== "NONE" && resolution !== "STATIC") {
      spec.warn(
        name,
        `a CIDR means nothing with resolution ${resolution}`,
        "use NONE or STATIC, or an address"
      )
    }
  })

const checkPorts = (spec: Fields, { ports }: CheckedEntry): void => {
  const names = new Set<string>()
  const numbers = new Set<number>()
  ports.forEach(({ name, number, protocol }, i) => {
    const where = `ports[${i}]`
    if (name === "") spec.warn(where, "a port without a name", "name each port")
    if (names.has(name))
      spec.fail(where, `duplicate port name ${JSON.stringify(name)}`, "name each port once")
    if (number > 0 && numbers.has(number))
      spec.fail(where, `duplicate port number ${number}`, "list each port once")
    if (protocol !== "" && parseProtocol(protocol) === "UnsupportedProtocol") {
      spec.warn(
        where,
        `unknown protocol ${JSON.stringify(protocol)}`,
        "use HTTP, HTTP2, GRPC, HTTPS, TLS or TCP"
      )
    }
    names.add(name)
    numbers.add(number)
  })
}

const checkSelector = (spec: Fields, { endpoints, resolution, workloadSelector }: CheckedEntry): void => {
  if (workloadSelector === undefined) return
  if (!hasLabels(workloadSelector)) {
    const reason = "an empty selector selects nothing (Istio selects the whole namespace)"
    spec.warn("workloadSelector", reason, "name the labels of the workloads that are meant")
  }
  if (endpoints.length > 0) {
    spec.warn("endpoints", "ignored beside a workloadSelector", "keep one of workloadSelector and endpoints")
  }
  if (resolution === "NONE") {
    spec.warn("workloadSelector", "has no effect with resolution NONE", "use resolution STATIC or DNS")
  }
}

const checkEndpoints = (spec: Fields, { endpoints, ports, resolution }: CheckedEntry): void => {
  if (endpoints.length > 0 && (resolution === "NONE" || resolution === "DYNAMIC_DNS")) {
    spec.warn("endpoints", `have no effect with resolution ${resolution}`, "use resolution STATIC or DNS")
  }
  if (endpoints.length > 1 && resolution === "DNS_ROUND_ROBIN") {
    spec.warn("endpoints", "DNS_ROUND_ROBIN takes one endpoint", "keep one endpoint, or use resolution DNS")
  }
  const names = new Set(ports.map((port) => port.name))
  spec.list("endpoints").forEach((fields, i) => {
    const endpoint = endpoints[i]
    if (endpoint === undefined) return
    checkAddress(fields, endpoint)
    if (resolution === "STATIC" && !isIp(endpoint.address) && /^[^:]+$/.test(endpoint.address)) {
      fields.warn(
        "address",
        "a hostname is never resolved with resolution STATIC",
        "use an IP, or resolution DNS"
      )
    }
    for (const name of Object.keys(endpoint.ports).filter((name) => !names.has(name))) {
      fields.warn("ports", `the entry has no port ${JSON.stringify(name)}`, "use the names of spec.ports")
    }
  })
}
