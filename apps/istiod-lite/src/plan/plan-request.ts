import { Schema } from "effect"

/** A node as proxies describe themselves (`NodeIdentity`). */
export const Node = Schema.Struct({
  id: Schema.String,
  metadata: Schema.Record(Schema.String, Schema.Unknown),
  locality: Schema.optional(
    Schema.Struct({
      region: Schema.optionalKey(Schema.String),
      zone: Schema.optionalKey(Schema.String),
      subZone: Schema.optionalKey(Schema.String)
    })
  )
})

/** What is to be planned: the body of `POST /api/v1/plan`. */
export const PlanRequest = Schema.Struct({
  /** YAML or JSON, any number of documents */
  manifests: Schema.String,
  /** whether the objects are to be deleted rather than applied; default: applied */
  deletes: Schema.optionalKey(Schema.Boolean),
  /** the cluster whose objects they are; default: the configuration cluster */
  cluster: Schema.optionalKey(Schema.String),
  /** whose views are compared; default: of all connected proxies */
  proxies: Schema.optionalKey(
    Schema.Array(Schema.Union([Schema.Struct({ name: Schema.String }), Schema.Struct({ node: Node })]))
  )
})
export type PlanRequest = typeof PlanRequest.Type
