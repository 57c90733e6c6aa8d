import type { TestProject } from "vitest/node"
import { ensureProgram } from "../tools/programs/program.ts"

declare module "vitest" {
  export interface ProvidedContext {
    /** Path of the Envoy binary. */
    readonly envoy: string
  }
}

/** Fetches and builds the real programs before the first test, so that no test's time goes into it. */
export const setup = async (project: TestProject): Promise<void> => {
  project.provide("envoy", await ensureProgram("envoy"))
  await ensureProgram("istio-crds")
  await ensureProgram("etcd")
  await ensureProgram("kube-apiserver")
}
