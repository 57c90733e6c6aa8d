import { type ProxyConnection, ProxyLifecycle } from "@istiod-lite/model"
import { Effect, Layer } from "effect"

/**
 * Where objects are files, nobody can be registered in them. A machine that asks for it is served like any other proxy,
 * and the log says once for its group why it gets no traffic.
 */
export const layerNoRegistration: Layer.Layer<never> = Layer.sync(ProxyLifecycle, () => {
  const told = new Set<string>()
  const connected = ({ node, proxy }: ProxyConnection): Effect.Effect<void> => {
    const { AUTO_REGISTER_GROUP: group } = proxy.metadata
    const machines = `${proxy.namespace}/${String(group)}`
    if (typeof group !== "string" || group === "" || told.has(machines)) return Effect.void
    told.add(machines)
    return Effect.logWarning(
      `${node.id} asks to be registered in WorkloadGroup ${machines}, which needs an API server (--kubeconfig, ` +
        "--in-cluster). It is served, and gets no traffic unless a WorkloadEntry for it is among the files."
    )
  }
  return { connected, reported: () => undefined, disconnected: () => undefined, refused: () => undefined }
})
