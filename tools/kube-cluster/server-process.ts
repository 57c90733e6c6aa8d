import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, openSync, readFileSync } from "node:fs"

/** A server program whose output goes to a file; `env` is laid over this process's environment. */
export class ServerProcess {
  readonly #name: string
  readonly #child: ChildProcess
  readonly #log: string
  readonly #ended: Promise<void>

  constructor(
    name: string,
    command: string,
    args: ReadonlyArray<string>,
    log: string,
    env: Readonly<Record<string, string>> = {}
  ) {
    this.#name = name
    this.#log = log
    const output = openSync(log, "a")
    this.#child = spawn(command, args, {
      stdio: ["ignore", output, output],
      env: { ...process.env, ...env }
    })
    closeSync(output)
    this.#ended = new Promise((done) => {
      this.#child.on("exit", () => done())
      this.#child.on("error", () => done())
    })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Asks again, every 50 ms unless told, until it answers well. */
  async untilReady(ask: () => Promise<boolean>, { everyMs = 50, seconds = 60 } = {}): Promise<void> {
    const end = performance.now() + seconds * 1000
    while (performance.now() < end) {
      if (!this.isRunning) break
      if (await ask().catch(() => false)) return
      await new Promise((done) => setTimeout(done, everyMs))
    }
    const tail = readFileSync(this.#log, "utf8").split("\n").slice(-10).join("\n")
    const what = this.isRunning ? `is not ready after ${seconds} s` : "ended"
    await this.end("SIGKILL")
    throw new Error(`Cannot start ${this.#name}: it ${what}. It printed:\n${tail}`)
  }

  /** Ends it, and waits for that. */
  async end(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    if (this.isRunning) this.#child.kill(signal)
    const force = setTimeout(() => this.#child.kill("SIGKILL"), 10_000)
    await this.#ended
    clearTimeout(force)
  }
}
