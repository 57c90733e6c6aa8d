import { isIp, normaliseAddress } from "@istiod-lite/model"

/** What `explain endpoint` is asked about: an address, or a workload by its name. */
export type Subject =
  | { readonly kind: "address"; readonly address: string; readonly port: number | undefined }
  | { readonly kind: "workload"; readonly name: string; readonly namespace: string | undefined }

/**
 * Reads `IP`, `IP:PORT`, `[IPv6]:PORT`, the path of a unix socket, `NAMESPACE/NAME`, `NAME.NAMESPACE` or `NAME`. A name that has dots is a
 * workload's in the namespace after the last one.
 */
export const readSubject = (text: string): Subject => {
  const { host = text, port } = /^\[?(?<host>[^\]]+?)\]?(?::(?<port>\d+))?$/.exec(text)?.groups ?? {}
  // A unix socket: an inline endpoint may have one.
  if (/^(?:unix:\/)?\//.test(text))
    return { kind: "address", address: text.replace(/^unix:\/\//, ""), port: undefined }
  if (isIp(text)) return { kind: "address", address: normaliseAddress(text), port: undefined }
  if (isIp(host))
    return {
      kind: "address",
      address: normaliseAddress(host),
      port: port === undefined ? undefined : Number(port)
    }
  const slash = text.indexOf("/")
  if (slash >= 0) return { kind: "workload", namespace: text.slice(0, slash), name: text.slice(slash + 1) }
  const dot = text.lastIndexOf(".")
  return dot < 0
    ? { kind: "workload", namespace: undefined, name: text }
    : { kind: "workload", namespace: text.slice(dot + 1), name: text.slice(0, dot) }
}

/** Whether two texts are one address; IPv6 has several texts for one. */
export const sameAddress = (text: string, address: string): boolean =>
  text === address || (text.includes(":") && isIp(text) && normaliseAddress(text) === address)
