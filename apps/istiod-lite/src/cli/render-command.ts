import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { RenderAnswer } from "../tables/answers.ts"
import { renderTable } from "../tables/render-table.ts"
import { answer } from "./answer.ts"
import { queryFlags } from "./flags.ts"
import { readProxyChoice } from "./read-proxy-choice.ts"

const proxy = Flag.String("proxy").pipe(
  Flag.withMetavar("NAME|FILE"),
  Flag.withDescription(
    "NAME.NAMESPACE or NAMESPACE/NAME of a connected proxy, a pod or a WorkloadEntry; or a file that describes a proxy"
  )
)

export const renderCommand = Command.make("render", { ...queryFlags, proxy }, ({ proxy, ...options }) =>
  Effect.flatMap(readProxyChoice(proxy, options.configCluster), (choice) =>
    answer(options, (queries) => queries.render(choice), { schema: RenderAnswer, table: renderTable })
  )
).pipe(
  Command.withDescription(
    "Show the mesh as one proxy sees it: services, endpoints, and what it is not sent and why"
  ),
  Command.withExamples([
    {
      command: "istiod-lite render --proxy frontend-6d5f7b9c8-b4x2m.shop --manifests examples/shop",
      description: "What the sidecar of a pod would be sent"
    },
    {
      command: "istiod-lite render --proxy examples/proxies/edge.yaml -o json",
      description: "The same for a proxy that a file describes, from the control plane on this machine"
    }
  ])
)
