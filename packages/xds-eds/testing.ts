/** Builders for tests and benchmarks: never part of a published package. */
export * from "./src/testing/inputs.ts"
export { collectionsOf, withEndpoints } from "./src/testing/with-endpoints.ts"
