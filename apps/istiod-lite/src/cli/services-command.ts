import { Command } from "effect/cli"
import { ServicesAnswer } from "../tables/answers.ts"
import { servicesTable } from "../tables/services-table.ts"
import { answer } from "./answer.ts"
import { queryFlags } from "./flags.ts"
import { missingNotes } from "./missing-notes.ts"

export const servicesCommand = Command.make("services", queryFlags, (options) =>
  answer(
    options,
    (queries) => queries.services,
    { schema: ServicesAnswer, table: servicesTable },
    { notes: missingNotes }
  )
).pipe(
  Command.withDescription("List all services, merged over registries and clusters"),
  Command.withExamples([
    {
      command: "istiod-lite services --manifests examples/shop",
      description: "The services that files declare"
    },
    { command: "istiod-lite services -o json", description: "Those of the control plane on this machine" }
  ])
)
