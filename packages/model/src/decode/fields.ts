import { noLabels, type Labels } from "../labels.ts"
import { similarName } from "../similar-name.ts"
import { type ObjectFault, type Severity, showValue } from "./fault.ts"

/** An object of JSON. */
export type Json = Readonly<Record<string, unknown>>

/** Where the faults of one object are collected, and the object's name in them. */
export interface FaultSink {
  readonly object: string
  readonly faults: Array<ObjectFault>
  /** false: nobody will ask for typing errors, so what was asked for is not remembered, which takes most of the time */
  readonly remembersFields?: boolean
}

export interface Range {
  readonly min: number
  readonly max: number
}

export const portRange: Range = { min: 1, max: 65_535 }
const uint32: Range = { min: 0, max: 4_294_967_295 }

/** Whether it is an object, neither a list nor null. */
export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const noFields: Json = {}

/** What is remembered of one level. */
interface Known {
  /** what decoders have asked for: the fields that are known here */
  readonly asked: Set<string>
  readonly nested: Map<string, Fields>
}

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null

/** Of one object: a manifest that is all wrong should not fill the log. */
const maxFaults = 50

const quoteRemedy = "write text, with numbers and true or false in quotes"

/**
 * The fields of one level of an object that a user wrote. Reading a field gives its value or its default, and notes
 * a fault with the field's path when it has the wrong form, so that one pass finds all faults of an object. What is
 * not read is not looked at: unknown fields do no harm, though `warnOfTypos` asks after those that are nearly called
 * like one that was read. `null` counts as absent, as in Kubernetes.
 */
export class Fields {
  readonly #values: Json
  readonly #parent: Fields | undefined
  /** name in the parent */
  readonly #name: string
  /** of an item of a list */
  readonly #index: number | undefined
  readonly #sink: FaultSink
  readonly #known: Known | undefined
  /** whether users choose the names, so that all are known */
  #isMap = false

  private constructor(values: Json, sink: FaultSink, parent?: Fields, name: string = "", index?: number) {
    this.#values = values
    this.#parent = parent
    this.#name = name
    this.#index = index
    this.#sink = sink
    this.#known = sink.remembersFields === false ? undefined : { asked: new Set(), nested: new Map() }
  }

  /** The whole object; anything but an object reads as an empty one, with a fault. */
  static root(value: unknown, sink: FaultSink): Fields {
    if (isJson(value)) return new Fields(value, sink)
    const empty = new Fields({}, sink)
    empty.#fault("error", "", "expected an object", "write `name: value` lines", showValue(value))
    return empty
  }

  get path(): string {
    if (this.#parent === undefined) return ""
    const item = this.#index === undefined ? "" : `[${this.#index}]`
    return `${this.#parent.#pathTo(this.#name)}${item}`
  }

  has(name: string): boolean {
    return !isAbsent(this.raw(name))
  }

  raw(name: string): unknown {
    this.#known?.asked.add(name)
    return this.#values[name]
  }

  /** All names, where users choose them. */
  names(): ReadonlyArray<string> {
    this.#isMap = true
    return Object.keys(this.#values)
  }

  /** Text, empty if it is absent. */
  text(name: string): string {
    return this.optionalText(name) ?? ""
  }

  optionalText(name: string): string | undefined {
    const value = this.raw(name)
    if (typeof value === "string") return value
    if (!isAbsent(value)) this.#fault("error", name, "expected text", quoteRemedy)
    return undefined
  }

  /** Text that must be there and not be empty. */
  requiredText(name: string, remedy: string): string {
    const value = this.text(name)
    if (value === "" && (!this.has(name) || this.#values[name] === "")) {
      this.#fault("error", name, "is required", remedy)
    }
    return value
  }

  /** A whole number within a range. Digits in quotes count too: protobuf's JSON form allows them. */
  integer<F>(name: string, range: Range, fallback: F): number | F {
    const value = this.raw(name)
    if (isAbsent(value)) return fallback
    const number = integerOf(value)
    if (number !== undefined && number >= range.min && number <= range.max) return number
    this.#fault("error", name, `expected ${range.min}..${range.max}`, "write a whole number in that range")
    return fallback
  }

  port<F>(name: string, fallback: F): number | F {
    return this.integer(name, portRange, fallback)
  }

  /** A port that must be there; 0 stands for a faulty one. */
  requiredPort(name: string): number {
    if (!this.has(name)) this.#fault("error", name, "is required", "give a port number, 1..65535")
    return this.port(name, 0)
  }

  uint32(name: string): number {
    return this.integer(name, uint32, 0)
  }

  flag(name: string): boolean | undefined {
    const value = this.raw(name)
    if (typeof value === "boolean") return value
    if (!isAbsent(value)) this.#fault("error", name, "expected true or false", "write it without quotes")
    return undefined
  }

  /** One of the names of an enumeration; absent or unspecified is the fallback. */
  oneOf<const T extends string, F>(name: string, allowed: ReadonlyArray<T>, fallback: F): T | F {
    const value = this.raw(name)
    if (isAbsent(value) || value === "") return fallback
    const known = allowed.find((candidate) => candidate === value)
    if (known !== undefined) return known
    const similar = typeof value === "string" ? similarName(value, allowed, 2) : undefined
    const remedy = similar === undefined ? "use one of these names" : `did you mean ${similar}?`
    this.#fault("error", name, `expected one of ${allowed.join(", ")}`, remedy)
    return fallback
  }

  /** Labels, annotations, or another map of texts. */
  labels(name: string): Labels {
    const value = this.#mapping(name)
    if (value === undefined) return noLabels
    const faulty = Object.keys(value).filter((key) => typeof value[key] !== "string")
    for (const key of faulty) {
      const where = `${name}[${JSON.stringify(key)}]`
      this.#fault("error", where, "expected text", quoteRemedy, showValue(value[key]))
    }
    const texts = Object.entries(value).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string"
    )
    return texts.length === 0 ? noLabels : Object.fromEntries(texts)
  }

  /** A map of names to whole numbers. */
  numbers(name: string, range: Range): Readonly<Record<string, number>> {
    const fields = this.optional(name)
    if (fields === undefined) return {}
    return Object.fromEntries(fields.names().map((key) => [key, fields.integer(key, range, 0)]))
  }

  texts(name: string): ReadonlyArray<string> {
    const values = this.#sequence(name)
    values.forEach((value, i) => {
      if (typeof value !== "string") this.#fault("error", `${name}[${i}]`, "expected text", quoteRemedy)
    })
    return values.filter((value) => typeof value === "string")
  }

  /** The fields of a nested object, empty if it is absent. */
  at(name: string): Fields {
    return this.#nestedAt(this.#mapping(name) ?? noFields, name)
  }

  /** The same, undefined if it is absent. */
  optional(name: string): Fields | undefined {
    return this.has(name) ? this.at(name) : undefined
  }

  /** The fields of each object of a list; absent is empty. */
  list(name: string): ReadonlyArray<Fields> {
    return this.#sequence(name).flatMap((value, i) => this.#item(value, name, i))
  }

  /**
   * The objects of a list, decoded; absent is empty. Those of which something is `known` are not looked at, unless their
   * typing errors matter.
   */
  decodeList<A>(
    name: string,
    decode: (fields: Fields) => A,
    known: (value: Json) => A | undefined
  ): ReadonlyArray<A> {
    if (this.#known !== undefined) return this.list(name).map(decode)
    return this.#sequence(name).flatMap((value, i) => {
      const kept = isJson(value) ? known(value) : undefined
      return kept === undefined ? this.#item(value, name, i).map(decode) : [kept]
    })
  }

  /** Notes that the object cannot be used because of this field; an empty name means this level itself. */
  fail(name: string, reason: string, remedy: string): void {
    this.#fault("error", name, reason, remedy)
  }

  /** Notes something doubtful that does not keep the object from being used. */
  warn(name: string, reason: string, remedy: string): void {
    this.#fault("warning", name, reason, remedy)
  }

  /**
   * Warns of fields, on this level and below, that nothing has asked for and whose names differ from a field that was
   * asked for, and is not there, by capitals or one typing error. Call it when all that is known has been asked for.
   */
  warnOfTypos(): void {
    if (this.#known === undefined) return
    const { asked, nested } = this.#known
    const known = [...asked].filter((name) => isAbsent(this.#values[name]))
    const others = this.#isMap || known.length === 0 ? [] : Object.keys(this.#values)
    for (const name of others) {
      if (asked.has(name) || isAbsent(this.#values[name])) continue
      const similar = similarName(name, known, 1)
      if (similar !== undefined) this.#fault("warning", name, "unknown field", `did you mean ${similar}?`, "")
    }
    for (const fields of nested.values()) fields.warnOfTypos()
  }

  #item(value: unknown, name: string, index: number): ReadonlyArray<Fields> {
    if (isJson(value)) return [this.#nestedAt(value, name, index)]
    this.#fault("error", `${name}[${index}]`, "expected an object", "write `name: value` lines")
    return []
  }

  /** One view for each place, so that it knows all that was asked for there. */
  #nestedAt(values: Json, name: string, index?: number): Fields {
    if (this.#known === undefined) return new Fields(values, this.#sink, this, name, index)
    const place = index === undefined ? name : `${name}[${index}]`
    const known = this.#known.nested.get(place)
    if (known !== undefined) return known
    const fields = new Fields(values, this.#sink, this, name, index)
    this.#known.nested.set(place, fields)
    return fields
  }

  /** What a fault's name points at: a field, or one item of a list (`hosts[2]`). */
  #valueAt(name: string): unknown {
    const item = /^(.+)\[(\d+)\]$/.exec(name)
    if (item === null) return this.#values[name]
    const list = this.#values[item[1] ?? ""]
    return Array.isArray(list) ? list[Number(item[2])] : undefined
  }

  #mapping(name: string): Json | undefined {
    const value = this.raw(name)
    if (isAbsent(value)) return undefined
    if (isJson(value)) return value
    this.#fault("error", name, "expected an object", "write `name: value` lines below it")
    return undefined
  }

  #sequence(name: string): ReadonlyArray<unknown> {
    const value = this.raw(name)
    if (isAbsent(value)) return []
    if (Array.isArray(value)) return value
    this.#fault("error", name, "expected a list", "write its items as `- …` lines")
    return []
  }

  #pathTo(name: string): string {
    return this.#parent === undefined ? name : `${this.path}.${name}`
  }

  #fault(severity: Severity, name: string, reason: string, remedy: string, received?: string): void {
    const { faults, object } = this.#sink
    if (faults.length >= maxFaults) return
    const path = name === "" ? this.path : this.#pathTo(name)
    const shown = received ?? (name === "" ? "" : showValue(this.#valueAt(name)))
    faults.push({ object, path, reason, received: shown, remedy, severity })
  }
}

const integerOf = (value: unknown): number | undefined => {
  const number = typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : value
  return typeof number === "number" && Number.isSafeInteger(number) ? number : undefined
}
