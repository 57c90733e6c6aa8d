import type { Step } from "./explanation.ts"

/** An object that is no part of a service, but was probably meant to be. */
export interface NearMiss {
  /** `Pod shop/cart-1` */
  readonly object: string
  readonly addresses: ReadonlyArray<string>
  /** what keeps it from being a part, at least one */
  readonly causes: ReadonlyArray<Step>
}
