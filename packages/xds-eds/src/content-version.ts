import { hash } from "node:crypto"

/** The version of a content: 128 bits, enough that two contents never get one version. */
export const contentVersion = (content: string | Uint8Array): string =>
  hash("sha256", content, "base64url").slice(0, 22)
