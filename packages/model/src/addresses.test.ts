import { assert, describe, it } from "@effect/vitest"
import {
  cidrContains,
  isFullLengthCidr,
  isIp,
  isIpv4,
  isIpv6,
  normaliseAddress,
  parseCidr
} from "./addresses.ts"

const within = (cidr: string, address: string): boolean => cidrContains(parseCidr(cidr)!, address)

describe("isIp", () => {
  it("takes strict forms of both families", () => {
    assert.isTrue(isIpv4("10.0.0.1"))
    assert.isTrue(isIpv6("2001:db8::1"))
    assert.isTrue(isIpv6("::ffff:10.0.0.1"))
    assert.isFalse(isIpv4("2001:db8::1"))
    assert.isFalse(isIpv6("10.0.0.1"))
  })

  it("refuses what only looks like an address", () => {
    for (const text of [
      "",
      "10.0.0",
      "010.0.0.1",
      "10.0.0.256",
      "0xa.0.0.1",
      "[::1]",
      "10.0.0.1 ",
      "example.com",
      "10.0.0.1/32"
    ]) {
      assert.isFalse(isIp(text), text)
    }
  })
})

describe("parseCidr", () => {
  it("reads both families", () => {
    assert.deepEqual(parseCidr("10.1.2.3/8"), { address: "10.1.2.3", family: "IPv4", prefix: 8 })
    assert.deepEqual(parseCidr("2001:db8::/32"), { address: "2001:db8::", family: "IPv6", prefix: 32 })
  })

  it("refuses bad addresses and prefixes", () => {
    for (const text of [
      "10.0.0.1",
      "10.0.0/8",
      "10.0.0.0/33",
      "10.0.0.0/08",
      "10.0.0.0/",
      "10.0.0.0/8/8",
      "::/129",
      "x/8"
    ]) {
      assert.isUndefined(parseCidr(text), text)
    }
  })
})

describe("cidrContains", () => {
  it("compares the prefix only", () => {
    assert.isTrue(within("10.9.9.9/8", "10.1.2.3"))
    assert.isFalse(within("10.0.0.0/8", "11.0.0.0"))
    assert.isTrue(within("2001:db8::/32", "2001:db8:1::5"))
    assert.isTrue(within("0.0.0.0/0", "255.1.1.1"))
  })

  it("does not mix families and takes no hostnames", () => {
    assert.isFalse(within("0.0.0.0/0", "::1"))
    assert.isFalse(within("::/0", "10.0.0.1"))
    assert.isFalse(within("0.0.0.0/0", "vm.example.com"))
  })
})

describe("isFullLengthCidr", () => {
  it("is true for one address only", () => {
    assert.isTrue(isFullLengthCidr(parseCidr("10.0.0.1/32")!))
    assert.isTrue(isFullLengthCidr(parseCidr("::1/128")!))
    assert.isFalse(isFullLengthCidr(parseCidr("::1/32")!))
  })
})

describe("normaliseAddress", () => {
  it("gives IPv6 one text and leaves the rest", () => {
    assert.strictEqual(normaliseAddress("2001:DB8:0:0::1"), "2001:db8::1")
    assert.strictEqual(normaliseAddress("10.0.0.1"), "10.0.0.1")
    assert.strictEqual(normaliseAddress("vm.example.com"), "vm.example.com")
  })
})
