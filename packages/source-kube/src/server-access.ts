import type { KubeConfig } from "@kubernetes/client-node"
import type { RequestOptions } from "node:https"
import { createSecureContext, type SecureContextOptions } from "node:tls"
import { Agent, type Dispatcher, ProxyAgent } from "undici"
import type { LoadKubeConfig } from "./load-kube-config.ts"

/** What a request needs to reach the server and to be let in. */
export interface Access {
  readonly origin: string
  /** the path part of the server's URL: not empty behind some gateways */
  readonly basePath: string
  readonly dispatcher: Dispatcher
  readonly headers: Readonly<Record<string, string>>
}

/** Connections are told to be dead by TCP when nothing else tells it. */
const connectOptions = { timeout: 10_000, keepAlive: true, keepAliveInitialDelay: 15_000 }
/** Answers begin within this; a body may take its time: watches last, and have a guard of their own. */
const poolOptions = { headersTimeout: 60_000, bodyTimeout: 0, keepAliveTimeout: 30_000, allowH2: false }

/**
 * Credentials and connections of one API server. Credentials are looked up for every request, so that tokens and
 * certificates that are replaced count from the next request on; connections are kept for as long as what they were
 * made with stays the same.
 */
export class ServerAccess {
  readonly server: string
  readonly #load: LoadKubeConfig
  #config: KubeConfig
  #dispatcher: Dispatcher | undefined
  #madeWith = ""
  #looking: Promise<Access> | undefined

  constructor(load: LoadKubeConfig, config: KubeConfig) {
    this.#load = load
    this.#config = config
    this.server = config.getCurrentCluster()?.server ?? ""
  }

  /** Rejects if a credential cannot be read or its program fails. Requests that begin together look once. */
  current(): Promise<Access> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  /** Reads the kubeconfig again and forgets what programs gave: the server did not accept it. */
  renew(): void {
    this.#config = this.#load()
  }

  /** Cuts all connections. */
  async close(): Promise<void> {
    await this.#dispatcher?.destroy()
  }

  async #look(): Promise<Access> {
    const options: RequestOptions = {}
    await this.#config.applyToHTTPSOptions(options).catch((cause: unknown) => {
      // What a credential's program printed may be a credential, and is in the parser's message.
      throw cause instanceof SyntaxError ? new Error("the kubeconfig's exec program printed no JSON") : cause
    })
    const url = new URL(this.#config.getCurrentCluster()?.server ?? this.server)
    return {
      origin: url.origin,
      basePath: url.pathname.replace(/\/$/, ""),
      dispatcher: this.#dispatcherFor(options),
      headers: textHeaders(options)
    }
  }

  #dispatcherFor(options: RequestOptions): Dispatcher {
    const proxy = this.#config.getCurrentCluster()?.proxyUrl
    const tls = tlsOf(options)
    const madeWith = JSON.stringify([proxy, tls])
    if (this.#dispatcher !== undefined && madeWith === this.#madeWith) return this.#dispatcher
    const dispatcher = makeDispatcher(proxy, tls)
    // Requests that are under way go on over their connections.
    void this.#dispatcher?.close()
    this.#madeWith = madeWith
    this.#dispatcher = dispatcher
    return dispatcher
  }
}

type TlsOptions = Partial<Pick<SecureContextOptions, "ca" | "cert" | "key" | "passphrase">> & {
  readonly rejectUnauthorized?: boolean
  readonly servername?: string
}

const tlsOf = ({
  ca,
  cert,
  key,
  passphrase,
  rejectUnauthorized,
  servername
}: RequestOptions): TlsOptions => ({
  ...(ca === undefined ? {} : { ca }),
  ...(cert === undefined ? {} : { cert }),
  ...(key === undefined ? {} : { key }),
  ...(passphrase === undefined ? {} : { passphrase }),
  ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
  ...(servername === undefined ? {} : { servername })
})

const makeDispatcher = (proxy: string | undefined, tls: TlsOptions): Dispatcher => {
  if (proxy === undefined || proxy === "") {
    return new Agent({ ...poolOptions, connect: { ...connectOptions, ...sharedContext(tls) } })
  }
  // It takes a proxy of any other scheme for one of HTTP.
  if (!/^https?:/.test(proxy))
    throw new Error(`proxy-url ${proxy}: only proxies of http and https are supported`)
  return new ProxyAgent({ ...poolOptions, uri: proxy, requestTls: tls, connect: connectOptions })
}

/** Certificates are read once for all connections, not once for each. */
const sharedContext = ({ ca, cert, key, passphrase, ...rest }: TlsOptions) => ({
  ...rest,
  secureContext: createSecureContext({ ca, cert, key, passphrase })
})

const textHeaders = ({ auth, headers = {} }: RequestOptions): Record<string, string> => {
  const texts = Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  )
  return typeof auth === "string" && auth !== "undefined:undefined"
    ? { ...texts, Authorization: `Basic ${Buffer.from(auth).toString("base64")}` }
    : texts
}
