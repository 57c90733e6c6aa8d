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

/** The content of the files, checked to fit together, as Node's TLS takes it. */
export interface TlsMaterial {
  readonly cert: Buffer
  readonly key: Buffer
  /** who issues clients' certificates; not there: clients are not asked for any */
  readonly ca?: Buffer
}

/** A client may show a certificate, a token, or nothing: then it proves nothing, and is told less. */
export const clientsOf = ({ ca }: TlsMaterial) => ({
  requestCert: ca !== undefined,
  rejectUnauthorized: false
})

/**
 * Makes what uses the files, and reads them again: `replace` makes what it made use their new content for connections that
 * begin from then on. Files that cannot be used any more are told, and the last good ones stay.
 */
export const usingTlsFiles = <A>(
  files: TlsFiles,
  refreshEvery: Duration.Input,
  make: (material: TlsMaterial) => A,
  replace: (made: A, material: TlsMaterial) => void
): Effect.Effect<A, TlsFileError, Scope.Scope> =>
  Effect.gen(function* () {
    let material = yield* readMaterial(files)
    let told = ""
    const made = make(material)
    const refresh = readMaterial(files).pipe(
      Effect.flatMap((next) => {
        told = ""
        if (isSame(material, next)) return Effect.void
        material = next
        replace(made, next)
        return Effect.logInfo(`TLS: new connections use the certificate that was put into ${files.cert}`)
      }),
      Effect.catch(({ message }) => {
        if (message === told) return Effect.void
        told = message
        return Effect.logWarning(`${message} The last good certificate stays in use.`)
      })
    )
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(refreshEvery), refresh)))
    return made
  })

const isSame = (a: TlsMaterial, b: TlsMaterial): boolean =>
  a.cert.equals(b.cert) && a.key.equals(b.key) && (a.ca?.equals(b.ca ?? nothing) ?? true)

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
    return ca === undefined ? { cert: chain, key: secret } : { cert: chain, key: secret, ca }
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
