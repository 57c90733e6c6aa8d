import { assert, describe, it } from "@effect/vitest"
import { AddressPool } from "./address-pool.ts"

/** Takes `count` addresses, one owner each. */
const take = (pool: AddressPool, count: number): ReadonlyArray<string | undefined> =>
  Array.from({ length: count }, (_, i) => pool.allocate(`shop/${i}`))

describe("AddressPool.allocate", () => {
  it.each([
    ["240.240.0.0/29", ["240.240.0.1", "240.240.0.2", "240.240.0.3"]],
    ["240.240.0.254/16", ["240.240.0.255", "240.240.1.0", "240.240.1.1"]],
    ["2001:2::/48", ["2001:2::1", "2001:2::2", "2001:2::3"]],
    ["10.0.0.1/31", [undefined, undefined, undefined]],
    ["10.0.0.1/32", [undefined, undefined, undefined]]
  ])("hands out %s one after the other from its second address", (prefix, expected) => {
    assert.deepEqual(take(new AddressPool(prefix), 3), expected)
  })

  it("hands out every address but the first once, then none", () => {
    const all = take(new AddressPool("240.240.0.0/24"), 256)
    assert.strictEqual(new Set(all.slice(0, 255)).size, 255)
    assert.strictEqual(all[254], "240.240.0.255")
    assert.isUndefined(all[255])
  })

  it("passes over addresses in use", () => {
    const pool = new AddressPool("240.240.0.0/29")
    pool.claim("240.240.0.2", "shop/user")
    assert.deepEqual(take(pool, 2), ["240.240.0.1", "240.240.0.3"])
  })

  it("starts over at the end for what was given back", () => {
    const pool = new AddressPool("240.240.0.0/29")
    take(pool, 7)
    pool.release("240.240.0.3", "shop/2")
    assert.strictEqual(pool.allocate("shop/new"), "240.240.0.3")
    assert.isUndefined(pool.allocate("shop/newer"))
  })
})

describe("AddressPool.claim", () => {
  it.each([
    ["a free address", "240.240.0.9", "claimed"],
    ["an address of its own", "240.240.0.1", "claimed"],
    ["an address of another owner", "240.240.0.2", "taken"],
    ["an address outside the prefix", "192.0.2.1", "claimed"],
    ["an address of the other family", "2001:2::1", "claimed"],
    ["text that is no address", "elsewhere", "claimed"]
  ])("of %s", (_, address, expected) => {
    const pool = new AddressPool("240.240.0.0/16")
    pool.claim("240.240.0.1", "shop/a")
    pool.claim("240.240.0.2", "shop/b")
    assert.strictEqual(pool.claim(address, "shop/a"), expected)
  })
})

describe("AddressPool.release", () => {
  it.each([
    ["the owner's address is free again", "240.240.0.1", "shop/0", "240.240.0.1"],
    ["another's address stays", "240.240.0.1", "shop/1", "240.240.0.3"],
    ["an address outside the prefix is ignored", "192.0.2.1", "shop/0", "240.240.0.3"],
    ["text that is no address is ignored", "elsewhere", "shop/0", "240.240.0.3"]
  ])("%s", (_, address, owner, next) => {
    const pool = new AddressPool("240.240.0.0/16")
    take(pool, 2)
    pool.release(address, owner)
    assert.strictEqual(pool.allocate("shop/new"), next)
  })

  it("never frees the network's own address for handing out", () => {
    const pool = new AddressPool("240.240.0.0/16")
    pool.claim("240.240.0.0", "shop/user")
    pool.release("240.240.0.0", "shop/user")
    assert.strictEqual(pool.allocate("shop/a"), "240.240.0.1")
  })
})

describe("AddressPool.forget", () => {
  it("frees what nobody has, to be handed out last", () => {
    const pool = new AddressPool("240.240.0.0/29")
    take(pool, 3)
    pool.claim("240.240.0.0", "shop/user")
    const unheld = pool.usedBeside(["240.240.0.0", "240.240.0.2", "elsewhere"])
    assert.deepEqual(unheld, ["240.240.0.1", "240.240.0.3"])
    for (const address of unheld) pool.forget(address)
    assert.deepEqual(pool.usage(), { used: 1, size: 7 })
    assert.deepEqual(take(pool, 5), [
      "240.240.0.4",
      "240.240.0.5",
      "240.240.0.6",
      "240.240.0.7",
      "240.240.0.1"
    ])
  })
})

describe("AddressPool.skipUsed", () => {
  it.each([
    ["goes on after the highest address in use", "240.240.0.4", "240.240.0.5"],
    ["starts over when that is the last one", "240.240.0.7", "240.240.0.1"]
  ])("%s", (_, used, next) => {
    const pool = new AddressPool("240.240.0.0/29")
    pool.claim(used, "shop/a")
    pool.skipUsed()
    assert.strictEqual(pool.allocate("shop/new"), next)
  })
})

describe("AddressPool with a state", () => {
  it.each([
    ["goes on where it was", "240.240.0.0/29", "240.240.0.3"],
    ["of another prefix starts from the beginning", "240.241.0.0/29", "240.241.0.1"],
    ["of another family starts from the beginning", "2001:2::/48", "2001:2::1"]
  ])("%s", (_, prefix, next) => {
    const before = new AddressPool("240.240.0.0/29")
    take(before, 2)
    const after = new AddressPool(prefix, JSON.parse(JSON.stringify(before.state())))
    assert.strictEqual(after.allocate("shop/new"), next)
  })

  it("does not come back to what was used when it goes on at the end", () => {
    const before = new AddressPool("240.240.0.0/29")
    take(before, 7)
    assert.isUndefined(new AddressPool("240.240.0.0/29", before.state()).allocate("shop/new"))
  })
})

describe("AddressPool", () => {
  it("refuses what is not a prefix, and says what it should be", () => {
    assert.throws(
      () => new AddressPool("240.240.0.0"),
      /expected a CIDR like 240\.240\.0\.0\/16: received 240\.240\.0\.0/
    )
  })
})
