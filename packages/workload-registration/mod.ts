/**
 * Machines that register themselves when their proxies connect, their health and their life.
 */
export * from "./src/annotations.ts"
export { entryName } from "./src/entry-name.ts"
export { type Machine, machineOf, type RefusedMachine } from "./src/machine.ts"
export { refusalOf } from "./src/may-control.ts"
export {
  layerWorkloadRegistration,
  refusedRegistrations,
  WorkloadRegistration,
  type WorkloadRegistrationOptions
} from "./src/registration.ts"
