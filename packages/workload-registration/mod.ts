/**
 * Machines that register themselves when their proxies connect, their health and their life.
 */
export * from "./src/annotations.ts"
