import { ProxyAuthenticator, XdsGenerators, type XdsUpdater } from "@istiod-lite/model"
import { makeEdsGenerator } from "@istiod-lite/xds-eds"
import { XdsServer, type XdsServerOptions } from "@istiod-lite/xds-server"
import { Effect, Layer } from "effect"
import { type PortError, portError } from "../admin/admin-error.ts"
import type { Discovery } from "../compose/layer-discovery.ts"
import type { GeneratorPlugin, Plugins } from "../compose/plugins.ts"

/**
 * Endpoints are all that the app serves so far.
 *
 * @param ledsThreshold how many endpoints an assignment has that may be sent endpoint by endpoint; zero: none has
 */
export const endpointGenerators = (ledsThreshold: number): ReadonlyArray<GeneratorPlugin> => [
  makeEdsGenerator({ leds: ledsThreshold === 0 ? undefined : { threshold: ledsThreshold } })
]

/** What is served where nobody says otherwise. */
export const defaultGenerators: ReadonlyArray<GeneratorPlugin> = endpointGenerators(0)

/** The xDS server with the generators and the authenticator of `plugins`. */
export const layerXds = (
  { authenticator, generators = defaultGenerators }: Plugins,
  options: Partial<XdsServerOptions>
): Layer.Layer<XdsServer | XdsUpdater, PortError, Discovery> => {
  const served = Layer.effect(XdsGenerators, Effect.all(generators))
  const server = XdsServer.layer(options).pipe(
    Layer.provide(served),
    Layer.catch(({ address, cause }) =>
      Layer.effectContext<XdsServer | XdsUpdater, PortError, never>(
        Effect.fail(
          portError("xDS", address, "--xds-port", cause instanceof Error ? cause.message : String(cause))
        )
      )
    )
  )
  return authenticator === undefined
    ? server
    : Layer.provide(server, Layer.succeed(ProxyAuthenticator, authenticator))
}
