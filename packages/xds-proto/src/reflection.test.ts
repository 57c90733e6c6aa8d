import { assert, describe, it } from "@effect/vitest"
import { fromBinary } from "@bufbuild/protobuf"
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt"
import type { ServerReflectionRequest } from "./gen/grpc/reflection/v1/reflection.ts"
import { reflect } from "./reflection.ts"

const ads = "envoy.service.discovery.v3.AggregatedDiscoveryService"
const ask = (messageRequest: ServerReflectionRequest["messageRequest"]) =>
  reflect({ host: "h", messageRequest }, [ads]).messageResponse

/** Names of the files in an answer. */
const files = (messageRequest: ServerReflectionRequest["messageRequest"]): ReadonlyArray<string> => {
  const answer = ask(messageRequest)
  if (answer?.$case !== "fileDescriptorResponse") return assert.fail(`no files but ${answer?.$case}`)
  return answer.value.fileDescriptorProto.map((file) => fromBinary(FileDescriptorProtoSchema, file).name)
}

/** The gRPC status code in an answer. */
const failure = (messageRequest: ServerReflectionRequest["messageRequest"]): number => {
  const answer = ask(messageRequest)
  return answer?.$case === "errorResponse"
    ? answer.value.errorCode
    : assert.fail(`no error but ${answer?.$case}`)
}

describe("reflect", () => {
  it("lists the services it is given", () => {
    assert.deepStrictEqual(ask({ $case: "listServices", value: "*" }), {
      $case: "listServicesResponse",
      value: { service: [{ name: ads }] }
    })
  })

  it("gives the file of a service, message, method or field, with every file that it imports", () => {
    for (const symbol of [ads, `${ads}.StreamAggregatedResources`]) {
      const found = files({ $case: "fileContainingSymbol", value: symbol })
      assert.strictEqual(found[0], "envoy/service/discovery/v3/ads.proto")
      assert.include(found, "envoy/service/discovery/v3/discovery.proto")
      assert.include(found, "google/protobuf/any.proto")
      assert.strictEqual(new Set(found).size, found.length)
    }
    const assignment = "envoy.config.endpoint.v3.ClusterLoadAssignment"
    for (const symbol of [assignment, `${assignment}.endpoints`, `${assignment}.Policy`]) {
      const found = files({ $case: "fileContainingSymbol", value: symbol })
      assert.strictEqual(found[0], "envoy/config/endpoint/v3/endpoint.proto")
    }
  })

  it("gives a file by its name", () => {
    const found = files({ $case: "fileByFilename", value: "google/protobuf/any.proto" })
    assert.deepStrictEqual(found, ["google/protobuf/any.proto"])
  })

  it("knows extensions", () => {
    const containingType = "google.protobuf.FieldOptions"
    const answer = ask({ $case: "allExtensionNumbersOfType", value: containingType })
    const numbers = answer?.$case === "allExtensionNumbersResponse" ? answer.value.extensionNumber : []
    assert.include(numbers, 1071)
    const found = files({
      $case: "fileContainingExtension",
      value: { containingType, extensionNumber: 1071 }
    })
    assert.strictEqual(found[0], "validate/validate.proto")
  })

  it("says what it does not know", () => {
    assert.strictEqual(failure({ $case: "fileContainingSymbol", value: "no.such.Message" }), 5)
    assert.strictEqual(failure({ $case: "fileContainingSymbol", value: "x" }), 5)
    assert.strictEqual(failure({ $case: "fileByFilename", value: "no.proto" }), 5)
    assert.strictEqual(failure({ $case: "allExtensionNumbersOfType", value: "no.such.Message" }), 5)
    assert.strictEqual(failure(undefined), 12)
  })
})
