import { readFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { dirname, join, relative, resolve } from "node:path"
import { parseSync } from "rolldown/utils"
import { specifiersOf } from "./specifiers.ts"
import { isLibrary, type Member, maySee, type Workspace } from "./workspace.ts"

/** What is wrong with a file, and which members it imports. */
export interface FileFindings {
  readonly problems: ReadonlyArray<string>
  readonly imports: ReadonlySet<Member>
}

/** A file's place, which decides what it may import. */
interface Place {
  readonly file: string
  /** The path below its package. */
  readonly inside: string
  readonly member: Member
  readonly isTest: boolean
  /** Development code: tests, testing.ts and src/testing/, the whole testkit, configuration. */
  readonly isDev: boolean
}

const expectedPath = /^((mod|testing)\.ts|[a-z.-]+\.config\.ts|(src|examples)\/.*|bin\/.*\.cjs)$/
const isTestFile = (file: string): boolean => /\.test\.[a-z]+$/.test(file)
/** What tests share: testing.ts and the files behind it. */
const isTesting = (inside: string): boolean => inside === "testing.ts" || inside.startsWith("src/testing/")

const placeOf = (file: string, member: Member): Place => {
  const inside = relative(member.dir, file)
  const isTest = isTestFile(file)
  const isDev = isTest || isTesting(inside) || member.unit === "testkit" || file.endsWith(".config.ts")
  return { file, inside, member, isTest, isDev }
}

const pathProblems = (specifier: string, place: Place): ReadonlyArray<string | false> => {
  const to = relative(place.member.dir, resolve("/", dirname(place.file), specifier).slice(1))
  return [
    (!specifier.startsWith(".") || to.startsWith("..")) && "leaves its package",
    !place.isDev && (isTesting(to) || isTestFile(to)) && "is development code",
    !place.isTest && place.inside !== "mod.ts" && to === "mod.ts" && "is its own entry: import the file"
  ]
}

const packageProblems = (
  name: string,
  rest: string,
  place: Place,
  workspace: Workspace
): ReadonlyArray<string | false> => {
  const { isDev, isTest, member } = place
  const target = workspace.byName.get(name)
  const internal = target !== undefined && /\/internal(\/|$)/.test(rest) && "reaches into internal/"
  const testing = target !== undefined && !isDev && rest === "/testing" && "is development code"
  if (target === member) return [internal, testing, !isTest && "is its own entry: import the file"]
  const isDeclared =
    member.runtime.has(name) ||
    (isDev && (name in (member.manifest.devDependencies ?? {}) || workspace.rootDev.has(name)))
  const undeclared = !isDeclared && `is not declared in ${member.dir}/package.json`
  if (target?.unit === "testkit") {
    const why = isLibrary(member) ? "a library may not depend on testkit" : "testkit is for development code"
    return [internal, (isLibrary(member) || !isDev) && why, undeclared]
  }
  const forbidden = target !== undefined && !isDev && !maySee(member, target)
  return [internal, testing, forbidden && `${member.unit} may not import ${target.unit}`, undeclared]
}

/** Reads, parses and judges one file of a member; `file` is a path below the root. */
export const fileFindings = (file: string, member: Member, workspace: Workspace): FileFindings => {
  const place = placeOf(file, member)
  const problems: Array<string> = []
  const imports = new Set<Member>()
  const { program, errors } = parseSync(file, readFileSync(join(workspace.rootDir, file), "utf8"))
  if (!expectedPath.test(place.inside)) problems.push("is neither mod.ts, testing.ts nor below src/")
  // A file that does not parse comes back as an empty program, which would pass.
  if (errors.length > 0) problems.push(`does not parse: ${errors[0]?.message}`)
  if (place.inside === "mod.ts") {
    for (const statement of program.body) {
      const reExports =
        statement.type === "ExportAllDeclaration" ||
        (statement.type === "ExportNamedDeclaration" && statement.source !== null)
      if (!reExports) problems.push(`only re-exports belong here (${statement.type})`)
    }
  }
  const report = (specifier: string, whys: ReadonlyArray<string | false>): void => {
    for (const why of whys) if (why !== false) problems.push(`"${specifier}" ${why}`)
  }
  for (const specifier of specifiersOf(program)) {
    if (specifier === undefined) {
      // An app may load what its user names, such as a configuration file.
      const mayCompute = place.isDev || member.unit === "app"
      report("…", [!mayCompute && "is not a literal, so it cannot be checked"])
    } else if (/^(\.|\/|file:)/.test(specifier)) {
      report(specifier, pathProblems(specifier, place))
    } else if (!isBuiltin(specifier)) {
      const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/")
      const target = workspace.byName.get(name)
      if (target !== undefined && target !== member) imports.add(target)
      report(specifier, packageProblems(name, specifier.slice(name.length), place, workspace))
    }
  }
  return { problems: problems.map((why) => `${file}: ${why}`), imports }
}
