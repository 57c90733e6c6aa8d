import { type ChildProcess, spawn } from "node:child_process"
import { eventually } from "./eventually.ts"

/** A program under test. */
export interface Child {
  /** What it printed so far, both streams. */
  readonly output: () => string
  readonly isRunning: () => boolean
  /** Sends SIGTERM and waits for the end: the exit code, or null when a signal ended it. */
  readonly terminate: () => Promise<number | null>
  /** Sends SIGKILL and waits for the end. */
  readonly kill: () => Promise<void>
}

const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((done, fail) => {
    child.on("exit", (code) => done(code))
    child.on("error", fail)
  })

/** Starts a program; `terminate` must be called. */
export const startChild = (
  command: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): Child => {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } })
  const parts: Array<string> = []
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => parts.push(text))
  const end = ended(child)
  // Seen by `terminate`; without this a program that cannot start would be an unhandled rejection.
  end.catch(() => undefined)
  const isRunning = () => child.exitCode === null && child.signalCode === null
  return {
    output: () => parts.join(""),
    isRunning,
    kill: async () => {
      if (isRunning()) child.kill("SIGKILL")
      await end
    },
    terminate: () => {
      if (isRunning()) child.kill("SIGTERM")
      // A program that ignores TERM fails its test by its exit code, not by a hanging run.
      const kill = setTimeout(() => child.kill("SIGKILL"), 20_000)
      return end.finally(() => clearTimeout(kill))
    }
  }
}

/** Waits until a program's readiness URL answers well. One that ends or does not get there is reaped and reported. */
export const untilReady = async (name: string, child: Child, url: string): Promise<void> => {
  const state = async (): Promise<"ended" | "starting" | "ready"> => {
    if (!child.isRunning()) return "ended"
    return (await fetch(url)).ok ? "ready" : "starting"
  }
  try {
    const reached = await eventually(`${name} is ready`, state, (now) => now !== "starting")
    if (reached === "ended") throw new Error(`${name} ended`)
  } catch (error) {
    await child.terminate()
    throw new Error(`Cannot start ${name}; it printed: ${child.output()}`, { cause: error })
  }
}
