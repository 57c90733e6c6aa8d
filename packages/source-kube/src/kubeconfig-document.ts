import { parseDocument } from "yaml"

/** A kubeconfig as it is written, before the client library reads it. */
export interface KubeConfigDocument {
  /** what the library reads; JSON, which YAML includes */
  readonly text: string
  /** user → the file that holds its token: the library does not know the field `tokenFile` */
  readonly tokenFiles: ReadonlyMap<string, string>
}

/**
 * Reads the text of a kubeconfig. What is wrong is told by its place alone: the text is full of secrets.
 *
 * The library reads a file that `token-file` names at once, even for a kubeconfig of somebody else, who would then be
 * sent what is in it. Kubernetes knows no such field, so it is left out.
 */
export const readKubeConfigDocument = (text: string): KubeConfigDocument => {
  const document = parseDocument(text, { prettyErrors: true })
  const [error] = document.errors
  if (error !== undefined) {
    const { line = 0, col = 0 } = error.linePos?.[0] ?? {}
    throw new Error(`it is no YAML: ${error.code} at line ${line}, column ${col}`)
  }
  const config: unknown = document.toJS()
  if (!isRecord(config)) throw new Error("it is no kubeconfig: fields are missing")
  const tokenFiles = new Map<string, string>()
  const users = Array.isArray(config.users) ? config.users.map((user) => cleanUser(user, tokenFiles)) : []
  return { text: JSON.stringify({ ...config, users }), tokenFiles }
}

const cleanUser = (entry: unknown, tokenFiles: Map<string, string>): unknown => {
  if (!isRecord(entry) || !isRecord(entry.user)) return entry
  const { tokenFile, "token-file": _, ...user } = entry.user
  // A token that is written in the kubeconfig itself comes second, as with client-go.
  if (typeof tokenFile === "string" && tokenFile !== "") tokenFiles.set(String(entry.name), tokenFile)
  return { ...entry, user }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
