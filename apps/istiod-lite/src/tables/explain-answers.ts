/** What the texts of `explain` read of its answers. */
import { Schema } from "effect"
import { staleField } from "./stale-lines.ts"

const Text = Schema.optionalKey(Schema.String)

const Finding = Schema.Struct({ stage: Schema.String, rule: Text, because: Schema.String, remedy: Text })
export type Finding = typeof Finding.Type

const Step = Schema.Struct({ stage: Schema.String, outcome: Schema.String, text: Schema.String, rule: Text })
export type Step = typeof Step.Type

const Explanation = Schema.Struct({
  address: Text,
  service: Text,
  client: Text,
  outcome: Schema.String,
  droppedBy: Schema.Array(Finding),
  chain: Schema.Array(Step),
  madeFrom: Schema.optionalKey(Schema.Array(Schema.String))
})
export type Explanation = typeof Explanation.Type

const NearMiss = Schema.Struct({
  object: Schema.String,
  addresses: Schema.Array(Schema.String),
  droppedBy: Schema.Array(Finding)
})
export type NearMiss = typeof NearMiss.Type

const Conflict = Schema.Struct({
  kind: Schema.String,
  subject: Schema.String,
  claimants: Schema.Array(Schema.String),
  winner: Text,
  rule: Text,
  because: Schema.String,
  remedy: Text
})
export type Conflict = typeof Conflict.Type

export const EndpointAnswer = Schema.Struct({ endpoints: Schema.Array(Explanation), ...staleField })

export const ServiceAnswer = Schema.Struct({
  ...staleField,
  client: Text,
  services: Schema.Array(
    Schema.Struct({
      hostname: Schema.String,
      claims: Schema.Array(
        Schema.Struct({
          object: Schema.String,
          outcome: Schema.String,
          rule: Schema.String,
          because: Schema.String
        })
      ),
      findings: Schema.Array(Finding),
      endpoints: Schema.Array(Explanation),
      // Servers before it had them answer without.
      nearMisses: Schema.optionalKey(Schema.Array(NearMiss))
    })
  )
})

export const AddressAnswer = Schema.Struct({
  ...staleField,
  address: Schema.String,
  uses: Schema.Array(Schema.Struct({ as: Schema.String, object: Schema.String, detail: Schema.String })),
  conflicts: Schema.Array(Conflict),
  endpoints: Schema.Array(Explanation)
})

export const ConflictsAnswer = Schema.Struct({ conflicts: Schema.Array(Conflict), ...staleField })
