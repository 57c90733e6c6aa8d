import { parseProxy } from "@istiod-lite/model"
import { type ControlPlaneOptions, layerControlPlane, MemorySource } from "@istiod-lite/testkit"
import { Context, Effect, Layer, type Scope } from "effect"
import type { Client } from "../explain/clients.ts"
import { type ExplainContext, explainContext } from "../explain/explain-context.ts"
import { explainEndpoint } from "../explain/explain-endpoint.ts"
import { makeExplainSources } from "../explain/explain-sources.ts"
import { type Explanation, isDrop, type Step } from "../explain/explanation.ts"
import { readSubject } from "../explain/subject.ts"

/** A control plane in memory whose answers are explained. */
export interface ExplainedPlane {
  readonly apply: (...objects: ReadonlyArray<unknown>) => void
  readonly applyTo: (cluster: string, ...objects: ReadonlyArray<unknown>) => void
  readonly delete: (object: unknown) => void
  /** sees later changes only if it is asked for anew */
  readonly context: () => ExplainContext
  readonly explain: (subject: string, client?: Client) => ReadonlyArray<Explanation>
}

/** The real composition with these objects of the configuration cluster. */
export const explainedPlane = (
  objects: ReadonlyArray<unknown>,
  options: ControlPlaneOptions = {}
): Effect.Effect<ExplainedPlane, never, Scope.Scope> =>
  Effect.gen(function* () {
    const services = yield* Layer.build(layerControlPlane(options))
    const source = Context.get(services, MemorySource)
    const sources = yield* makeExplainSources(() => []).pipe(Effect.provide(services))
    const applyTo: ExplainedPlane["applyTo"] = (cluster, ...objects) =>
      source.transaction(() => objects.forEach((object) => source.apply(cluster, object)))
    applyTo(home, ...objects)
    const context = () => explainContext(sources)
    return {
      apply: (...objects) => applyTo(home, ...objects),
      applyTo,
      delete: (object) => source.delete(home, object),
      context,
      explain: (subject, client) => explainEndpoint(context(), readSubject(subject), client)
    }
  })

const home = "Kubernetes"

/** A sidecar that asks. */
export const clientOf = (
  name: string,
  namespace: string,
  metadata: Readonly<Record<string, string>> = {}
): Client => ({
  name: `${name}.${namespace}`,
  proxy: parseProxy({
    id: `sidecar~198.51.100.190~${name}.${namespace}~${namespace}.svc.cluster.local`,
    metadata: { CLUSTER_ID: home, ...metadata }
  }),
  connection: undefined,
  named: true
})

/** What keeps the endpoint from the client, first things first. */
export const causes = ({ chain }: Explanation): ReadonlyArray<Step> => chain.filter(isDrop)
