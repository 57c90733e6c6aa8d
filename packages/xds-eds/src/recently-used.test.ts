import { assert, it } from "@effect/vitest"
import { RecentlyUsed } from "./recently-used.ts"

it("RecentlyUsed forgets what was not asked for longest", () => {
  const kept = new RecentlyUsed<number>(2)
  kept.set("a", 1)
  kept.set("b", 2)
  assert.strictEqual(kept.get("a"), 1)
  kept.set("c", 3)
  assert.deepStrictEqual(
    ["a", "b", "c"].map((key) => kept.get(key)),
    [1, undefined, 3]
  )
  kept.set("a", 4)
  assert.strictEqual(kept.size, 2)
  assert.strictEqual(kept.get("a"), 4)
})
