import type { MachinesAnswer } from "./answers.ts"
import { table } from "./table.ts"

/** Machines, and below them those that were refused. */
export const machinesTable = ({ machines, refused }: typeof MachinesAnswer.Type): string =>
  [machinesText(machines), ...(refused.length === 0 ? [] : ["", refusedText(refused)])].join("\n")

const machinesText = (machines: (typeof MachinesAnswer.Type)["machines"]): string =>
  machines.length === 0
    ? "No machines."
    : table(
        ["MACHINE", "ADDRESS", "REGISTERED BY", "CONNECTION", "REPLICA", "HEALTH", "SINCE", "NOTES"],
        machines.map((machine) => [
          `${machine.namespace}/${machine.name}`,
          machine.address,
          machine.registeredBy,
          machine.connection,
          machine.replica ?? "",
          machine.checkedBy === undefined ? machine.health : `${machine.health} (by ${machine.checkedBy})`,
          machine.since ?? "",
          [
            ...(machine.draining === true ? ["draining"] : []),
            ...(machine.expires === undefined ? [] : [`expires ${machine.expires}`]),
            ...(machine.identity === undefined ? [] : [machine.identity])
          ].join(", ")
        ])
      )

const refusedText = (refused: (typeof MachinesAnswer.Type)["refused"]): string =>
  table(
    ["REFUSED", "FROM", "TIMES", "LAST", "REASON"],
    refused.map(({ at, node, peer, reason, times }) => [node, peer, String(times), at, reason])
  )
