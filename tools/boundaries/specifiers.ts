/** Finds every module that a parsed file names, however it names it. */

type Node = Readonly<Record<string, unknown>>

const isNode = (u: unknown): u is Node => typeof u === "object" && u !== null
const isName = (u: unknown, name: string): boolean => isNode(u) && u.type === "Identifier" && u.name === name

/** The text of a string, a type literal or a template without holes. */
const literal = (u: unknown): string | undefined => {
  if (!isNode(u)) return undefined
  if (typeof u.value === "string") return u.value
  if (u.type === "TSLiteralType") return literal(u.literal)
  if (u.type !== "TemplateLiteral" || !Array.isArray(u.quasis) || u.quasis.length !== 1) return undefined
  const quasi: unknown = u.quasis[0]
  return isNode(quasi) && isNode(quasi.value) && typeof quasi.value.cooked === "string"
    ? quasi.value.cooked
    : undefined
}

/** Is this the callee of `require(…)`, `createRequire(…)(…)`, `require.resolve(…)` or `import.meta.resolve(…)`? */
const resolves = (callee: unknown): boolean => {
  if (!isNode(callee)) return false
  if (isName(callee, "require")) return true
  if (callee.type === "CallExpression") return isName(callee.callee, "createRequire")
  if (callee.type !== "MemberExpression" || !isName(callee.property, "resolve")) return false
  return isName(callee.object, "require") || (isNode(callee.object) && callee.object.type === "MetaProperty")
}

/** The modules one syntax node names: none, or one, which is `undefined` when it is not a literal. */
const named = (node: Node): ReadonlyArray<string | undefined> => {
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportAllDeclaration":
    case "ImportExpression":
      return [literal(node.source)]
    case "ExportNamedDeclaration":
      return isNode(node.source) ? [literal(node.source)] : []
    case "TSImportType":
      return [literal(node.source) ?? literal(node.argument)]
    case "TSExternalModuleReference":
      return [literal(node.expression)]
    case "CallExpression":
      return resolves(node.callee) && Array.isArray(node.arguments) ? [literal(node.arguments[0])] : []
    default:
      return []
  }
}

/** Every module specifier in a file, type-only ones too; `undefined` stands for one that is not a literal. */
export const specifiersOf = (program: unknown): ReadonlySet<string | undefined> => {
  const found = new Set<string | undefined>()
  const visit = (u: unknown): void => {
    if (Array.isArray(u)) return u.forEach(visit)
    if (!isNode(u)) return
    for (const specifier of named(u)) found.add(specifier)
    Object.values(u).forEach(visit)
  }
  visit(program)
  return found
}
