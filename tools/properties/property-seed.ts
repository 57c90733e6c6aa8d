/** The seed of all property tests: that of ISTIOD_LITE_PROPERTY_SEED, else always the same (ADR 0016). */
export const propertySeed = (given: string | undefined): number => {
  if (given === undefined || given === "") return 1
  const seed = Number(given)
  if (Number.isInteger(seed)) return seed
  throw new Error(`ISTIOD_LITE_PROPERTY_SEED: ${given} is not a whole number`)
}
