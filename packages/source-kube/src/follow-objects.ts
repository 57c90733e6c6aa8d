import { Effect, FiberSet } from "effect"
import type { ClusterSourceOptions } from "./cluster-source.ts"
import type { KubeClient } from "./kube-client.ts"
import type { KubeError } from "./kube-error.ts"
import { ObjectFeed, type ObjectFeedTarget } from "./object-feed.ts"
import { reflect } from "./reflector.ts"
import type { RawListed } from "./watch-event.ts"

/** Which objects are followed: of a core kind, in one namespace. */
export interface FollowedObjects {
  readonly client: KubeClient
  readonly namespace: string
  readonly plural: string
  readonly query: Readonly<Record<string, string>>
  readonly reflector: ClusterSourceOptions["reflector"] | undefined
}

/** What is done with them. */
export interface FollowedObjectsTarget<A> {
  readonly onSet: (objects: ReadonlyMap<string, A>, log: (effect: Effect.Effect<void>) => void) => void
  /** They were read for the first time, or may not be read: nobody has to wait for them any more. */
  readonly onRead: Effect.Effect<unknown>
}

/** Follows a few objects for as long as the scope lives; all of them are told after each change. */
export const followObjects = Effect.fnUntraced(function* <A extends RawListed>(
  { client, namespace, plural, query, reflector }: FollowedObjects,
  is: (raw: RawListed) => raw is A,
  { onRead, onSet }: FollowedObjectsTarget<A>
) {
  const fork = yield* FiberSet.makeRuntime()
  const name = `${plural} of namespace ${namespace}`
  let isRead = false
  let told = ""
  const once = (): void => {
    if (isRead) return
    isRead = true
    fork(onRead)
  }
  const target: ObjectFeedTarget<A> = {
    set: (objects) => {
      onSet(objects, (log) => void fork(log))
      once()
    },
    failed: (error, failures) => {
      // Connections get cut now and then: that is no news while the next attempt succeeds.
      if (told !== error.message && (failures > 1 || error.status === 403)) {
        fork(Effect.logWarning(refusal(error, plural)))
        told = error.message
      }
      if (error.status === 403) once()
    },
    healthy: () => {
      if (told !== "") fork(Effect.logInfo(`${name} are followed again`))
      told = ""
    }
  }
  const path = `/api/v1/namespaces/${namespace}/${plural}`
  yield* Effect.forkScoped(reflect({ client, name, path, query, ...reflector }, new ObjectFeed(is, target)))
})

const refusal = (error: KubeError, plural: string): string =>
  error.status === 403
    ? `${error.message}. Add a rule to the role: apiGroups: [""], resources: ["${plural}"], verbs: ["list", "watch"].`
    : error.message
