/** Everyone, as `exportTo` and Sidecars write it. */
export const everyone = "*"

/**
 * The namespaces that an object is exported to (S-46): `["*"]` for all, `[]` for nobody. `*` beats `~`, `~` beats
 * names, `.` is the object's own namespace, and an object that says nothing follows the mesh's default.
 */
export const audienceOf = (
  exportTo: ReadonlyArray<string>,
  meshDefault: ReadonlyArray<string>,
  ownNamespace: string
): ReadonlyArray<string> => {
  const said = exportTo.length > 0 ? exportTo : meshDefault
  if (said.includes(everyone)) return [everyone]
  if (said.includes("~")) return []
  return [...new Set(said.map((name) => (name === "." ? ownNamespace : name)))]
}

/** Whether an audience has a namespace in it. */
export const includes = (audience: ReadonlyArray<string>, namespace: string): boolean =>
  audience.includes(everyone) || audience.includes(namespace)
