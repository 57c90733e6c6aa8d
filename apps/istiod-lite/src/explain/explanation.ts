/** The stations on the way from an object to a client, in the order in which an explanation tells them. */
export const stages = [
  "source",
  "workload",
  "service",
  "slices",
  "port name",
  "health",
  "network",
  "visibility",
  "cluster",
  "client",
  "stream"
] as const
export type Stage = (typeof stages)[number]

/** One station: what was found there. */
export interface Step {
  readonly stage: Stage
  /** `drop`: here the endpoint is lost to the client, or of no use to it */
  readonly outcome: "pass" | "note" | "drop"
  readonly text: string
  /** the rule that decided, as the semantics number it; always there when dropped */
  readonly rule?: string
  /** what to change, in which object and field; always there when dropped */
  readonly remedy?: string
}

/** `not usable`: the client is told of it, with a health that keeps requests away, or has refused to be told. */
export type Outcome = "sent" | "partly sent" | "not usable" | "not sent"

/** What became of one endpoint, or of something that might have been one. */
export interface Explanation {
  /** `10.20.0.2:8080`; without port where nothing says which; empty if there is no address */
  readonly address: string
  /** hostname of the service that it is an endpoint of; undefined if of none */
  readonly service: string | undefined
  /** as whom it was looked at; undefined where that does not matter */
  readonly client: string | undefined
  readonly outcome: Outcome
  /** in the order of `stages` */
  readonly chain: ReadonlyArray<Step>
  /** where it was asked for: the objects that were read to derive it, by the graph's own account: `Pod shop/cart-1`, `Node n1 (not there)` */
  readonly madeFrom?: ReadonlyArray<string>
}

export const pass = (stage: Stage, text: string): Step => ({ stage, outcome: "pass", text })
export const note = (stage: Stage, text: string): Step => ({ stage, outcome: "note", text })
export const drop = (stage: Stage, rule: string, text: string, remedy: string): Step => ({
  stage,
  outcome: "drop",
  text,
  rule,
  remedy
})

export const isDrop = ({ outcome }: Step): boolean => outcome === "drop"

/** The steps in the order of the stations; steps of one station stay as they are. */
export const inOrder = (steps: ReadonlyArray<Step>): ReadonlyArray<Step> =>
  steps.toSorted((a, b) => stages.indexOf(a.stage) - stages.indexOf(b.stage))

/** An explanation of something that never became an endpoint. */
export const notSent = (
  address: string,
  service: string | undefined,
  steps: ReadonlyArray<Step>
): Explanation => ({
  address,
  service,
  client: undefined,
  outcome: "not sent",
  chain: inOrder(steps)
})
