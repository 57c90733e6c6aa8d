import { assert, describe, it } from "@effect/vitest"
import { Label, type Pod } from "@istiod-lite/model"
import { pod } from "@istiod-lite/model/testing"
import { workloadNameOf } from "./workload-name.ts"

const generated = (
  controller: string | undefined,
  labels: Record<string, string> = {},
  generateName = "cart-"
): Pod => {
  const [kind = "", name = ""] = controller?.split("/") ?? []
  return pod({
    meta: { name: "cart-x7k2p", labels },
    generateName,
    controller: controller === undefined ? undefined : { apiVersion: "", kind, name }
  })
}

describe("workloadNameOf (S-17)", () => {
  it.each([
    [
      "the pod's label, over its controller",
      generated("ReplicaSet/cart-5d4f", { [Label.workloadName]: "shop" }),
      "shop"
    ],
    [
      "the Deployment of a ReplicaSet",
      generated("ReplicaSet/cart-5d4f", { "pod-template-hash": "5d4f" }),
      "cart"
    ],
    [
      "the Rollout of a ReplicaSet",
      generated("ReplicaSet/cart-5d4f", { "rollouts-pod-template-hash": "5d4f" }),
      "cart"
    ],
    ["a ReplicaSet that has no Deployment", generated("ReplicaSet/cart-5d4f"), "cart-5d4f"],
    [
      "a ReplicaSet whose name ends otherwise",
      generated("ReplicaSet/cart5d4f", { "pod-template-hash": "5d4f" }),
      "cart5d4f"
    ],
    ["the CronJob of a Job", generated("Job/report-28901234"), "report"],
    ["a Job of its own", generated("Job/report-1"), "report-1"],
    ["the DeploymentConfig", generated("ReplicationController/cart-3", { deploymentconfig: "cart" }), "cart"],
    ["a ReplicationController of its own", generated("ReplicationController/cart-3"), "cart-3"],
    ["a StatefulSet", generated("StatefulSet/db"), "db"],
    ["the pod, if its name was not generated", generated("ReplicaSet/cart-5d4f", {}, ""), "cart-x7k2p"],
    ["the pod, if nobody controls it", generated(undefined), "cart-x7k2p"]
  ])("is %s", (_, of, expected) => assert.strictEqual(workloadNameOf(of), expected))
})
