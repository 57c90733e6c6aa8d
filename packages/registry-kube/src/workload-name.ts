import { Label, type Pod } from "@istiod-lite/model"

/** A CronJob's jobs are named `<cron job>-<minutes since the epoch>`, 8 to 10 digits. */
const cronJob = /^(.+)-\d{8,10}$/

const templateHashes = ["pod-template-hash", "rollouts-pod-template-hash"]

/**
 * The workload that a pod belongs to (S-17): its label, else its controller — a ReplicaSet stands for its
 * Deployment, a Job for its CronJob — if the pod's name was generated, else the pod itself.
 */
export const workloadNameOf = (pod: Pod): string => {
  const labels = pod.meta.labels
  const label = labels[Label.workloadName]
  if (label !== undefined) return label
  return (pod.generateName === "" ? "" : nameOfController(pod)) || pod.meta.name
}

const nameOfController = (pod: Pod): string => {
  const owner = pod.controller
  if (owner === undefined) return ""
  const labels = pod.meta.labels
  switch (owner.kind) {
    case "ReplicaSet": {
      const hash = templateHashes
        .map((name) => labels[name])
        .find((value) => value && owner.name.endsWith(value))
      return hash !== undefined && owner.name.endsWith(`-${hash}`)
        ? owner.name.slice(0, -hash.length - 1)
        : owner.name
    }
    case "ReplicationController":
      return labels["deploymentconfig"] || owner.name
    case "Job":
      return cronJob.exec(owner.name)?.[1] ?? owner.name
    default:
      return owner.name
  }
}
