import type { NodeIdentity } from "@istiod-lite/model"
import { Effect, Schema } from "effect"
import { Node } from "../plan/plan-request.ts"
import type { ProxyChoice } from "./queries.ts"
import { readProxyName } from "./proxy-name.ts"
import { WrongUse } from "./query-error.ts"

const NodeText = Schema.fromJsonString(Node)

/** The parameters by which a URL says whose view is meant. */
export const choiceParameters = (choice: ProxyChoice): Readonly<Record<string, string>> =>
  "name" in choice ? { proxy: choice.name } : { node: JSON.stringify(choice.node) }

/** Whose view a URL means: `?proxy=NAME.NAMESPACE` or `?node=JSON`; undefined if it does not say. */
export const readOptionalChoice = (
  query: URLSearchParams
): Effect.Effect<ProxyChoice | undefined, WrongUse> => {
  const name = query.get("proxy")
  const node = query.get("node")
  if (name !== null) return Effect.succeed({ name: readProxyName(name) })
  if (node === null) return Effect.undefined
  return Schema.decodeEffect(NodeText)(node).pipe(
    Effect.map((read): { readonly node: NodeIdentity } => ({ node: read })),
    Effect.mapError(({ message }) => new WrongUse({ message: `node: ${message}` }))
  )
}

/** The same where it has to say. */
export const readChoice = (query: URLSearchParams): Effect.Effect<ProxyChoice, WrongUse> =>
  Effect.flatMap(readOptionalChoice(query), (choice) =>
    choice === undefined
      ? Effect.fail(new WrongUse({ message: "Say whose view: ?proxy=NAME.NAMESPACE or ?node=JSON" }))
      : Effect.succeed(choice)
  )
