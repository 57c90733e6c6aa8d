import { parseServiceKey, type Proxy, type PushRequest } from "@istiod-lite/model"
import type { ClientChange } from "./client-changes.ts"

/** Whether the request names the proxy: by its id, its name or an address. */
export const namesProxy = ({ proxies }: PushRequest, proxy: Proxy): boolean =>
  proxies.has(proxy.id) ||
  proxies.has(`${proxy.name}.${proxy.namespace}`) ||
  proxy.ips.some((ip) => proxies.has(ip))

/**
 * Whether a server that is told the request looks at what has changed: at everything, at that proxy, or at that
 * service. Endpoints alone are enough for assignments, and for the ports of the workloads that are those endpoints.
 */
export const covers = (request: PushRequest, { hostnames, of, proxy }: ClientChange): boolean => {
  if (request.full || namesProxy(request, proxy)) return true
  const { endpoints, services } = request
  return namesHost(services, hostnames) || (of !== "service" && namesHost(endpoints, hostnames))
}

const namesHost = (keys: ReadonlySet<string>, hostnames: ReadonlyArray<string>): boolean =>
  [...keys].some((key) => hostnames.includes(parseServiceKey(key).hostname))
