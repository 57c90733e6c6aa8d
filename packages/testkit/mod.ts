/** A control plane in one process, for tests: sources and clients driven by code, and the conformance runner. */
export * from "./src/memory-source.ts"
