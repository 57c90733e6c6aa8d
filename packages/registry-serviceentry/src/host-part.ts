import type { EndpointGroup, ServiceEntry } from "@istiod-lite/model"

/** What one ServiceEntry gives to one of its hosts. */
export interface HostPart {
  readonly entry: ServiceEntry
  readonly group: EndpointGroup
}
