import { Label, type Labels } from "./labels.ts"

/** Where a workload runs, from coarse to fine; empty parts are unknown. */
export interface Locality {
  readonly region: string
  readonly zone: string
  readonly subzone: string
}

/** Nothing is known of where a workload runs. */
export const noLocality: Locality = Object.freeze({ region: "", zone: "", subzone: "" })

/** Reads `region/zone/subzone`; missing parts are empty, more than three parts are ignored (S-6). */
export const parseLocality = (text: string): Locality => {
  const [region = "", zone = "", subzone = ""] = text.split("/")
  return { region, zone, subzone }
}

/** The label form uses `.` instead of `/`, because a label value may hold no slash; one with a slash is taken as it is (S-6). */
export const localityOfLabel = (value: string): string =>
  value.includes("/") ? value : value.split(".").join("/")

/** `region/zone/subzone` without empty parts at its end. */
export const formatLocality = ({ region, subzone, zone }: Locality): string => {
  if (subzone !== "") return `${region}/${zone}/${subzone}`
  return zone === "" ? region : `${region}/${zone}`
}

/** Whether all three parts are equal. */
export const equalLocality = (a: Locality, b: Locality): boolean =>
  a.region === b.region && a.zone === b.zone && a.subzone === b.subzone

/** The locality that a workload's own labels name, or undefined (S-17): the topology label before the older one. */
export const localityOfLabels = (labels: Labels): string | undefined => {
  const value = labels[Label.topologyLocality] || labels[Label.istioLocality]
  return value ? localityOfLabel(value) : undefined
}
