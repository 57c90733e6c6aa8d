/** A control plane of one's own: Kubernetes objects from files, and machines from an inventory, served over xDS. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { layerDiscovery } from "@istiod-lite/app"
import { layerPushPlanner } from "@istiod-lite/registry-aggregate"
import { layerKubeRegistries } from "@istiod-lite/registry-kube"
import { layerFileSource } from "@istiod-lite/source-files"
import { layerEdsGenerator } from "@istiod-lite/xds-eds"
import { XdsServer } from "@istiod-lite/xds-server"
import { Layer } from "effect"
import { layerMachineRegistry } from "./machine-registry.ts"

const source = layerFileSource({ manifests: [`${import.meta.dirname}/../shop`] })
const registries = [layerKubeRegistries, layerMachineRegistry(`${import.meta.dirname}/inventory.json`)]
const port = Number(process.env["XDS_PORT"] ?? 15010)

const controlPlane = layerPushPlanner.pipe(
  Layer.provide(XdsServer.layer({ port })),
  Layer.provide(layerEdsGenerator()),
  Layer.provide(layerDiscovery({ registries }, source))
)

NodeRuntime.runMain(Layer.launch(controlPlane))
