import { compareText, type Service } from "@istiod-lite/model"

/**
 * The services that a person means by `host`: its full name, or the beginning of one up to a dot. `cart.shop` is
 * `cart.shop.svc.cluster.local`, and `cart` every service of this name. A full name hides what only begins with it.
 */
export const findServices = (services: Iterable<Service>, host: string): ReadonlyArray<Service> => {
  const wanted = host.toLowerCase().replace(/\.$/, "")
  const all = [...services].toSorted(
    (a, b) => compareText(a.hostname, b.hostname) || compareText(a.namespace, b.namespace)
  )
  const exact = all.filter(({ hostname }) => hostname.toLowerCase() === wanted)
  return exact.length > 0
    ? exact
    : all.filter(({ hostname }) => hostname.toLowerCase().startsWith(`${wanted}.`))
}
