import { Effect } from "effect"
import type { ExplainQuestion } from "../explain/question.ts"
import { choiceParameters, readOptionalChoice } from "./choice-parameters.ts"
import { readHostPort } from "./read-host-port.ts"
import { WrongUse } from "./query-error.ts"

/** The parameters by which a URL asks a question: `?endpoint=`, `?service=`, `?address=` or `?conflicts`, with a proxy. */
export const explainParameters = (question: ExplainQuestion): Readonly<Record<string, string>> => {
  if (question.about === "conflicts") return { conflicts: "" }
  if (question.about === "address") return { address: question.address }
  const about: Readonly<Record<string, string>> =
    question.about === "endpoint"
      ? { endpoint: question.subject }
      : {
          service: [
            question.host.host,
            ...(question.host.port === undefined ? [] : [question.host.port])
          ].join(":")
        }
  return { ...about, ...(question.client === undefined ? {} : choiceParameters(question.client)) }
}

/** The question that a URL asks. */
export const readExplainQuestion = (query: URLSearchParams): Effect.Effect<ExplainQuestion, WrongUse> => {
  const subject = query.get("endpoint")
  const host = query.get("service")
  const address = query.get("address")
  if (subject !== null)
    return Effect.map(readOptionalChoice(query), (client) => ({ about: "endpoint", subject, client }))
  if (host !== null)
    return Effect.map(readOptionalChoice(query), (client) => ({
      about: "service",
      host: readHostPort(host),
      client
    }))
  if (address !== null) return Effect.succeed({ about: "address", address })
  if (query.has("conflicts")) return Effect.succeed({ about: "conflicts" })
  const message = "Say what to explain: ?endpoint=IP[:PORT], ?service=HOST[:PORT], ?address=IP or ?conflicts"
  return Effect.fail(new WrongUse({ message }))
}
