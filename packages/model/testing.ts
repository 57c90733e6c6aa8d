/** Builders and contract suites for tests: never part of a published package. */
export * from "./src/testing/builders.ts"
