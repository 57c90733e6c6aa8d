import { Registries, WorkloadExchange, type XdsGenerator } from "@istiod-lite/model"
import { endpointTypeUrl } from "@istiod-lite/xds-proto"
import { Context, Effect, type Scope } from "effect"
import { composeFromInputs, type DetachedControlPlane } from "../compose/compose-from-inputs.ts"
import { fillInPortions } from "../compose/copy-control-plane.ts"
import { copyForeignRegistries } from "../compose/foreign-registries.ts"
import { type InputChanges, type Inputs, makeInputs, noInputChanges } from "../compose/inputs.ts"
import type { Discovery } from "../compose/layer-discovery.ts"
import {
  defaultRegistries,
  type GeneratorPlugin,
  type Plugins,
  type RegistryPlugin
} from "../compose/plugins.ts"
import { defaultGenerators } from "../serve/layer-xds.ts"

/** The control plane that runs, as the audit sees it. */
export interface Running {
  readonly inputs: Inputs
  readonly context: Context.Context<Discovery>
  readonly registries: ReadonlyArray<RegistryPlugin>
  /** what makes the endpoints that are served */
  readonly endpoints: GeneratorPlugin
}

/** A control plane that was made anew, and what was noted at the moment whose inputs it has. */
export interface Rebuilt<A> {
  readonly plane: DetachedControlPlane
  readonly noted: A
}

/** The control plane that is made of `plugins`; undefined if it serves no endpoints. */
export const makeRunning = ({
  generators = defaultGenerators,
  registries
}: Plugins): Effect.Effect<Running | undefined, never, Discovery> =>
  Effect.gen(function* () {
    const made = yield* Effect.all(generators)
    const endpoints = generators[made.findIndex(({ typeUrl }) => typeUrl === endpointTypeUrl)]
    const inputs = yield* makeInputs
    const context = yield* Effect.context<Discovery>()
    // Other registries may be more than a function of objects: they are copied as they stand.
    const ours = registries.filter((registry) => defaultRegistries.includes(registry))
    return endpoints && { inputs, context, registries: ours, endpoints }
  })

/**
 * Composes the control plane anew over inputs of one moment; it lives as long as the scope.
 *
 * @param take reads the inputs; what it notes beside them is of the same moment
 */
export const rebuild = <A>(
  { context, inputs, registries }: Running,
  take: () => { readonly inputs: InputChanges; readonly noted: A }
): Effect.Effect<Rebuilt<A>, Error, Scope.Scope> =>
  Effect.gen(function* () {
    const { configCluster } = inputs.source
    const plane = yield* composeFromInputs({
      configCluster,
      allocates: inputs.statuses !== undefined,
      registries
    })
    const taken = take()
    // Clusters first: whose registries come of them is not foreign.
    plane.inputs.apply({ ...noInputChanges, clusters: taken.inputs.clusters })
    copyForeignRegistries(
      { registries: Context.get(context, Registries), workloads: Context.get(context, WorkloadExchange) },
      plane,
      // Of a cluster whose objects are read, they are computed from these.
      (_, { cluster }) => cluster !== configCluster && inputs.source.clusters.get(cluster) === undefined
    )
    yield* fillInPortions(plane, taken.inputs)
    return { plane, noted: taken.noted }
  })

/** A generator of endpoints over one of the two, with nothing kept from before. */
export const freshGenerator = (
  { endpoints }: Running,
  context: Context.Context<Discovery>
): Effect.Effect<XdsGenerator> => Effect.provideContext(endpoints, context)
