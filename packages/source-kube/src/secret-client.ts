import { Effect, type Scope } from "effect"
import { type NamedCluster, unsafeSettings } from "./cluster-secrets.ts"
import type { KubeClient } from "./kube-client.ts"
import { KubeConfigError } from "./kube-config-error.ts"
import { loadKubeConfig } from "./load-kube-config.ts"
import { makeKubeClient } from "./make-kube-client.ts"

/**
 * Makes a client of a cluster with the credentials in its secret, unless they would run programs or read files here.
 *
 * @param allowed unsafe settings that they may have all the same
 */
export const clientOfSecret =
  (allowed?: ReadonlySet<string>) =>
  ({ kubeconfig, secret }: NamedCluster): Effect.Effect<KubeClient, KubeConfigError, Scope.Scope> =>
    Effect.gen(function* () {
      const subject = `the kubeconfig in secret ${secret}`
      const loaded = yield* loadKubeConfig({ from: "text", text: kubeconfig, subject })
      const unsafe = unsafeSettings(loaded.config, allowed)
      if (unsafe.length > 0) {
        const reason = `${unsafe.join(", ")} would run programs or read files here`
        const remedy = "Use a token or certificate data, or allow it (allow-in-secrets)."
        return yield* new KubeConfigError({ subject, reason, remedy })
      }
      return yield* makeKubeClient(loaded)
    })
