import { assert, describe, it } from "@effect/vitest"
import { ObjectWriter, type WriteProblem } from "@istiod-lite/model"
import { MemoryWriter } from "@istiod-lite/model/testing"
import { Console, Effect } from "effect"
import { workloadEntry } from "../testing/manifests.ts"
import { runCli } from "../testing/run-cli.ts"
import { setDraining } from "./drain.ts"

const till = {
  apiVersion: "networking.istio.io/v1",
  kind: "WorkloadEntry",
  namespace: "shop",
  name: "till-1"
}

const memory = (refuse?: WriteProblem) => {
  const writer = new MemoryWriter({
    before: ({ verb }) => (verb === "patch" && refuse !== undefined ? Effect.fail(refuse) : Effect.void)
  })
  writer.put(workloadEntry("till-1", { address: "192.0.2.7" }, { labels: { app: "till" } }))
  return writer
}

/** What is printed, and the entry's labels afterwards. */
const drained = Effect.fnUntraced(function* (store: MemoryWriter, isDrained: boolean, entry = till) {
  const lines: Array<string> = []
  yield* setDraining(entry, isDrained).pipe(
    Effect.provideService(ObjectWriter, store.writer),
    Effect.provideService(Console.Console, { ...console, log: (text) => void lines.push(String(text)) })
  )
  return { text: lines.join("\n"), labels: store.find("WorkloadEntry", "shop", "till-1")?.metadata.labels }
})

describe("vm drain", () => {
  it.effect("sets a label, undrain takes it away; other labels stay", () =>
    Effect.gen(function* () {
      const store = memory()
      const out = yield* drained(store, true)
      assert.match(out.text, /^shop\/till-1 is draining/)
      assert.deepStrictEqual(out.labels, { app: "till", "istio.io/draining": "true" })
      const back = yield* drained(store, false)
      assert.match(back.text, /^shop\/till-1 takes traffic again/)
      assert.deepStrictEqual(back.labels, { app: "till" })
    })
  )

  it.effect("writes nothing where it is so already", () =>
    Effect.gen(function* () {
      const store = memory("forbidden")
      assert.strictEqual((yield* drained(store, false)).text, "shop/till-1 is in traffic already.")
    })
  )

  it.effect("names what was probably meant, or what there is", () =>
    Effect.gen(function* () {
      const store = memory()
      const like = yield* Effect.flip(drained(store, true, { ...till, name: "tll-1" }))
      assert.strictEqual(like.message, "There is no WorkloadEntry shop/tll-1. Did you mean till-1?")
      const none = yield* Effect.flip(drained(store, true, { ...till, namespace: "bakery" }))
      assert.strictEqual(none.message, "There is no WorkloadEntry bakery/till-1. There are: none.")
    })
  )

  it.effect("says what may not be written", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(drained(memory("forbidden"), true))
      assert.match(error.message, /^Cannot patch WorkloadEntry shop\/till-1/)
    })
  )

  it.live("needs an API server, and a namespace", () =>
    Effect.gen(function* () {
      const server = yield* runCli("vm", "drain", "shop/till-1")
      assert.strictEqual(server.code, 2)
      assert.include(server.err, "Name an API server: --kubeconfig FILE")
      const namespace = yield* runCli("vm", "undrain", "till-1")
      assert.strictEqual(namespace.code, 2)
      assert.include(namespace.err, "Write NAMESPACE/NAME")
    })
  )
})
