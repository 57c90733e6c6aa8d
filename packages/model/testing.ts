/** Builders and contract suites for tests: never part of a published package. */
export * from "./src/testing/builders.ts"
export * from "./src/testing/istio-builders.ts"
export * from "./src/testing/kube-builders.ts"
export * from "./src/testing/manifests.ts"
export * from "./src/testing/registry-contract.ts"
export * from "./src/testing/serviceentry-builders.ts"
export * from "./src/testing/workloads.ts"
export * from "./src/testing/written-registry.ts"
