import * as grpc from "@grpc/grpc-js"
import { type Duration, Effect, type Scope } from "effect"
import { createPrivateKey, X509Certificate } from "node:crypto"
import { readFile } from "node:fs/promises"
import { createSecureContext } from "node:tls"
import { TlsFileError } from "./errors.ts"

/** Files in PEM form: what the server shows, and whom it trusts. */
export interface TlsFiles {
  /** the server's certificate chain */
  readonly cert: string
  readonly key: string
  /** certificates of those who issue clients' certificates; undefined: clients are not asked for any */
  readonly clientCa?: string | undefined
}

/** The content of the files, checked to fit together. */
interface TlsMaterial {
  readonly cert: Buffer
  readonly key: Buffer
  /** undefined: clients are not asked for certificates */
  readonly clientCa: Buffer | undefined
}

/**
 * Reads the files, and again when they are replaced: connections that are made from then on use the new ones. Files that
 * cannot be used any more are told, and the last good ones stay.
 */
export const makeTlsCredentials = (
  files: TlsFiles,
  refreshEvery: Duration.Input
): Effect.Effect<grpc.ServerCredentials, TlsFileError, Scope.Scope> =>
  Effect.gen(function* () {
    let material = yield* readMaterial(files)
    let told = ""
    const credentials = new ReplaceableCredentials(material)
    const refresh = readMaterial(files).pipe(
      Effect.flatMap((next) => {
        told = ""
        if (isSame(material, next)) return Effect.void
        material = next
        credentials.replace(next)
        return Effect.logInfo(`TLS: new connections use the certificate that was put into ${files.cert}`)
      }),
      Effect.catch(({ message }) => {
        if (message === told) return Effect.void
        told = message
        return Effect.logWarning(`${message} The last good certificate stays in use.`)
      })
    )
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(refreshEvery), refresh)))
    return credentials
  })

class ReplaceableCredentials extends grpc.ServerCredentials {
  constructor(material: TlsMaterial) {
    // A client may show a certificate, a token, or nothing: then it proves nothing, and is told less.
    super({ requestCert: material.clientCa !== undefined, rejectUnauthorized: false }, contextOf(material))
  }

  replace(material: TlsMaterial): void {
    this.updateSecureContextOptions(contextOf(material))
  }

  override _equals(other: grpc.ServerCredentials): boolean {
    return this === other
  }
}

const contextOf = ({ cert, clientCa, key }: TlsMaterial) => ({
  cert,
  key,
  ...(clientCa === undefined ? {} : { ca: clientCa })
})

const isSame = (a: TlsMaterial, b: TlsMaterial): boolean =>
  a.cert.equals(b.cert) && a.key.equals(b.key) && (a.clientCa?.equals(b.clientCa ?? nothing) ?? true)

const nothing = Buffer.alloc(0)

const readMaterial = ({ cert, clientCa, key }: TlsFiles): Effect.Effect<TlsMaterial, TlsFileError> =>
  Effect.gen(function* () {
    const chain = yield* readPem(cert, (pem) => new X509Certificate(pem))
    const secret = yield* readPem(key, createPrivateKey)
    yield* Effect.try({
      try: () => createSecureContext({ cert: chain, key: secret }),
      catch: (cause) => new TlsFileError({ file: `${cert} with ${key}`, reason: reasonOf(cause) })
    })
    const ca =
      clientCa === undefined ? undefined : yield* readPem(clientCa, (pem) => new X509Certificate(pem))
    return { cert: chain, key: secret, clientCa: ca }
  })

/** The content of a file in which something can be read. */
const readPem = (file: string, read: (pem: Buffer) => unknown): Effect.Effect<Buffer, TlsFileError> =>
  Effect.tryPromise({
    try: async () => {
      const pem = await readFile(file)
      read(pem)
      return pem
    },
    catch: (cause) => new TlsFileError({ file, reason: reasonOf(cause) })
  })

const reasonOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  const code = "code" in cause ? cause.code : undefined
  if (code === "ENOENT") return "there is no such file"
  return code === "EACCES" ? "this user may not read it" : cause.message
}
