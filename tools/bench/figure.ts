/** One measured number. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** The value to beat: a number, perhaps with a remark behind it. */
  readonly target?: string
  /** Which way is better; "lower" unless told. */
  readonly better?: "lower" | "higher"
}

/** How much better than its target a figure is: 2 is twice as good, 0.5 half as good, undefined without a target. */
export const ratioToTarget = ({ better = "lower", target, value }: Figure): number | undefined => {
  const aim = Number.parseFloat(target ?? "")
  if (Number.isNaN(aim)) return undefined
  return better === "lower" ? aim / value : value / aim
}
