import type { Service } from "@istiod-lite/model"

/** What stands after the transaction, as far as a plan looks beyond the changes themselves. */
export interface PlanContext {
  /** the services of a hostname, in any namespace */
  readonly servicesOfHost: (hostname: string) => ReadonlyArray<Service>
  /** whether a VirtualService leads to the host: its clients see the service then, whoever it is exported to */
  readonly isRoutedTo: (hostname: string) => boolean
  /** for hosts of rules that are written without one */
  readonly domainSuffix: string
  /** whether clients get unhealthy endpoints too (S-61) */
  readonly sendUnhealthyEndpoints: boolean
}

/** The service is exported to `~`; `*` beside it beats it (S-46). */
export const isForNobody = ({ exportTo }: Service): boolean =>
  exportTo.includes("~") && !exportTo.includes("*")

/** No client sees the service, not even by a route that leads to it. */
export const isUnseen = (service: Service, { isRoutedTo }: Pick<PlanContext, "isRoutedTo">): boolean =>
  isForNobody(service) && !isRoutedTo(service.hostname)
