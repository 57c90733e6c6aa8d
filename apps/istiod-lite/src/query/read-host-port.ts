import type { HostPort } from "./queries.ts"

/** `HOST` or `HOST:PORT` */
export const readHostPort = (text: string): HostPort => {
  const [, host = text, port] = /^(.+):(\d+)$/.exec(text) ?? []
  return { host, port: port === undefined ? undefined : Number(port) }
}
