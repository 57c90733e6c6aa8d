import type { AdsObserver, StreamName } from "./observer.ts"
import { printable } from "./printable.ts"

/** One line for the log. */
export interface ActivityLine {
  readonly level: "Info" | "Warn" | "Error"
  readonly message: string
}

/** How many different messages of one kind are told apart between two reports. */
const distinctMessages = 20

/** Counts equal messages, and only so many different ones: clients choose them. */
class Tally {
  private readonly counts = new Map<string, { readonly first: StreamName; count: number }>()
  private others = 0

  add(message: string, stream: StreamName): void {
    const known = this.counts.get(message)
    if (known !== undefined) known.count++
    else if (this.counts.size < distinctMessages) this.counts.set(message, { first: stream, count: 1 })
    else this.others++
  }

  /** One line per message, with who was the first and how many more there were. */
  take(level: ActivityLine["level"]): ReadonlyArray<ActivityLine> {
    const lines = [...this.counts].map(([message, { count, first }]) => ({
      level,
      message: `${message} (${nameOf(first)}${count > 1 ? `, and ${count - 1} more times` : ""})`
    }))
    if (this.others > 0) lines.push({ level, message: `… and ${this.others} more of other kinds` })
    this.counts.clear()
    this.others = 0
    return lines
  }
}

const nameOf = ({ node, peer }: StreamName): string => (node === "" ? peer : `${printable(node)} at ${peer}`)

/**
 * Counts what happens, so that the log says once what happened a thousand times. `take` gives the lines since the
 * last time; `onFirst` is called when there is something to tell again.
 */
export class Activity implements AdsObserver {
  private opens = 0
  private closes = 0
  private open = 0
  private quiet = true
  private readonly refusals = new Tally()
  private readonly unknown = new Tally()
  private readonly rejections = new Tally()
  private readonly failures = new Tally()
  private readonly onFirst: () => void

  constructor(onFirst: () => void) {
    this.onFirst = onFirst
  }

  opened(): void {
    this.opens++
    this.open++
    this.noteSomething()
  }

  closed(): void {
    this.closes++
    this.open--
    this.noteSomething()
  }

  refused(stream: StreamName, typeUrl: string, message: string): void {
    this.refusals.add(`Client refused ${typeUrl}: ${printable(message)}`, stream)
    this.noteSomething()
  }

  unknownType(stream: StreamName, typeUrl: string): void {
    this.unknown.add(`Client asked for a type that is not served: ${printable(typeUrl)}`, stream)
    this.noteSomething()
  }

  rejected(stream: StreamName, { details }: { readonly details: string }): void {
    this.rejections.add(`Stream ended: ${printable(details)}`, stream)
    this.noteSomething()
  }

  generatorFailed(stream: StreamName, typeUrl: string, cause: unknown): void {
    const reason = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
    this.failures.add(`Cannot generate ${typeUrl}, clients keep what they have: ${reason}`, stream)
    this.noteSomething()
  }

  received(): void {}
  sent(): void {}
  converged(): void {}
  acknowledged(): void {}
  pushed(): void {}

  /** The lines since the last call. */
  take(): ReadonlyArray<ActivityLine> {
    this.quiet = true
    const streams: ReadonlyArray<ActivityLine> =
      this.opens + this.closes === 0
        ? []
        : [
            {
              level: "Info",
              message: `xDS streams: ${this.opens} opened, ${this.closes} closed, ${this.open} open`
            }
          ]
    this.opens = 0
    this.closes = 0
    return [
      ...streams,
      ...this.unknown.take("Warn"),
      ...this.rejections.take("Warn"),
      ...this.refusals.take("Warn"),
      ...this.failures.take("Error")
    ]
  }

  private noteSomething(): void {
    if (!this.quiet) return
    this.quiet = false
    this.onFirst()
  }
}
