import { watch } from "chokidar"
import { basename } from "node:path"

/** Whether a change of this path can matter. A `..data` link is how Kubernetes swaps mounted configuration. */
const isHidden = (path: string): boolean => /^\.[^.]/.test(basename(path))

/**
 * Calls `onChange` whenever something may have changed under one of the paths, which need not be there yet. Ready
 * when no change will be missed any more. Which changes they are is not told: whoever is called looks for itself.
 */
export const watchPaths = async (
  paths: ReadonlyArray<string>,
  onChange: () => void
): Promise<{ readonly close: () => Promise<void> }> => {
  const watcher = watch([...paths], {
    ignored: (path) => isHidden(path) && !paths.includes(path),
    ignoreInitial: true,
    atomic: false
  })
  watcher.on("all", onChange)
  // What cannot be watched, for a missing permission mostly, is found unreadable when it is looked at.
  watcher.on("error", onChange)
  await new Promise<void>((resolve) => {
    watcher.once("ready", resolve)
    watcher.once("error", () => resolve())
  })
  return { close: () => watcher.close() }
}
