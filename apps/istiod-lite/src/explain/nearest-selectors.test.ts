import { assert, describe, it } from "@effect/vitest"
import type { Labels } from "@istiod-lite/model"
import { nearestSelectors } from "./nearest-selectors.ts"
import type { Selector } from "./selectors.ts"

const selector = (name: string, labels: Labels, differs: Partial<Selector> = {}): Selector => ({
  object: `Service shop/${name}`,
  field: "spec.selector",
  namespace: "shop",
  labels,
  by: "Service",
  takesMachines: true,
  resolution: undefined,
  ...differs
})
const workload = { object: "WorkloadEntry shop/vm", namespace: "shop", rule: "S-21" } as const
const says = (labels: Labels, ...selectors: ReadonlyArray<Selector>) =>
  nearestSelectors({ ...workload, labels }, selectors).map(({ text }) => text)

const nobody = "no Service or ServiceEntry of namespace shop selects WorkloadEntry shop/vm"

describe("nearestSelectors", () => {
  it("names a selector that one label keeps away", () => {
    assert.deepEqual(says({ app: "cart" }, selector("cart", { app: "cart", tier: "web" })), [
      `Service shop/cart does not select it: label tier is missing, not "web"`
    ])
  })

  it("names a value that is nearly the wanted one, and no other", () => {
    const cart = selector("cart", { app: "cart" })
    assert.deepEqual(says({ app: "cart-vm" }, cart, selector("tax", { app: "tax" })), [
      `Service shop/cart does not select it: label app is "cart-vm", not "cart"`
    ])
    assert.deepEqual(says({ app: "batch" }, cart), [nobody])
    assert.deepEqual(says({}, cart), [nobody])
  })

  it("stops after three", () => {
    const many = Array.from({ length: 9 }, (_, i) => selector(`cart-${i}`, { app: "cart", part: `${i}` }))
    assert.lengthOf(says({ app: "cart" }, ...many), 3)
  })

  it("tells by which rule pods are taken", () => {
    const [step] = nearestSelectors(
      { ...workload, object: "Pod shop/cart-1", labels: { app: "carts" }, rule: "S-13" },
      [selector("cart", { app: "cart" })]
    )
    assert.strictEqual(step?.rule, "S-13")
  })
})
