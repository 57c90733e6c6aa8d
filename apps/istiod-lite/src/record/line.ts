import { crc32 } from "node:zlib"
import type { Frame } from "./frame.ts"

/** Ends a line. JSON never holds it. */
export const lineEnd = 0x0a

/** A frame as a line: its checksum, its JSON, and the end. A line that was torn anywhere is recognised. */
export const encodeLine = (frame: Frame): Buffer => {
  const json = Buffer.from(JSON.stringify(frame))
  return Buffer.concat([Buffer.from(`${checksum(json)} `), json, Buffer.of(lineEnd)])
}

/** The frame of a line, which is given without its end; undefined if it is not as it was written. */
export const decodeLine = (line: Buffer): Frame | undefined => {
  const json = line.subarray(checksumLength + 1)
  if (line.subarray(0, checksumLength).toString("latin1") !== checksum(json)) return undefined
  const frame: Frame = JSON.parse(json.toString("utf8"))
  return frame
}

const checksumLength = 8

/** CRC-32, as eight hexadecimal digits. */
const checksum = (bytes: Buffer): string => crc32(bytes).toString(16).padStart(checksumLength, "0")
