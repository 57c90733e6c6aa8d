import { compareText, type Proxy } from "@istiod-lite/model"
import { edsGenerator } from "@istiod-lite/xds-eds"
import { Effect } from "effect"
import type { DetachedControlPlane } from "../compose/compose-from-inputs.ts"
import { applyChange } from "./apply-change.ts"
import type { PlanAnswer, ProxyPlan } from "./plan-answer.ts"
import { proxyPlan } from "./proxy-plan.ts"
import { type ProxyView, viewOfProxy } from "./proxy-view.ts"
import type { PlannedObject } from "./read-change.ts"
import { servicePlans } from "./service-plans.ts"
import { emptySelectors } from "./warnings/empty-selectors.ts"
import { emptySubsets } from "./warnings/empty-subsets.ts"
import { type Findings, newFindings, type Searched } from "./warnings/findings.ts"
import { hostConflicts } from "./warnings/host-conflicts.ts"
import { countLosses, lossWarnings } from "./warnings/losses.ts"
import { movedAddresses } from "./warnings/moved-addresses.ts"
import { overlappingAddresses } from "./warnings/overlapping-addresses.ts"
import { sharedWorkloadAddresses } from "./warnings/shared-workload-addresses.ts"

/** Proxies by the name that people know them by. */
export type NamedProxies = ReadonlyMap<string, Proxy>

/**
 * Applies a change to a copy of a control plane, which is of no use to anybody else afterwards, and says what it does to
 * services and to what proxies are sent. Other work is let in between.
 */
export const planChange = (
  copy: DetachedControlPlane,
  objects: ReadonlyArray<PlannedObject>,
  proxies: NamedProxies
): Effect.Effect<PlanAnswer> =>
  Effect.gen(function* () {
    const generator = edsGenerator(copy)
    const viewsBefore = new Map<string, ProxyView>()
    for (const [name, proxy] of proxies) viewsBefore.set(name, yield* viewOfProxy(copy, generator, proxy))
    const before = yield* findings(copy)
    const differences = applyChange(copy, objects)
    const services = servicePlans(differences)
    const affected: Array<ProxyPlan> = []
    for (const [name, proxy] of proxies) {
      const view = viewsBefore.get(name)
      const plan = view && proxyPlan(name, view, yield* viewOfProxy(copy, generator, proxy))
      if (plan !== undefined) affected.push(plan)
    }
    const found = yield* findings(copy)
    return {
      objects: objects.map(({ effect, object }) => ({ object, effect })),
      services,
      proxies: affected.toSorted((a, b) => compareText(a.proxy, b.proxy)),
      unaffectedProxies: proxies.size - affected.length,
      warnings: [
        ...lossWarnings(services),
        ...movedAddresses(differences.services),
        ...newFindings(before, found)
      ],
      lost: countLosses(services, affected)
    }
  })

const searches = [hostConflicts, overlappingAddresses, sharedWorkloadAddresses, emptySelectors, emptySubsets]

const findings = (plane: Searched): Effect.Effect<Findings> =>
  Effect.map(
    Effect.forEach(searches, (search) =>
      Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => search(plane))
      )
    ),
    (found) => new Map(found.flatMap((some) => [...some]))
  )
