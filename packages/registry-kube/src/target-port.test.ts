import { assert, describe, it } from "@effect/vitest"
import { kubePort } from "@istiod-lite/model/testing"
import { targetPortOnMachine, targetPortOnPod } from "./target-port.ts"

const ports = [
  { name: "dns", containerPort: 5353, protocol: "UDP" },
  { name: "dns", containerPort: 5354, protocol: "TCP" },
  { name: "web", containerPort: 8080, protocol: "TCP" }
]

describe("targetPortOnPod (S-20)", () => {
  it.each([
    ["a number, whatever the containers say", kubePort({ targetPort: 9000 }), 9000],
    ["a named container port", kubePort({ targetPort: "web" }), 8080],
    ["a named port of the same transport", kubePort({ targetPort: "dns", protocol: "TCP" }), 5354],
    ["no port where the name is absent", kubePort({ targetPort: "grpc" }), undefined]
  ])("is %s", (_, port, expected) => assert.strictEqual(targetPortOnPod(port, ports), expected))
})

describe("targetPortOnMachine (S-21)", () => {
  it.each([
    ["the numeric target port", kubePort({ targetPort: 9000 }), {}, 9000],
    [
      "the port map's entry of the service port's name, over a number",
      kubePort({ targetPort: 9000 }),
      { http: 7 },
      7
    ],
    [
      "the numeric target port where the map has its name only",
      kubePort({ targetPort: 9000 }),
      { web: 7 },
      9000
    ],
    ["the port map's entry of a named target port", kubePort({ targetPort: "web" }), { web: 7, http: 8 }, 7],
    [
      "no port where the map lacks a named target port",
      kubePort({ targetPort: "web" }),
      { http: 8 },
      undefined
    ]
  ])("is %s", (_, port, map, expected) => assert.strictEqual(targetPortOnMachine(port, map), expected))
})
