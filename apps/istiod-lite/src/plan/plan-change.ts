import { compareText, type Proxy } from "@istiod-lite/model"
import { edsGenerator } from "@istiod-lite/xds-eds"
import { Effect } from "effect"
import type { DetachedControlPlane } from "../compose/compose-from-inputs.ts"
import { applyChange } from "./apply-change.ts"
import type { PlanAnswer } from "./plan-answer.ts"
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
 * services and to what proxies are sent. Other work is let in between proxies.
 */
export const planChange = (
  copy: DetachedControlPlane,
  objects: ReadonlyArray<PlannedObject>,
  proxies: NamedProxies
): Effect.Effect<PlanAnswer> =>
  Effect.gen(function* () {
    const generator = edsGenerator(copy)
    const viewsBefore = new Map<string, ProxyView>()
    for (const [name, proxy] of proxies) {
      viewsBefore.set(name, viewOfProxy(copy, generator, proxy))
      yield* Effect.yieldNow
    }
    const before = findings(copy)
    const differences = applyChange(copy, objects)
    const services = servicePlans(differences)
    const affected = []
    for (const [name, view] of viewsBefore) {
      const proxy = proxies.get(name)
      const plan = proxy && proxyPlan(name, view, viewOfProxy(copy, generator, proxy))
      if (plan !== undefined) affected.push(plan)
      yield* Effect.yieldNow
    }
    return {
      objects: objects.map(({ effect, object }) => ({ object, effect })),
      services,
      proxies: affected.toSorted((a, b) => compareText(a.proxy, b.proxy)),
      unaffectedProxies: proxies.size - affected.length,
      warnings: [
        ...lossWarnings(services),
        ...movedAddresses(differences.services),
        ...newFindings(before, findings(copy))
      ],
      lost: countLosses(services, affected)
    }
  })

const findings = (plane: Searched): Findings =>
  new Map(
    [hostConflicts, overlappingAddresses, sharedWorkloadAddresses, emptySelectors, emptySubsets].flatMap(
      (search) => [...search(plane)]
    )
  )
