import { toBinary, type DescFile } from "@bufbuild/protobuf"
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt"
import { fileRegistry } from "./descriptors.ts"
import type {
  ServerReflectionRequest,
  ServerReflectionResponse
} from "./gen/grpc/reflection/v1/reflection.ts"

const notFound = 5
const unimplemented = 12

type Answer = NonNullable<ServerReflectionResponse["messageResponse"]>

/**
 * Answers a request of gRPC server reflection about the messages that this package knows and the `services` given by
 * full name. Files come with everything they import. Pure: the transport is the caller's.
 *
 * Source: grpc/reflection/v1/reflection.proto (v1alpha is the same on the wire).
 */
export const reflect = (
  request: ServerReflectionRequest,
  services: ReadonlyArray<string>
): ServerReflectionResponse => ({
  validHost: request.host,
  originalRequest: request,
  messageResponse: answer(request.messageRequest, services)
})

const answer = (
  asked: ServerReflectionRequest["messageRequest"],
  services: ReadonlyArray<string>
): Answer => {
  const registry = fileRegistry()
  switch (asked?.$case) {
    case "listServices":
      return { $case: "listServicesResponse", value: { service: services.map((name) => ({ name })) } }
    case "fileByFilename":
      return files(registry.getFile(asked.value), asked.value)
    case "fileContainingSymbol":
      return files(fileDefining(asked.value), asked.value)
    case "fileContainingExtension": {
      const { containingType, extensionNumber } = asked.value
      const type = registry.getMessage(containingType)
      const extension = type === undefined ? undefined : registry.getExtensionFor(type, extensionNumber)
      return files(extension?.file, `extension ${extensionNumber} of ${containingType}`)
    }
    case "allExtensionNumbersOfType":
      return extensionNumbers(asked.value)
    case undefined:
    default:
      return failure(unimplemented, "the request asks for nothing that this server knows")
  }
}

/** The file that defines a message, enum, service or extension, or that has it as a field, value or method. */
const fileDefining = (symbol: string): DescFile | undefined => {
  const registry = fileRegistry()
  return (registry.get(symbol) ?? registry.get(symbol.slice(0, Math.max(0, symbol.lastIndexOf(".")))))?.file
}

const extensionNumbers = (type: string): Answer => {
  const registry = fileRegistry()
  if (registry.getMessage(type) === undefined) return failure(notFound, `no message ${type}`)
  const extensionNumber = [...registry].flatMap((known) =>
    known.kind === "extension" && known.extendee.typeName === type ? [known.number] : []
  )
  return { $case: "allExtensionNumbersResponse", value: { baseTypeName: type, extensionNumber } }
}

const files = (file: DescFile | undefined, asked: string): Answer => {
  if (file === undefined) return failure(notFound, `no file with ${asked}`)
  const all = new Set<DescFile>()
  const visit = (one: DescFile): void => {
    if (all.has(one)) return
    all.add(one)
    one.dependencies.forEach(visit)
  }
  visit(file)
  const fileDescriptorProto = [...all].map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto))
  return { $case: "fileDescriptorResponse", value: { fileDescriptorProto } }
}

const failure = (errorCode: number, errorMessage: string): Answer => ({
  $case: "errorResponse",
  value: { errorCode, errorMessage }
})
