import { clusterSetHostname, kubeHostname, overlaps, resolveShortName, similarName } from "@istiod-lite/model"
import type { ManifestFault } from "@istiod-lite/source-files"
import type { CheckedRun, Placed } from "./checked-run.ts"
import { finding } from "./finding.ts"

/** Hosts of DestinationRules that no Service or ServiceEntry has. */
export const ruleHostRelations = (run: CheckedRun): ReadonlyArray<ManifestFault> => {
  const hosts = knownHosts(run)
  return run.all("DestinationRule").flatMap((rule) => unknownHost(run, hosts, rule))
}

const knownHosts = (run: CheckedRun): ReadonlyArray<string> => [
  ...run
    .all("Service")
    .flatMap(({ object: { meta } }) => [
      kubeHostname(meta.name, meta.namespace, run.domainSuffix),
      clusterSetHostname(meta.name, meta.namespace)
    ]),
  ...run.all("ServiceEntry").flatMap(({ object }) => object.hosts)
]

const unknownHost = (
  run: CheckedRun,
  hosts: ReadonlyArray<string>,
  rule: Placed<"DestinationRule">
): ReadonlyArray<ManifestFault> => {
  const { host: written, meta } = rule.object
  const host = resolveShortName(written, meta.namespace, run.domainSuffix)
  if (hosts.some((known) => overlaps(known, host))) return []
  // Only a name without a dot is completed, which is easily overlooked.
  const completed = hosts.find((known) => known === `${host}.svc.${run.domainSuffix}`)
  if (completed === undefined && !canTell(run, host)) return []
  const meant = completed ?? similarName(host, hosts, 2)
  return [
    finding(rule, {
      path: "spec.host",
      reason: "no Service and no ServiceEntry has this host",
      received: written,
      remedy: meant === undefined ? "correct it, or declare the service" : `did you mean ${meant}?`
    })
  ]
}

/** Whether what declares such hosts is part of the run at all, and could be read. */
const canTell = (run: CheckedRun, host: string): boolean => {
  const [name = "", namespace = ""] = host.split(".")
  const ofServices = [kubeHostname(name, namespace, run.domainSuffix), clusterSetHostname(name, namespace)]
  if (ofServices.includes(host))
    return run.isThere("Service", namespace) && !run.isThere("Service", namespace, name)
  return run.all("ServiceEntry").length > 0 && !run.isRejected("ServiceEntry")
}
