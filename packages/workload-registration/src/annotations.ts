/** By what a machine's WorkloadEntry tells its life: Istio's annotations and labels, and ours where Istio has none. */
import { Annotation } from "@istiod-lite/model"

/** The WorkloadGroup that the entry was registered from. */
export const groupAnnotation = Annotation.autoRegistrationGroup
/** The replica that the machine is, or was last, connected to. */
export const controllerAnnotation = "istio.io/workloadController"
/** RFC 3339; absent while the machine is away. */
export const connectedAtAnnotation = "istio.io/connectedAt"
/** RFC 3339; absent while the machine is connected. */
export const disconnectedAtAnnotation = "istio.io/disconnectedAt"
/** `true`: the entry serves only while its condition Healthy is true (S-34). */
export const healthChecksAnnotation = Annotation.healthChecksEnabled
/** A readiness probe that the control plane runs, as JSON in the form of WorkloadGroup's `spec.probe`. */
export const probeAnnotation = Annotation.probe
/** When the entry's lease ends, RFC 3339; its owner renews it by writing a later time. */
export const expiresAnnotation = "istiod-lite.io/expires"
/** The label by which an operator takes a machine out of traffic; Istio's. Any text but the empty one counts. */
export const drainingLabel = "istio.io/draining"
