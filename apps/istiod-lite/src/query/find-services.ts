import { compareText, type Service } from "@istiod-lite/model"

/**
 * The services that a person means by `host`: its full name, or the beginning of one up to a dot. `cart.shop` is
 * `cart.shop.svc.cluster.local`, and `cart` every service of this name. A full name hides what only begins with it.
 */
export const findServices = <S extends Pick<Service, "hostname" | "namespace">>(
  services: Iterable<S>,
  host: string
): ReadonlyArray<S> => {
  const wanted = host.toLowerCase().replace(/\.$/, "")
  const all = [...services].toSorted(
    (a, b) => compareText(a.hostname, b.hostname) || compareText(a.namespace, b.namespace)
  )
  const exact = all.filter(({ hostname }) => hostname.toLowerCase() === wanted)
  return exact.length > 0
    ? exact
    : all.filter(({ hostname }) => hostname.toLowerCase().startsWith(`${wanted}.`))
}

/** What to say where there is none. */
export const noServiceText = (host: string): string => {
  const [, name, port] = /^([^:]+):([^:]*)$/.exec(host) ?? []
  return name === undefined
    ? `No service is called ${host}. \`istiod-lite services\` lists all there are.`
    : `${JSON.stringify(port)} is no port: ports are numbers, such as ${name}:80. \`istiod-lite services\` lists them.`
}
