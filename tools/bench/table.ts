import { type Figure, ratioToTarget } from "./figure.ts"

/** A number as people read it: three digits, or a whole number. */
export const short = (value: number): string =>
  Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(3)))

/** Rows as aligned text; the columns named in `right` end below each other. */
export const textTable = (
  rows: ReadonlyArray<ReadonlyArray<string>>,
  right: ReadonlyArray<number> = []
): string => {
  const width = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0))
  const cell = (text: string, column: number): string =>
    right.includes(column) ? text.padStart(width(column)) : text.padEnd(width(column))
  return rows.map((row) => row.map(cell).join("  ").trimEnd()).join("\n")
}

const rowOf = (figure: Figure): ReadonlyArray<string> => {
  const ratio = ratioToTarget(figure)
  return [
    figure.name,
    short(figure.value),
    figure.unit,
    figure.target ?? "",
    ratio === undefined ? "" : `${short(ratio)}×`
  ]
}

/** Figures as aligned text, with the ratio to the target: above 1× is better than it. */
export const figureTable = (figures: ReadonlyArray<Figure>): string =>
  textTable([["figure", "value", "unit", "target", "ratio"], ...figures.map(rowOf)], [1, 4])
