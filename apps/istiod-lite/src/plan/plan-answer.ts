import { Schema } from "effect"
import { staleField } from "../tables/stale-lines.ts"

const Texts = Schema.Array(Schema.String)

/** What a change does to one object. `missing`: nothing to delete; `passed over`: its cluster is not the one that counts. */
export const ObjectEffect = Schema.Literals([
  "added",
  "changed",
  "unchanged",
  "deleted",
  "missing",
  "passed over"
])
export type ObjectEffect = typeof ObjectEffect.Type

/** What becomes of the members of a list, each named by a text. */
export const ListChanges = Schema.Struct({
  added: Texts,
  removed: Texts,
  /** with what changes: `10.8.2.11:8080 (cart-1): health HEALTHY → DRAINING` */
  changed: Texts
})
export type ListChanges = typeof ListChanges.Type

const Became = Schema.Literals(["added", "removed", "changed"])

/** What a change would do. */
export const PlanAnswer = Schema.Struct({
  ...staleField,
  objects: Schema.Array(Schema.Struct({ object: Schema.String, effect: ObjectEffect })),
  services: Schema.Array(
    Schema.Struct({
      /** `namespace/hostname` */
      service: Schema.String,
      became: Became,
      /** fields of its definition that differ */
      fields: Texts,
      /** endpoints that take new requests, before and after */
      usable: Schema.Tuple([Schema.Number, Schema.Number]),
      endpoints: ListChanges
    })
  ),
  proxies: Schema.Array(
    Schema.Struct({
      proxy: Schema.String,
      /** service ports that it serves itself */
      serves: ListChanges,
      clusters: Schema.Array(
        Schema.Struct({
          cluster: Schema.String,
          became: Became,
          /** endpoints that it is sent, before and after */
          sent: Schema.Tuple([Schema.Number, Schema.Number]),
          endpoints: ListChanges
        })
      )
    })
  ),
  /** proxies that were looked at, and see no difference */
  unaffectedProxies: Schema.Number,
  warnings: Schema.Array(Schema.Struct({ kind: Schema.String, text: Schema.String })),
  /** what goes: the reason for exit code 1 */
  lost: Schema.Struct({
    services: Schema.Number,
    /** over all services: those that went, or no longer take requests */
    endpoints: Schema.Number,
    /** over all proxies: clusters and endpoints that they are no longer sent, service ports that they no longer serve */
    views: Schema.Number
  })
})
export type PlanAnswer = typeof PlanAnswer.Type

/** One thing that a person should look at before the change is applied. */
export type Warning = PlanAnswer["warnings"][number]
/** What becomes of one service. */
export type ServicePlan = PlanAnswer["services"][number]
/** What becomes of one proxy's view. */
export type ProxyPlan = PlanAnswer["proxies"][number]
/** What becomes of one cluster in a proxy's view. */
export type ClusterPlan = ProxyPlan["clusters"][number]
