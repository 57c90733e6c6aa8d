import { counted } from "../tables/table.ts"
import { momentText } from "./moment.ts"
import type { RecordingIndex } from "./recording-index.ts"
import type { Damage } from "./transaction-assembler.ts"

/** How much a recording holds, and from when to when. */
export const recordingText = ({ marks, path }: RecordingIndex): string => {
  const runs = marks.filter(({ startsRun }) => startsRun).length
  const [first] = marks
  const last = marks.at(-1) ?? first
  const span = `${momentText(first.time)} to ${momentText(last.time)}`
  return `${path}: ${counted(marks.length, "transaction")} of ${counted(runs, "run")}, ${span}`
}

/** What of a recording cannot be used, and what that means. */
export const damageText = ({ at, bytes, isTail }: Damage): string =>
  isTail
    ? `its last ${counted(bytes, "byte")}, from byte ${at}, are no whole transaction and are left out`
    : `${counted(bytes, "byte")} from byte ${at}, up to the next start, are no whole transactions and are left out`
