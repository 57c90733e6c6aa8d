import { Data } from "effect"

/** A scenario that cannot be read or run: its files are at fault, not the control plane. */
export class ScenarioError extends Data.TaggedError("ScenarioError")<{
  readonly scenario: string
  readonly reason: string
}> {
  override get message(): string {
    return `Cannot run scenario ${this.scenario}: ${this.reason}`
  }
}
