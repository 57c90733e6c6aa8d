/** An API server for tests, in memory and behind sockets: never part of a published package. */
export { FakeApi, type GivenObject, Refusal } from "./src/testing/fake-api.ts"
export { FakeApiServer, type Fault, type Received } from "./src/testing/fake-api-server.ts"
export { failure, FakeKubeClient, type OpenWatch } from "./src/testing/fake-kube-client.ts"
