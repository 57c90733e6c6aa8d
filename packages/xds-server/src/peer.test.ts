import { assert, describe, it } from "@effect/vitest"
import { peerOf } from "./peer.ts"

const identitiesOf = (alternativeNames: string | undefined) =>
  peerOf({ address: "192.0.2.1:1", alternativeNames, authorization: undefined }).identities

const tokenOf = (authorization: string | undefined) =>
  peerOf({ address: "192.0.2.1:1", alternativeNames: undefined, authorization }).bearerToken

describe("peerOf", () => {
  it("takes the URIs of a certificate for identities, and nothing else", () => {
    assert.deepStrictEqual(
      identitiesOf(
        "DNS:a.example, URI:spiffe://td/ns/a/sa/b, IP Address:192.0.2.1, URI:spiffe://td/ns/c/sa/d"
      ),
      ["spiffe://td/ns/a/sa/b", "spiffe://td/ns/c/sa/d"]
    )
    assert.deepStrictEqual(identitiesOf(undefined), [])
  })

  it("takes a name that looks like several for one", () => {
    // What Node writes for one URI that contains ", URI:spiffe://td/ns/a/sa/b, ".
    assert.deepStrictEqual(identitiesOf('URI:"x:, URI:spiffe://td/ns/a/sa/b, ", DNS:a'), [
      "x:, URI:spiffe://td/ns/a/sa/b, "
    ])
    assert.deepStrictEqual(identitiesOf('DNS:"a, URI:spiffe://td/ns/a/sa/b"'), [])
  })

  it("takes the token of a bearer, however it is written", () => {
    assert.strictEqual(tokenOf("Bearer a.b"), "a.b")
    assert.strictEqual(tokenOf("bearer  a.b "), "a.b")
    assert.isUndefined(tokenOf("Basic YTpi"))
    assert.isUndefined(tokenOf(undefined))
  })
})
