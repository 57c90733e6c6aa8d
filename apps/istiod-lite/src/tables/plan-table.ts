import type { ClusterPlan, ListChanges, PlanAnswer, ProxyPlan, ServicePlan } from "../plan/plan-answer.ts"
import { counted, indent, table } from "./table.ts"

/** What a change would do, for people: objects, services, proxies, warnings, and what is lost. */
export const planTable = ({
  lost,
  objects,
  proxies,
  services,
  unaffectedProxies,
  warnings
}: PlanAnswer): string =>
  [
    table(
      ["OBJECT", "EFFECT"],
      objects.map(({ effect, object }) => [object, effect])
    ),
    ...(services.length === 0 ? ["No service would change."] : services.map(serviceText)),
    ...proxies.map(proxyText),
    ...unaffectedText(proxies.length, unaffectedProxies),
    ...(warnings.length === 0 ? [] : [warnings.map(({ text }) => `Warning: ${text}`).join("\n")]),
    lostText(lost)
  ].join("\n\n")

const unaffectedText = (affected: number, unaffected: number): ReadonlyArray<string> => {
  if (affected + unaffected === 0)
    return ["No proxy is connected or named, so no view was compared: --proxy NAME.NAMESPACE names one."]
  return unaffected === 0 ? [] : [`${counted(unaffected, "proxy", "proxies")} would see no difference.`]
}

const serviceText = ({ became, endpoints, fields, service, usable: [before, now] }: ServicePlan): string => {
  const count = before === now ? counted(now, "endpoint") : `${before} → ${counted(now, "endpoint")}`
  const definition = fields.length === 0 ? "" : `, definition (${fields.join(", ")})`
  return [`${service}: ${became}${definition}, ${count}`, ...changeLines(endpoints)].join("\n")
}

const proxyText = ({ clusters, proxy, serves }: ProxyPlan): string =>
  [
    `${proxy} would see:`,
    ...changeLines(serves).map((line) => `${line} (served by it)`),
    ...clusters.map((cluster) => indent(clusterText(cluster)))
  ].join("\n")

const clusterText = ({ became, cluster, endpoints, sent: [before, now] }: ClusterPlan): string => {
  const count = before === now ? counted(now, "endpoint") : `${before} → ${counted(now, "endpoint")}`
  return [`${cluster}: ${became}, ${count}`, ...changeLines(endpoints)].join("\n")
}

/** How many of a list are told before the rest is counted. */
const mostLines = 12

const changeLines = ({ added, changed, removed }: ListChanges): ReadonlyArray<string> => {
  const lines = [
    ...removed.map((name) => `  - ${name}`),
    ...added.map((name) => `  + ${name}`),
    ...changed.map((name) => `  ~ ${name}`)
  ]
  const more = lines.length - mostLines
  return more > 0 ? [...lines.slice(0, mostLines), `  … and ${more} more (-o json shows all)`] : lines
}

/** Whether anything is lost, and how much. */
const lostText = ({ endpoints, services, views }: PlanAnswer["lost"]): string => {
  const parts = [
    ...(services === 0 ? [] : [counted(services, "service")]),
    ...(endpoints === 0 ? [] : [counted(endpoints, "endpoint")]),
    ...(views === 0 ? [] : [`${counted(views, "entry", "entries")} in views of proxies`])
  ]
  return parts.length === 0 ? "Nothing would be lost." : `Would be lost: ${parts.join(", ")}.`
}
