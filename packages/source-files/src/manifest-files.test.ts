import { assert, describe, it } from "@effect/vitest"
import { ManifestFiles } from "./manifest-files.ts"

const pod = "apiVersion: v1\nkind: Pod\nmetadata: { name: a }\n"

describe("ManifestFiles", () => {
  it("reads standard input once", async () => {
    let reads = 0
    const stdin = (): Promise<Uint8Array> => {
      reads++
      return Promise.resolve(new TextEncoder().encode(pod))
    }
    const files = new ManifestFiles([{ cluster: "c", path: "-", mayBeAbsent: false }], stdin)
    const [change] = (await files.refresh()).changes
    assert.isTrue(change?.change === "read" && change.file === "-" && change.reading.objects.length === 1)
    assert.deepEqual((await files.refresh()).changes, [])
    assert.strictEqual(reads, 1)
  })

  it("makes a fault of input that is no text", async () => {
    const files = new ManifestFiles([{ cluster: "c", path: "-", mayBeAbsent: false }], () =>
      Promise.resolve(new Uint8Array([0xff, 0xfe, 0]))
    )
    const [change] = (await files.refresh()).changes
    assert.isTrue(change?.change === "unreadable" && change.fault.reason === "not a text in UTF-8")
  })

  it("takes a missing path for a mistake, or for an absent cluster", async () => {
    const path = "/no/such/folder"
    const files = new ManifestFiles([
      { cluster: "main", path, mayBeAbsent: false },
      { cluster: "remote", path, mayBeAbsent: true }
    ])
    const { faults, present } = await files.refresh()
    assert.deepEqual([...present], ["main"])
    assert.deepEqual(
      faults.map((fault) => fault.severity),
      ["error", "info"]
    )
  })
})
