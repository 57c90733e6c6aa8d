import { untracked } from "@istiod-lite/collections"
import { gatewaysKey, type Proxy } from "@istiod-lite/model"
import { endpointTypeUrl } from "@istiod-lite/xds-proto"
import type { ControlPlane } from "../control-plane.ts"
import type { Json } from "./json.ts"
import type { UnorderedList } from "./order-rules.ts"
import { allocatedJson } from "./outputs/allocated.ts"
import { assignmentsJson, assignmentsOrder } from "./outputs/assignments.ts"
import { endpointsJson, endpointsOrder } from "./outputs/endpoints.ts"
import { eventsJson, eventsOrder, settleEvents } from "./outputs/events.ts"
import { gatewaysJson, gatewaysOrder } from "./outputs/gateways.ts"
import { servicesJson, servicesOrder } from "./outputs/services.ts"
import { targetsJson, targetsOrder } from "./outputs/targets.ts"
import { settleAddresses, visibleJson, visibleOrder } from "./outputs/visible.ts"
import type { StepPushes } from "./step-pushes.ts"

/** How one kind of expected file is made from our state and compared. */
export interface OutputKind {
  readonly name: string
  readonly order: ReadonlyArray<UnorderedList>
  readonly output:
    | { readonly of: "mesh"; readonly make: (plane: ControlPlane) => Json }
    | { readonly of: "proxy"; readonly make: (plane: ControlPlane, proxy: Proxy) => Json }
    | { readonly of: "step"; readonly make: (step: StepPushes) => Json }
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
    output: {
      of: "mesh",
      make: ({ objects, statuses }) => allocatedJson(objects.config.ServiceEntry.keys(), statuses)
    }
  },
  {
    name: "targets",
    order: targetsOrder,
    output: {
      of: "proxy",
      make: ({ discovery, policy }, proxy) =>
        targetsJson(
          discovery.targets(untracked, proxy),
          discovery.workloadLabels(untracked, proxy),
          policy.viewOf(untracked, proxy)
        )
    }
  },
  {
    name: "visible",
    order: visibleOrder,
    settle: settleAddresses,
    output: {
      of: "proxy",
      make: ({ policy }, proxy) => {
        const view = policy.viewOf(untracked, proxy)
        return visibleJson(view.scope.services, (service) => ({
          addresses: policy.addresses(untracked, view, service),
          aliases: policy.aliases(untracked, view, service),
          accounts: policy.accounts(untracked, service)
        }))
      }
    }
  },
  {
    name: "eds",
    order: assignmentsOrder,
    output: {
      of: "proxy",
      make: ({ policy, resources }, proxy) => {
        const names = policy.clusterNames(untracked, policy.viewOf(untracked, proxy))
        return assignmentsJson(resources(endpointTypeUrl, names, proxy))
      }
    }
  },
  {
    name: "events",
    order: eventsOrder,
    settle: settleEvents,
    output: { of: "step", make: eventsJson }
  }
]

/** Kinds of the corpus that the runner does not make yet: their files are passed over. */
export const laterKinds: ReadonlyArray<string> = ["clusters", "nds", "grpc"]
