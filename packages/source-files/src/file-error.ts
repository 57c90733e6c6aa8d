/** Why a file or folder could not be read, in words, and what to do about it. */
export interface FileProblem {
  readonly reason: string
  readonly remedy: string
}

const problems: Readonly<Record<string, FileProblem>> = {
  EACCES: { reason: "permission denied", remedy: "let the user of this process read it" },
  EPERM: { reason: "permission denied", remedy: "let the user of this process read it" },
  ELOOP: { reason: "symbolic links that lead in a circle", remedy: "correct the links" },
  ENOENT: { reason: "no such file or folder", remedy: "correct the path, or create it" },
  ENOTDIR: { reason: "part of the path is not a folder", remedy: "correct the path" },
  EMFILE: { reason: "too many open files", remedy: "raise the limit of open files (ulimit -n)" }
}

/** The code of a Node file error, `ENOENT` for one. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : ""

export const problemOf = (error: unknown): FileProblem =>
  problems[codeOf(error)] ?? {
    reason: `cannot be read (${codeOf(error) || "unknown error"})`,
    remedy: "check the file"
  }
