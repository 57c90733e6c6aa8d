import { assert, describe, it } from "@effect/vitest"
import { readSubject, sameAddress } from "./subject.ts"

describe("readSubject", () => {
  it.each([
    ["10.8.0.1", { kind: "address", address: "10.8.0.1", port: undefined }],
    ["10.8.0.1:8080", { kind: "address", address: "10.8.0.1", port: 8080 }],
    ["2001:DB8::0:1", { kind: "address", address: "2001:db8::1", port: undefined }],
    ["[2001:db8::1]:8080", { kind: "address", address: "2001:db8::1", port: 8080 }],
    ["shop/cart-1", { kind: "workload", namespace: "shop", name: "cart-1" }],
    ["cart-1.shop", { kind: "workload", namespace: "shop", name: "cart-1" }],
    ["vm-1.example.legacy", { kind: "workload", namespace: "legacy", name: "vm-1.example" }],
    ["unix:///var/run/db.sock", { kind: "address", address: "/var/run/db.sock", port: undefined }],
    ["/var/run/db.sock", { kind: "address", address: "/var/run/db.sock", port: undefined }],
    ["cart-1", { kind: "workload", namespace: undefined, name: "cart-1" }]
  ])("reads %s", (text, expected) => {
    assert.deepEqual(readSubject(text), expected)
  })
})

describe("sameAddress", () => {
  it("knows an IPv6 address in any of its texts", () => {
    assert.isTrue(sameAddress("2001:DB8:0:0::1", "2001:db8::1"))
    assert.isFalse(sameAddress("2001:db8::2", "2001:db8::1"))
    assert.isFalse(sameAddress("unix:///var/run/a", "2001:db8::1"))
  })
})
