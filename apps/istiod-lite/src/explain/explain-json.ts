import { compact, type Json, type JsonRecord } from "@istiod-lite/registry-aggregate"
import type { Conflict } from "./conflict.ts"
import type { AddressExplanation } from "./explain-address.ts"
import type { ServiceExplanation } from "./explain-service.ts"
import { type Explanation, isDrop, type Step } from "./explanation.ts"

const stepJson = ({ outcome, remedy, rule, stage, text }: Step): JsonRecord =>
  compact({ stage, outcome, text, rule, remedy })

/** A step that stands for itself, outside of a chain. */
const findingJson = ({ remedy, rule, stage, text }: Step): JsonRecord =>
  compact({ stage, rule, because: text, remedy })

/** An explanation; `droppedBy` has every cause, first things first, and is empty for what is sent. */
export const explanationJson = ({
  address,
  chain,
  client,
  madeFrom,
  outcome,
  service
}: Explanation): JsonRecord => ({
  ...compact({ address, service, client }),
  outcome,
  droppedBy: chain.filter(isDrop).map(findingJson),
  chain: chain.map(stepJson),
  ...compact({ madeFrom })
})

export const conflictJson = ({
  because,
  claimants,
  kind,
  remedy,
  rule,
  subject,
  winner
}: Conflict): JsonRecord => compact({ kind, subject, claimants, winner, rule, because, remedy })

export const serviceExplanationJson = ({
  claims,
  endpoints,
  findings,
  hostname,
  nearMisses
}: ServiceExplanation): JsonRecord => ({
  hostname,
  claims: claims.map(({ because, object, outcome, rule }) => ({ object, outcome, rule, because })),
  findings: findings.map(findingJson),
  endpoints: endpoints.map(explanationJson),
  nearMisses: nearMisses.map(({ addresses, causes, object }) => ({
    object,
    addresses,
    droppedBy: causes.map(findingJson)
  }))
})

export const addressExplanationJson = ({
  address,
  conflicts,
  endpoints,
  uses
}: AddressExplanation): Json => ({
  address,
  uses: uses.map(({ as, detail, object }) => ({ as, object, detail })),
  conflicts: conflicts.map(conflictJson),
  endpoints: endpoints.map(explanationJson)
})
