/** Load-balancing weights are 32-bit on the wire: a sum that does not fit is the largest weight there is (S-63). */
export const maxWeight = 2 ** 32 - 1

export const clampWeight = (weight: number): number => Math.min(weight, maxWeight)

export const sumOfWeights = (endpoints: ReadonlyArray<{ readonly weight: number }>): number => {
  let sum = 0
  for (const { weight } of endpoints) sum += weight
  return clampWeight(sum)
}
