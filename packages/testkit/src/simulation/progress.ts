/** How far a long run is, in one line. */
export interface Progress {
  readonly played: number
  readonly failed: number
  readonly of: number
  readonly seconds: number
}

const barLength = 30

/** `12,400 of 20,000 histories, 0 failed, 31 a second, 4 min left` */
export const progressText = ({ failed, of, played, seconds }: Progress): string => {
  const rate = played / Math.max(seconds, 0.001)
  const left = rate > 0 ? `, ${timeText((of - played) / rate)} left` : ""
  return `${count(played)} of ${count(of)} histories, ${count(failed)} failed, ${rate.toFixed(1)} a second${left}`
}

/** The same behind a bar, for a terminal of at least 100 columns. */
export const progressBar = (progress: Progress): string => {
  const filled = Math.round((progress.played / progress.of) * barLength)
  return `[${"█".repeat(filled)}${"·".repeat(barLength - filled)}] ${progressText(progress)}`
}

const count = (number: number): string => number.toLocaleString("en-US")

const timeText = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`

/** Seconds between two lines where there is no terminal to draw on. */
const lineInterval = 10

/** Shows progress: a bar that is drawn over itself on a terminal, else a line now and then. */
export const progressReporter = (
  output: Pick<NodeJS.WriteStream, "isTTY" | "write">
): { readonly show: (progress: Progress) => void; readonly end: () => void } => {
  let shownAt = 0
  return {
    show: (progress) => {
      if (output.isTTY) output.write(`\r${progressBar(progress)}\u001b[K`)
      else if (progress.seconds - shownAt >= lineInterval) {
        shownAt = progress.seconds
        output.write(`${progressText(progress)}\n`)
      }
    },
    end: () => {
      if (output.isTTY) output.write("\r\u001b[K")
    }
  }
}
