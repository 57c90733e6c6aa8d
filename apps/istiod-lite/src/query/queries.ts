import type { NodeIdentity } from "@istiod-lite/model"
import type { Json } from "@istiod-lite/registry-aggregate"
import { Context, type Effect } from "effect"
import type { ExplainQuestion } from "../explain/question.ts"
import type { PlanRequest } from "../plan/plan-request.ts"
import type { QueryError } from "./query-error.ts"

/** A host and, if it matters, one port of it. */
export interface HostPort {
  /** a full hostname, or enough of its beginning: `cart`, `cart.shop` */
  readonly host: string
  readonly port: number | undefined
}

/** Whose view is asked for: a connected proxy or a workload by `name.namespace`, or a proxy as its node describes it. */
export type ProxyChoice = { readonly name: string } | { readonly node: NodeIdentity }

/**
 * What can be asked of a control plane, in the form in which people and scripts get the answers: in this process, or
 * of a running server.
 */
export class Queries extends Context.Service<
  Queries,
  {
    readonly services: Effect.Effect<Json, QueryError>
    readonly endpoints: (of: HostPort | undefined) => Effect.Effect<Json, QueryError>
    /** what a proxy is told, and what it is not told and why */
    readonly render: (proxy: ProxyChoice) => Effect.Effect<Json, QueryError>
    /** why something is as it is: the rule that decided, and what would change it */
    readonly explain: (question: ExplainQuestion) => Effect.Effect<Json, QueryError>
    /** the connected proxies */
    readonly proxies: Effect.Effect<Json, QueryError>
    readonly clusters: Effect.Effect<Json, QueryError>
    /** the machines of the mesh: who registered them, where they are connected, how they are, who was refused */
    readonly machines: Effect.Effect<Json, QueryError>
    /** what a change would do; it is not applied */
    readonly plan: (change: PlanRequest) => Effect.Effect<Json, QueryError>
  }
>()("@istiod-lite/app/Queries") {}
