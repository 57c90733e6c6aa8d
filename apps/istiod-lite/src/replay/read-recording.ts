import { Stream } from "effect"
import { createReadStream } from "node:fs"
import { lineEnd } from "../record/line.ts"
import { reasonOf, RecordingError } from "../record/recording-file.ts"
import { formatVersion } from "../record/transaction.ts"
import { type Line, type Recorded, TransactionAssembler } from "./transaction-assembler.ts"

/**
 * What a recording holds from a byte on at which a run starts. Fails when the file cannot be read, or was written in
 * another format; damage is no failure.
 */
export const recordedIn = (path: string, from = 0): Stream.Stream<Recorded, RecordingError> =>
  Stream.fromAsyncIterable(
    readRecording(path, from),
    (cause) => new RecordingError({ message: `Cannot read the recording ${path}: ${reasonOf(cause)}` })
  )

async function* readRecording(path: string, from: number): AsyncGenerator<Recorded> {
  const assembler = new TransactionAssembler()
  let end = from
  for await (const line of linesOf(createReadStream(path, { start: from }), from)) {
    end = line.at + line.bytes.length + (line.isWhole ? 1 : 0)
    for (const recorded of assembler.take(line)) {
      requireFormat(recorded)
      yield recorded
    }
  }
  yield* assembler.end(end)
}

const requireFormat = (recorded: Recorded): void => {
  const version: number | undefined =
    recorded.found === "transaction" ? recorded.transaction.start?.version : undefined
  if (version !== undefined && version !== formatVersion)
    throw new Error(`it has format ${version}, and this program reads format ${formatVersion}`)
}

/**
 * Cuts a file, which is read from a byte on, into lines.
 *
 * @yields the lines, the last one whole or not
 */
async function* linesOf(chunks: AsyncIterable<Buffer>, from: number): AsyncGenerator<Line> {
  let rest: ReadonlyArray<Buffer> = []
  let at = from
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(lineEnd); end >= 0; end = chunk.indexOf(lineEnd, start)) {
      const bytes = Buffer.concat([...rest, chunk.subarray(start, end)])
      yield { bytes, at, isWhole: true }
      at += bytes.length + 1
      rest = []
      start = end + 1
    }
    if (start < chunk.length) rest = [...rest, chunk.subarray(start)]
  }
  const bytes = Buffer.concat(rest)
  if (bytes.length > 0) yield { bytes, at, isWhole: false }
}
