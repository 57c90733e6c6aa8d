/** Annotations by which a machine's WorkloadEntry tells its life: Istio's, and ours where Istio has none. */

/** The WorkloadGroup that the entry was registered from. */
export const groupAnnotation = "istio.io/autoRegistrationGroup"
/** The replica that the machine is, or was last, connected to. */
export const controllerAnnotation = "istio.io/workloadController"
/** RFC 3339 with nanoseconds; absent while the machine is away. */
export const connectedAtAnnotation = "istio.io/connectedAt"
/** RFC 3339 with nanoseconds; absent while the machine is connected. */
export const disconnectedAtAnnotation = "istio.io/disconnectedAt"
/** `true`: the entry serves only while its condition Healthy is true (S-34). */
export const healthChecksAnnotation = "proxy.istio.io/health-checks-enabled"
/** `true`: an operator took the machine out of traffic. */
export const drainAnnotation = "istiod-lite.io/drain"
/** When the entry's lease ends, RFC 3339; its owner renews it by writing a later time. */
export const expiresAnnotation = "istiod-lite.io/expires"
/** A readiness probe that the control plane runs, as JSON in the form of WorkloadGroup's `spec.probe`. */
export const probeAnnotation = "istiod-lite.io/probe"
