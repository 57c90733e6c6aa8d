/** A registry of one's own: the machines that an inventory lists, looked up every ten seconds. */
import { layerMemoryRegistry } from "@istiod-lite/registry-memory"
import { Effect, Schedule, Schema } from "effect"
import { readFile } from "node:fs/promises"

const Machine = Schema.Struct({ address: Schema.String, zone: Schema.String })
const Host = Schema.Struct({ host: Schema.String, port: Schema.Finite, machines: Schema.Array(Machine) })
const readInventory = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Array(Host)))
const ports = [{ name: "http", number: 80, protocol: "HTTP" }] as const

/** The services and machines of the inventory in `file`. When it cannot be read, the last good state stays. */
export const layerMachineRegistry = (file: string) =>
  layerMemoryRegistry({ id: "inventory" }, (registry) => {
    const look = Effect.gen(function* () {
      const inventory = yield* readInventory(yield* Effect.tryPromise(() => readFile(file, "utf8")))
      registry.transaction(() => {
        for (const { host, machines, port } of inventory) {
          const name = { hostname: host, namespace: "machines" }
          registry.setService({ ...name, ports })
          registry.setEndpoints(
            name,
            machines.map(({ address, zone }) => ({
              addresses: [address],
              port,
              locality: `eu-west-1/${zone}`
            }))
          )
        }
      })
    }).pipe(Effect.catch((error) => Effect.logWarning(`Cannot read ${file}: ${error.message}`)))
    // The first look is over before anybody is served; the others happen beside.
    return Effect.andThen(look, Effect.forkScoped(Effect.repeat(look, Schedule.spaced("10 seconds"))))
  })
