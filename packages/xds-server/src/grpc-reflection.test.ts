import { assert, describe, it } from "@effect/vitest"
import { ServerReflectionRequest } from "@istiod-lite/xds-proto"
import type { GrpcCall } from "./grpc-call.ts"
import { grpcReflection } from "./grpc-reflection.ts"

const request = ServerReflectionRequest.encode({
  host: "",
  messageRequest: { $case: "listServices", value: "" }
}).finish()

/** A call whose client has asked `asked` times, and reads answers only when told; the transport holds requests back. */
const slowCall = (asked: number) => {
  const unread: Array<() => void> = []
  let held = asked
  const state = { isPaused: false }
  const deliver = (): void => {
    while (held > 0 && !state.isPaused) {
      held--
      handler?.onMessage(request)
    }
  }
  const call: GrpcCall = {
    peer: { address: "test", identities: [] },
    send: (_, done) => void unread.push(done),
    pause: () => {
      state.isPaused = true
    },
    resume: () => {
      state.isPaused = false
      deliver()
    },
    close: () => assert.fail("the call goes on")
  }
  const handler = [...grpcReflection([]).values()][0]?.(call)
  deliver()
  return unread
}

describe("grpcReflection", () => {
  it("takes no more requests of a client that reads no answers, and goes on when it reads", () => {
    const unread = slowCall(1000)
    let answers = 0
    for (let done = unread.shift(); done !== undefined; done = unread.shift()) {
      assert.lengthOf(unread, 0)
      answers++
      done()
    }
    assert.strictEqual(answers, 1000)
  })
})
