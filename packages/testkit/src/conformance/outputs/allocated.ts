import { objectKey, type ServiceEntry } from "@istiod-lite/model"
import type { Json } from "../json.ts"

/** `allocated.json`: the addresses that stand in the status of each ServiceEntry. */
export const allocatedJson = (entries: Iterable<ServiceEntry>): Json =>
  Object.fromEntries(
    [...entries].map(({ meta, statusAddresses }) => [
      objectKey(meta),
      statusAddresses.map(({ host, value }) => ({ host, value }))
    ])
  )
