import type { ControlPlane } from "../control-plane.ts"
import { gatewaysKey, type Proxy } from "@istiod-lite/model"
import type { Json } from "./json.ts"
import type { UnorderedList } from "./order-rules.ts"
import { allocatedJson } from "./outputs/allocated.ts"
import { endpointsJson, endpointsOrder } from "./outputs/endpoints.ts"
import { gatewaysJson, gatewaysOrder } from "./outputs/gateways.ts"
import { servicesJson, servicesOrder } from "./outputs/services.ts"

/** How one kind of expected file is made from our state and compared. */
export interface OutputKind {
  readonly name: string
  readonly order: ReadonlyArray<UnorderedList>
  readonly output:
    | { readonly of: "mesh"; readonly make: (plane: ControlPlane) => Json }
    | { readonly of: "proxy"; readonly make: (plane: ControlPlane, proxy: Proxy) => Json }
  /** what an absent file stands for; without it an absent file demands nothing */
  readonly absent?: Json
  /** the expected value with istiod's random choices replaced by ours, where ours is one of them */
  readonly settle?: (expected: Json, actual: Json) => Json
}

/** The kinds that we make, in the order of the report. */
export const outputKinds: ReadonlyArray<OutputKind> = [
  {
    name: "services",
    order: servicesOrder,
    output: { of: "mesh", make: ({ discovery }) => servicesJson(discovery.services.values()) }
  },
  {
    name: "endpoints",
    order: endpointsOrder,
    output: { of: "mesh", make: ({ discovery }) => endpointsJson(discovery.endpoints.values()) }
  },
  {
    name: "gateways",
    order: gatewaysOrder,
    absent: [],
    output: {
      of: "mesh",
      make: ({ discovery }) => gatewaysJson(discovery.gateways.get(gatewaysKey) ?? [])
    }
  },
  {
    name: "allocated",
    order: [],
    output: { of: "mesh", make: ({ objects }) => allocatedJson(objects.config.ServiceEntry.values()) }
  }
]

/** Kinds of the corpus that the runner does not make yet: their files are passed over. */
export const laterKinds: ReadonlyArray<string> = [
  "clusters",
  "nds",
  "grpc",
  "events",
  "targets",
  "visible",
  "eds"
]
