/**
 * The messages of the `lb_endpoints` fields of a chunk, without copying: each an encoded envoy.config.endpoint.v3.LbEndpoint.
 *
 * @param bytes as `encodeEndpoints` writes them: nothing but fields of that number, whose tag takes one byte
 */
export const splitEndpoints = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  const messages: Array<Uint8Array> = []
  let at = 0
  while (at < bytes.length) {
    let length = 0
    let shift = 0
    let byte: number
    do {
      byte = bytes[++at] ?? 0
      length |= (byte & 0x7f) << shift
      shift += 7
    } while (byte > 0x7f)
    at += 1
    messages.push(bytes.subarray(at, at + length))
    at += length
  }
  return messages
}
