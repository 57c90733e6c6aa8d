import type { LocalityLbSetting } from "../mesh-config.ts"
import type { Fields } from "./fields.ts"

/** Istio's LocalityLoadBalancerSetting; it is enabled unless it says otherwise. */
export const decodeLocalityLbSetting = (fields: Fields): LocalityLbSetting => ({
  enabled: fields.flag("enabled") ?? true,
  distribute: fields.list("distribute").map((it) => ({
    from: it.text("from"),
    to: it.numbers("to", { min: 0, max: 100 })
  })),
  failover: fields.list("failover").map((it) => ({ from: it.text("from"), to: it.text("to") })),
  failoverPriority: fields.texts("failoverPriority")
})
