import type { Endpoint } from "@istiod-lite/model"
import { drainingLabel } from "@istiod-lite/workload-registration"

/** Health as people mean it: a workload whose label asks for it is draining, whatever its object says of its health. */
export const shownHealth = ({ health, labels }: Pick<Endpoint, "health" | "labels">): Endpoint["health"] =>
  labels[drainingLabel] && (health === "HEALTHY" || health === "UNKNOWN") ? "DRAINING" : health
