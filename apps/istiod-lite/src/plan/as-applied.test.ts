import { assert, describe, it } from "@effect/vitest"
import { decodeObject, type TypedObject, unknownCreationTime } from "@istiod-lite/model"
import { asApplied } from "./as-applied.ts"

const read = (raw: object): TypedObject => {
  const decoded = decodeObject(raw)
  if (decoded.outcome !== "object") throw new Error(JSON.stringify(decoded))
  return decoded
}

const metadata = { name: "cart", namespace: "shop" }
const known = { ...metadata, uid: "u-1", creationTimestamp: "2025-02-03T04:05:06Z" }

const service = (spec: object, meta: object = metadata): TypedObject =>
  read({ apiVersion: "v1", kind: "Service", metadata: meta, spec: { ports: [{ port: 80 }], ...spec } })
const ipOf = (typed: TypedObject) => (typed.kind === "Service" ? typed.object.clusterIP : undefined)

const machine = (status: object): TypedObject =>
  read({
    apiVersion: "networking.istio.io/v1",
    kind: "WorkloadEntry",
    metadata,
    spec: { address: "10.0.0.1" },
    status
  })

describe("asApplied", () => {
  it("keeps identity and age of what is there, and the defaults of what is new", () => {
    assert.strictEqual(asApplied(service({}), undefined).object.meta.creationTime, unknownCreationTime)
    const { meta } = asApplied(service({}), service({}, known)).object
    assert.deepEqual([meta.uid, meta.creationTime], ["u-1", "2025-02-03T04:05:06Z"])
  })

  it("keeps addresses that the cluster assigned, unless others are written", () => {
    const before = service({ clusterIP: "10.96.0.1", clusterIPs: ["10.96.0.1"] })
    assert.strictEqual(ipOf(asApplied(service({}), before)), "10.96.0.1")
    assert.strictEqual(ipOf(asApplied(service({ clusterIP: "None" }), before)), "None")
  })

  it("keeps the health of a machine", () => {
    const sick = machine({ conditions: [{ type: "Healthy", status: "False" }] })
    const applied = asApplied(machine({}), sick)
    assert.isFalse(applied.kind === "WorkloadEntry" ? applied.object.healthy : undefined)
  })
})
