import type { IncomingHttpHeaders } from "node:http2"
import { StreamCode, type StreamStatus } from "./transport.ts"

/** Why a request is no gRPC call, as an HTTP status; undefined for a call. Source: gRPC over HTTP/2, "Requests". */
export const httpRefusalOf = (headers: IncomingHttpHeaders): 405 | 415 | undefined => {
  if (headers[":method"] !== "POST") return 405
  // `application/grpc-web` is another protocol.
  return /^application\/grpc(?:[+;]|$)/i.test(headers["content-type"] ?? "") ? undefined : 415
}

const unitMillis: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 1e-3,
  n: 1e-6
}

/** What a `grpc-timeout` header means, in milliseconds; undefined if it means nothing. */
export const parseTimeout = (header: string): number | undefined => {
  const [, digits, unit = ""] = /^(\d{1,8})([HMSmun])$/.exec(header) ?? []
  const millis = unitMillis[unit]
  return millis === undefined ? undefined : Number(digits) * millis
}

/** How much of a status's details is sent, in UTF-16 units: what clients accept as headers is limited. */
const longestDetails = 2000

/** A status as trailers, or as all there is. */
export const statusHeaders = ({ code, details }: StreamStatus): Readonly<Record<string, string>> => ({
  "grpc-status": String(code),
  ...(details !== "" && { "grpc-message": percentEncoded(details.slice(0, longestDetails)) }),
  // Who sent a message that we cannot decompress learns what we can.
  ...(code === StreamCode.unimplemented && { "grpc-accept-encoding": "identity" })
})

/** Printable ASCII as it is, but for "%"; all else as UTF-8, in hexadecimal. Source: gRPC over HTTP/2, "Percent-Encoded". */
const percentEncoded = (text: string): string =>
  /^[\x20-\x24\x26-\x7e]*$/.test(text)
    ? text
    : Array.from(Buffer.from(text), (byte) =>
        byte >= 0x20 && byte <= 0x7e && byte !== 0x25
          ? String.fromCharCode(byte)
          : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
      ).join("")
