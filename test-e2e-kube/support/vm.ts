/** A virtual machine: its own network namespace with an address of its own, an application, and an agent. */
import { spawn, type ChildProcess } from "node:child_process"
import { join } from "node:path"
import { runCommand } from "../../tools/run-command.ts"

/** A running machine. */
export interface Vm extends AsyncDisposable {
  readonly address: string
  /** the host's address in the machine's network */
  readonly gateway: string
  /** Connects its agent to a control plane, by the host's address. */
  readonly connect: (xdsPort: number, token: string, group: string) => void
  /** The agent reports; without a message the application is well. */
  readonly report: (message?: string) => void
  /** Breaks the connection without a word, as a machine does that loses its power. */
  readonly cut: () => Promise<void>
}

const ip = async (...args: ReadonlyArray<string>): Promise<void> => {
  const { code, output } = await runCommand("ip", args)
  if (code !== 0)
    throw new Error(`ip ${args.join(" ")} ended with ${code} (network namespaces need root): ${output}`)
}

/** Starts machine number `index` (1 …): 198.18.<index>.2, whose application answers HTTP on `port`. */
export const startVm = async (index: number, port: number): Promise<Vm> => {
  await using resources = new AsyncDisposableStack()
  const name = `il-vm-${process.pid}-${index}`
  const [outer, inner] = [
    `ilo${index}-${process.pid}`.slice(0, 15),
    `ili${index}-${process.pid}`.slice(0, 15)
  ]
  const [gateway, address] = [`198.18.${index}.1`, `198.18.${index}.2`]
  await ip("netns", "add", name)
  resources.defer(() => ip("netns", "del", name))
  await ip("link", "add", outer, "type", "veth", "peer", "name", inner, "netns", name)
  await ip("addr", "add", `${gateway}/30`, "dev", outer)
  await ip("link", "set", outer, "up")
  await ip("-n", name, "addr", "add", `${address}/30`, "dev", inner)
  await ip("-n", name, "link", "set", inner, "up")
  await ip("-n", name, "link", "set", "lo", "up")
  await ip("-n", name, "route", "add", "default", "via", gateway)
  const main = join(import.meta.dirname, "vm-main.ts")
  const args = ["netns", "exec", name, process.execPath, main, address, String(port), gateway]
  const child = spawn("ip", args, { stdio: ["pipe", "inherit", "inherit"] })
  resources.defer(() => ended(child))
  const all = resources.move()
  const say = (...words: ReadonlyArray<string | number>): void => {
    child.stdin.write(`${JSON.stringify(words)}\n`)
  }
  return {
    address,
    gateway,
    connect: (xdsPort, token, group) => say("connect", xdsPort, token, group),
    report: (message) => say("report", ...(message === undefined ? [] : [message])),
    cut: () => ip("-n", name, "link", "set", inner, "down"),
    [Symbol.asyncDispose]: () => all.disposeAsync()
  }
}

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((done) => {
    child.on("exit", () => done())
    child.kill("SIGKILL")
  })
