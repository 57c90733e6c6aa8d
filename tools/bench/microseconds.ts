import { measure } from "mitata"

/** The median of the microseconds that one call takes, warm. What the call gives is used, so that nothing is optimized away. */
export const microseconds = async (call: () => unknown): Promise<number> => (await measure(call)).p50 / 1000
