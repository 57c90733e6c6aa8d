/** Replicas and machines in memory, for tests: never part of a published package. */
export { connectionOf, group, impostors, ledgerEntry, type MachineFields } from "./src/testing/machines.ts"
export { type Replica, Replicas } from "./src/testing/replicas.ts"
