/** Vitest runs this before each file of tests. */
import { configureGlobal } from "fast-check"
import { propertySeed } from "./property-seed.ts"

configureGlobal({ seed: propertySeed(process.env["ISTIOD_LITE_PROPERTY_SEED"]) })
