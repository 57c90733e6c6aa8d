import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { getuid } from "node:process"

/** A program that runs as a user starts it. */
export interface Program {
  /** both streams, so far */
  readonly output: () => string
  /** Waits until the output matches; the match. Fails after a while, or when the program ends before. */
  readonly until: (pattern: RegExp) => Effect.Effect<RegExpMatchArray>
  /** Sends TERM; the exit code. */
  readonly terminate: Effect.Effect<number | null>
  /** The exit code of a program that ends by itself. */
  readonly ended: Effect.Effect<number | null>
}

/** Root's right to read everything is a capability, which util-linux's setpriv takes away. */
const withoutCapabilities = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]

/** Starts a script with this Node; it is ended with the scope. */
export const spawnProgram = (
  script: string,
  args: ReadonlyArray<string>,
  options: {
    readonly env?: Readonly<Record<string, string>>
    readonly input?: string
    /** as a user who may not read everything, also where the tests run as root */
    readonly unprivileged?: boolean
  } = {}
): Effect.Effect<Program, never, Scope.Scope> =>
  Effect.gen(function* () {
    const drop = options.unprivileged === true && getuid?.() === 0 ? withoutCapabilities : []
    const [command = process.execPath, ...words] = [...drop, process.execPath, script, ...args]
    const child = spawn(command, words, {
      env: { NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache"), ...process.env, ...options.env }
    })
    child.stdin.end(options.input ?? "")
    let output = ""
    const watchers = new Set<() => void>()
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text
        for (const look of watchers) look()
      })
    const end = new Promise<number | null>((resolve) => {
      child.on("close", (code) => resolve(code))
    })
    yield* Effect.addFinalizer(() =>
      Effect.promise(() => {
        child.kill("SIGKILL")
        return end
      })
    )
    const until = (pattern: RegExp) =>
      Effect.callback<RegExpMatchArray>((resume) => {
        const look = () => {
          const match = pattern.exec(output)
          if (match !== null) resume(Effect.succeed(match))
        }
        watchers.add(look)
        look()
        void end.then((code) =>
          resume(Effect.die(new Error(`ended with ${code} before ${pattern}:\n${output}`)))
        )
        return Effect.sync(() => watchers.delete(look))
      }).pipe(
        Effect.timeoutOrElse({
          duration: "30 seconds",
          orElse: () => Effect.die(new Error(`no ${pattern} in:\n${output}`))
        })
      )
    return {
      output: () => output,
      until,
      terminate: Effect.promise(() => {
        child.kill("SIGTERM")
        return end
      }),
      ended: Effect.promise(() => end)
    }
  })
