import {
  type KubeService,
  type ObjectMeta,
  type ServiceEntry,
  type TypedObject,
  unknownCreationTime,
  type WorkloadEntry
} from "@istiod-lite/model"

/**
 * A manifest as it would stand after it was applied over the object of its name: what is the cluster's to say (uid,
 * creation time, assigned addresses, status) stays unless the manifest says otherwise.
 */
export const asApplied = (written: TypedObject, before: TypedObject | undefined): TypedObject => {
  const typed = withMeta(written, before?.object.meta)
  if (typed.kind === "Service" && before?.kind === "Service")
    return { ...typed, object: keepService(typed.object, before.object) }
  if (typed.kind === "ServiceEntry" && before?.kind === "ServiceEntry")
    return { ...typed, object: keepAddresses(typed.object, before.object) }
  if (typed.kind === "WorkloadEntry" && before?.kind === "WorkloadEntry")
    return { ...typed, object: keepHealth(typed.object, before.object) }
  return typed
}

/** Newer than any version that a source gives: longer, which counts first (S-15). */
const newestVersion = "9".repeat(24)

const withMeta = <T extends TypedObject>(typed: T, before: ObjectMeta | undefined): T => {
  const { meta } = typed.object
  const kept = { ...meta, resourceVersion: newestVersion }
  return {
    ...typed,
    object: {
      ...typed.object,
      meta:
        before === undefined
          ? kept
          : {
              ...kept,
              uid: meta.uid || before.uid,
              creationTime:
                meta.creationTime === unknownCreationTime ? before.creationTime : meta.creationTime
            }
    }
  }
}

const keepService = (now: KubeService, before: KubeService): KubeService => ({
  ...now,
  ...(now.clusterIP === "" ? { clusterIP: before.clusterIP, clusterIPs: before.clusterIPs } : {}),
  ...(now.loadBalancerIngress.length === 0 ? { loadBalancerIngress: before.loadBalancerIngress } : {})
})

const keepAddresses = (now: ServiceEntry, before: ServiceEntry): ServiceEntry =>
  now.statusAddresses.length > 0 ? now : { ...now, statusAddresses: before.statusAddresses }

const keepHealth = (now: WorkloadEntry, before: WorkloadEntry): WorkloadEntry => ({
  ...now,
  healthy: now.healthy ?? before.healthy
})
