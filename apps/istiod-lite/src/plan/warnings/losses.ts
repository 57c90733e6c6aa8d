import { counted } from "../../tables/table.ts"
import type { PlanAnswer, ProxyPlan, ServicePlan, Warning } from "../plan-answer.ts"

/** How many endpoints are named before the rest is counted. */
const mostNamed = 3

/** Services that go, and services that fewer endpoints take requests for. */
export const lossWarnings = (services: ReadonlyArray<ServicePlan>): ReadonlyArray<Warning> =>
  services.flatMap(({ became, endpoints: { removed }, service, usable: [before, now] }) => {
    if (became === "removed")
      return [{ kind: "ServiceLost", text: `${service} would be gone, with ${counted(before, "endpoint")}` }]
    if (now >= before && removed.length === 0) return []
    const more = removed.length > mostNamed ? `, and ${removed.length - mostNamed} more` : ""
    const gone = removed.length === 0 ? "" : ` (${removed.slice(0, mostNamed).join(", ")}${more})`
    const left = now === 0 ? "none is left" : `${now} of ${before} left`
    return [{ kind: "EndpointsLost", text: `${service} would lose endpoints${gone}: ${left}` }]
  })

/** How much is lost over all services and proxies. */
export const countLosses = (
  services: ReadonlyArray<ServicePlan>,
  proxies: ReadonlyArray<ProxyPlan>
): PlanAnswer["lost"] => ({
  services: services.filter(({ became }) => became === "removed").length,
  endpoints: sum(services.map(lostEndpoints)),
  views: sum(
    proxies.map(
      ({ clusters, serves }) =>
        serves.removed.length +
        sum(
          clusters.map(({ became, endpoints }) => endpoints.removed.length + (became === "removed" ? 1 : 0))
        )
    )
  )
})

/** Gone, or there but not taking requests any more. */
const lostEndpoints = ({ endpoints, usable: [before, now] }: ServicePlan): number =>
  Math.max(endpoints.removed.length, before - now)

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, number) => total + number, 0)
