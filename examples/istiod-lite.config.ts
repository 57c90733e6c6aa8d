/** `istiod-lite serve --config examples/istiod-lite.config.ts`: the app, with a registry of one's own beside its own. */
import { controlPlane, defaultRegistries } from "@istiod-lite/app"
import { layerFileSource } from "@istiod-lite/source-files"
import { join } from "node:path"
import { layerMachineRegistry } from "./custom-control-plane/machine-registry.ts"

const here = import.meta.dirname

export default controlPlane({
  sources: layerFileSource({ manifests: [join(here, "shop")] }),
  registries: [...defaultRegistries, layerMachineRegistry(join(here, "custom-control-plane/inventory.json"))]
})
