import { assert, describe, it } from "@effect/vitest"
import type * as grpc from "@grpc/grpc-js"
import { ServerReflectionRequest } from "@istiod-lite/xds-proto"
import { Duplex } from "node:stream"
import { addGrpcReflection } from "./grpc-reflection.ts"

/** A call whose client sends requests, and reads answers only when told. */
const slowCall = () => {
  const answers: Array<unknown> = []
  let read: (() => void) | undefined
  const call = new Duplex({
    objectMode: true,
    read: () => {},
    write: (answer, _, done) => {
      answers.push(answer)
      read = done
    }
  })
  const readOne = () => {
    const done = read
    read = undefined
    done?.()
  }
  return { call, answers, readOne }
}

const request = ServerReflectionRequest.decode(new Uint8Array())
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe("addGrpcReflection", () => {
  it("takes no more requests of a client that reads no answers, and goes on when it reads", async () => {
    const services: Array<grpc.UntypedServiceImplementation> = []
    const server: Pick<grpc.Server, "addService"> = {
      addService: (_, implementation) => void services.push(implementation)
    }
    addGrpcReflection(server, [])
    const { answers, call, readOne } = slowCall()
    const handle: unknown = services[0]?.ServerReflectionInfo
    if (typeof handle !== "function") throw new Error("no handler")
    Reflect.apply(handle, undefined, [call])
    for (let i = 0; i < 1000; i++) call.push(request)
    await turn()
    // One is being written, and the stream holds as many as it is made for.
    assert.isBelow(answers.length + call.writableLength, 50)
    for (let i = 0; i < 1000; i++) {
      readOne()
      await turn()
    }
    assert.strictEqual(answers.length, 1000)
  })
})
