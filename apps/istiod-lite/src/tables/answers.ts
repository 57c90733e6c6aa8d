/** What tables read of the answers; fields that they do not show are passed over. */
import { Schema } from "effect"
import { StaleAnswer } from "./stale-lines.ts"

const Text = Schema.optionalKey(Schema.String)
const Texts = Schema.optionalKey(Schema.Array(Schema.String))

export const ServiceAnswer = Schema.Struct({
  hostname: Schema.String,
  namespace: Text,
  registry: Text,
  resolution: Text,
  ports: Schema.Array(Schema.Struct({ number: Schema.Finite, protocol: Schema.String })),
  clusterVIPs: Schema.optionalKey(Schema.Record(Schema.String, Schema.Array(Schema.String))),
  defaultAddress: Text,
  autoAllocatedIPv4: Text,
  stale: Schema.optionalKey(Schema.Array(StaleAnswer))
})
export type ServiceAnswer = typeof ServiceAnswer.Type
export const ServicesAnswer = Schema.Array(ServiceAnswer)

export const EndpointAnswer = Schema.Struct({
  addresses: Texts,
  port: Schema.optionalKey(Schema.Finite),
  servicePortName: Text,
  labels: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  health: Schema.optionalKey(Schema.Literals(["HEALTHY", "UNHEALTHY", "DRAINING", "TERMINATING", "UNKNOWN"])),
  locality: Text,
  lbWeight: Schema.optionalKey(Schema.Finite),
  workloadName: Text,
  stale: Schema.optionalKey(StaleAnswer)
})
export type EndpointAnswer = typeof EndpointAnswer.Type
/** `namespace/hostname` → shard → endpoints */
export const EndpointsAnswer = Schema.Record(
  Schema.String,
  Schema.Record(Schema.String, Schema.Array(EndpointAnswer))
)

export const ProxiesAnswer = Schema.Array(
  Schema.Struct({
    name: Schema.String,
    type: Text,
    peer: Text,
    protocol: Text,
    connectedAt: Text,
    behindSince: Text,
    subscriptions: Schema.Array(
      Schema.Struct({
        typeUrl: Schema.String,
        names: Schema.Finite,
        sent: Text,
        accepted: Text,
        refused: Text
      })
    )
  })
)

export const ClustersAnswer = Schema.Array(
  Schema.Struct({
    cluster: Schema.String,
    config: Schema.Boolean,
    synced: Schema.Boolean,
    stale: Schema.optionalKey(Schema.Struct({ since: Schema.String, because: Schema.String })),
    server: Schema.optionalKey(Schema.String),
    state: Schema.optionalKey(Schema.String),
    since: Schema.optionalKey(Schema.String),
    error: Schema.optionalKey(Schema.String),
    problems: Schema.optionalKey(
      Schema.Array(Schema.Struct({ kind: Schema.String, state: Schema.String, problem: Schema.String }))
    ),
    objects: Schema.Record(Schema.String, Schema.Finite)
  })
)

export const MachinesAnswer = Schema.Struct({
  machines: Schema.Array(
    Schema.Struct({
      namespace: Schema.String,
      name: Schema.String,
      address: Schema.String,
      registeredBy: Schema.String,
      replica: Schema.optionalKey(Schema.String),
      connection: Schema.String,
      since: Schema.optionalKey(Schema.String),
      peer: Schema.optionalKey(Schema.String),
      identity: Schema.optionalKey(Schema.String),
      health: Schema.String,
      checkedBy: Schema.optionalKey(Schema.String),
      draining: Schema.optionalKey(Schema.Boolean),
      expires: Schema.optionalKey(Schema.String)
    })
  ),
  refused: Schema.Array(
    Schema.Struct({
      at: Schema.String,
      times: Schema.Finite,
      node: Schema.String,
      peer: Schema.String,
      reason: Schema.String
    })
  )
})

const LbEndpoint = Schema.Struct({
  endpoint: Schema.optionalKey(
    Schema.Struct({
      address: Schema.optionalKey(
        Schema.Struct({
          socketAddress: Schema.optionalKey(
            Schema.Struct({ address: Text, portValue: Schema.optionalKey(Schema.Finite) })
          ),
          pipe: Schema.optionalKey(Schema.Struct({ path: Text })),
          envoyInternalAddress: Schema.optionalKey(Schema.Struct({ endpointId: Text }))
        })
      )
    })
  ),
  healthStatus: Text,
  loadBalancingWeight: Schema.optionalKey(Schema.Finite)
})
export type LbEndpoint = typeof LbEndpoint.Type

const Assignment = Schema.Struct({
  endpoints: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        locality: Schema.optionalKey(Schema.Struct({ region: Text, zone: Text, subZone: Text })),
        priority: Schema.optionalKey(Schema.Finite),
        lbEndpoints: Schema.optionalKey(Schema.Array(LbEndpoint))
      })
    )
  )
})
export type Assignment = typeof Assignment.Type

export const RenderAnswer = Schema.Struct({
  proxy: Schema.String,
  stale: Schema.optionalKey(Schema.Array(StaleAnswer)),
  targets: Schema.Struct({
    proxyLocality: Text,
    targets: Schema.Array(
      Schema.Struct({ hostname: Schema.String, port: Schema.Struct({ number: Schema.Finite }) })
    )
  }),
  visible: Schema.Array(Schema.Struct({ hostname: Schema.String, addresses: Texts })),
  eds: Schema.Record(Schema.String, Assignment),
  excluded: Schema.Record(Schema.String, Schema.Array(Schema.Struct({ because: Schema.String })))
})
export type RenderAnswer = typeof RenderAnswer.Type
