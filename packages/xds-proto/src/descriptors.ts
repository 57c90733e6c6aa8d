import { createFileRegistry, fromBinary, type FileRegistry } from "@bufbuild/protobuf"
import { base64Decode } from "@bufbuild/protobuf/wire"
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt"
import { fileDescriptorSet } from "./gen/file-descriptor-set.ts"

let registry: FileRegistry | undefined

/**
 * The descriptors of every message and service that this package knows, with all imports.
 *
 * For what cannot be generated: JSON of any message and gRPC reflection. Decoded at the first call (about 40 ms), then
 * kept; the encoders and decoders of the hot paths do not use it.
 */
export const fileRegistry = (): FileRegistry => {
  registry ??= createFileRegistry(fromBinary(FileDescriptorSetSchema, base64Decode(fileDescriptorSet)))
  return registry
}
