/**
 * Fails when a symbol that a package exports through mod.ts has no doc comment where it is declared.
 * Generated code (`src/gen/`) is not judged.
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { parseSync } from "rolldown/utils"

type Program = ReturnType<typeof parseSync>["program"]
type Statement = Program["body"][number]
type Declaration = Extract<Statement, { readonly type: "ExportNamedDeclaration" }>["declaration"]

interface Source {
  readonly text: string
  readonly program: Program
  /** Where doc comments end. */
  readonly docEnds: ReadonlyArray<number>
}

const read = (path: string): Source => {
  const text = readFileSync(path, "utf8")
  const { comments, program } = parseSync(path, text)
  const docs = comments.filter(({ type, value }) => type === "Block" && value.startsWith("*"))
  return { text, program, docEnds: docs.map(({ end }) => end) }
}

/** Is there nothing but white space between a doc comment and this place? */
const isDocumented = ({ docEnds, text }: Source, start: number): boolean =>
  docEnds.some((end) => end <= start && text.slice(end, start).trim() === "")

const declaredNames = (declaration: Declaration): ReadonlyArray<string> => {
  if (declaration === null) return []
  if (declaration.type === "VariableDeclaration")
    return declaration.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []))
  if (!("id" in declaration) || declaration.id?.type !== "Identifier") return []
  return [declaration.id.name]
}

/** What a file exports itself: name → has it a doc comment? A name with several declarations needs one. */
const ownExports = (source: Source): ReadonlyMap<string, boolean> => {
  const found = new Map<string, boolean>()
  for (const statement of source.program.body) {
    if (statement.type !== "ExportNamedDeclaration" || statement.source !== null) continue
    const documented = isDocumented(source, statement.start)
    for (const name of declaredNames(statement.declaration))
      found.set(name, documented || (found.get(name) ?? false))
  }
  return found
}

const nameOf = (node: { readonly name: string } | { readonly value: string }): string =>
  "name" in node ? node.name : node.value

/** Lines `file: name` for each undocumented export of a file that is among `wanted` (all, when undefined). */
const undocumented = (root: string, file: string, wanted?: ReadonlySet<string>): ReadonlyArray<string> => {
  if (file.includes("/gen/")) return []
  if (!existsSync(join(root, file))) return [`${file}: does not exist`]
  const source = read(join(root, file))
  const own = [...ownExports(source)]
    .filter(([name, documented]) => !documented && (wanted === undefined || wanted.has(name)))
    .map(([name]) => `${file}: ${name} is exported by the package but has no doc comment`)
  const passedOn = source.program.body.flatMap((statement) => {
    if (statement.type !== "ExportAllDeclaration" && statement.type !== "ExportNamedDeclaration") return []
    if (statement.source === null || !statement.source.value.startsWith(".")) return []
    const from = normalize(join(dirname(file), statement.source.value))
    if (statement.type === "ExportAllDeclaration") return undocumented(root, from, wanted)
    const taken = statement.specifiers.filter((s) => wanted === undefined || wanted.has(nameOf(s.exported)))
    return undocumented(root, from, new Set(taken.map((s) => nameOf(s.local))))
  })
  return [...own, ...passedOn]
}

/** Every undocumented export of every package of the workspace at a folder. */
export const checkDocs = (root: string): ReadonlyArray<string> =>
  globSync("packages/*/mod.ts", { cwd: root })
    .toSorted()
    .flatMap((file) => undocumented(root, file))

if (process.argv[1] === import.meta.filename) {
  const problems = checkDocs(join(import.meta.dirname, ".."))
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  process.exitCode = problems.length === 0 ? 0 : 1
}
