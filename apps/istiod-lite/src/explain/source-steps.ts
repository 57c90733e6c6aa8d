import { type Endpoint, type HeldBack, hasLabels, type Service } from "@istiod-lite/model"
import type { Candidate } from "./candidates.ts"
import { drop, note, pass, type Step } from "./explanation.ts"
import { declaringObject, labelsText, objectName, originName, sliceName } from "./object-names.ts"

/** Which object names the address. */
export const sourceStep = ({ group, told }: Candidate): Step => {
  const slice = sliceName(group)
  if (slice !== undefined) return pass("source", `${slice} lists it`)
  if ("held" in told) return pass("source", `${told.held.object} has the address`)
  const { origin } = told.endpoint
  return pass(
    "source",
    origin.kind === "Inline"
      ? `${originName(told.endpoint)} lists it in spec.endpoints`
      : origin.kind === "WorkloadEntry"
        ? `${originName(told.endpoint)} has it in spec.address`
        : `registry ${group.shard} tells it`
  )
}

/** What is known of the workload behind an endpoint. */
export const workloadStep = (endpoint: Endpoint): Step => {
  const { node, origin, serviceAccount } = endpoint
  if (origin.kind === "Address")
    return note("workload", "no pod is known at it, so it has no labels or identity")
  const facts = [
    originName(endpoint),
    ...(node === "" ? [] : [`node ${node}`]),
    serviceAccount === "" ? "no identity" : serviceAccount
  ]
  return pass("workload", facts.join(", "))
}

/** How the workload came to the service. */
export const serviceStep = (candidate: Candidate, service: Service): Step => {
  const { group, told } = candidate
  const by = declaringObject(service)
  if (group.slice !== undefined) return pass("service", `label kubernetes.io/service-name leads to ${by}`)
  const isInline = "endpoint" in told && told.endpoint.origin.kind === "Inline"
  return hasLabels(service.labelSelectors) && !isInline
    ? pass("service", `${by} selects ${labelsText(service.labelSelectors)}`)
    : pass("service", `declared for ${service.hostname}`)
}

/** Why an address that an object names gives no endpoint (D-13, S-13, S-21). */
export const heldStep = (
  { address, object, reason }: HeldBack,
  { group }: Candidate,
  service?: Service
): Step => {
  const slice = sliceName(group) ?? "the object that lists it"
  const wordsOf: Readonly<Record<HeldBack["reason"], Words>> = {
    PodMissing: [
      "S-13",
      `${object}, which ${slice} names for ${address}, is not there`,
      `create ${object}, or take it out of endpoints[].targetRef of ${slice}`
    ],
    PodEnded: [
      "D-13",
      `${object} has ended: its status.phase is Failed or Succeeded`,
      `replace ${object}; then take ${address} out of endpoints[] of ${slice}`
    ],
    PodReplaced: [
      "D-13",
      `${slice} means an earlier ${object}: the uid differs`,
      `wait until ${slice} is written anew, or set endpoints[].targetRef.uid to that of ${object}`
    ],
    NamedPortMissing: [
      "S-21",
      `${object} does not have a port that the service's targetPort names: ${namedPorts(service)}`,
      `add ${namedPorts(service)} to spec.ports of ${object}, or write a number in spec.ports[].targetPort` +
        (service === undefined ? "" : ` of ${declaringObject(service)}`)
    ],
    AddressNotIp: [
      "S-21",
      `${object} has ${JSON.stringify(address)} for an address, and Kubernetes Services take machines by IP only`,
      `set an IP in spec.address of ${object}, or declare a ServiceEntry with resolution DNS for it`
    ]
  }
  return drop("workload", ...wordsOf[reason])
}

type Words = readonly [rule: string, text: string, remedy: string]

const namedPorts = (service: Service | undefined): string => {
  const names = service?.kube?.targetPorts.flatMap(({ targetPort }) =>
    typeof targetPort === "string" ? [targetPort] : []
  )
  return names === undefined || names.length === 0 ? "the named port" : [...new Set(names)].join(", ")
}

/** Another slice tells the address of this one (S-15). */
export const supersededStep = ({ group }: Candidate, newer: string | undefined): Step =>
  drop(
    "slices",
    "S-15",
    `${newer ?? "another slice"} tells the same address and port, and is the newer one`,
    `remove the address from endpoints[] of ${objectName("EndpointSlice", {
      name: group.slice?.name ?? "",
      namespace: group.namespace
    })}`
  )
