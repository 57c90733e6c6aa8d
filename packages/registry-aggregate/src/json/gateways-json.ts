import { compareGateways, type NetworkGateway } from "@istiod-lite/model"
import type { Json } from "./json-value.ts"

/** All fields are written, empty ones too; HBONE ports belong to ambient mode, which has none (D-3). */
export const gatewaysJson = (gateways: ReadonlyArray<NetworkGateway>): Json =>
  gateways.toSorted(compareGateways).map(({ address, cluster, network, port }) => ({
    addr: address,
    cluster,
    hbonePort: 0,
    network,
    port
  }))
