import { assert, describe, it } from "@effect/vitest"
import { readHostPort } from "./read-host-port.ts"

describe("readHostPort", () => {
  it.each([
    ["cart.shop", { host: "cart.shop", port: undefined }],
    ["cart.shop:80", { host: "cart.shop", port: 80 }],
    ["cart:http", { host: "cart:http", port: undefined }]
  ])("reads %s", (text, expected) => {
    assert.deepEqual(readHostPort(text), expected)
  })
})
