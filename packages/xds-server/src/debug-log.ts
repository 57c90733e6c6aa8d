import { Effect } from "effect"
import type { AdsObserver, StreamName } from "./observer.ts"

const about = (stream: StreamName) => Effect.annotateLogs({ ...stream })

/** An observer that logs every stream, request and response at debug level, through `run`. For the curious only. */
export const debugObserver = (run: (log: Effect.Effect<void>) => void): AdsObserver => {
  const tell = (stream: StreamName, message: string): void => run(about(stream)(Effect.logDebug(message)))
  return {
    opened: (stream) => tell(stream, "stream opened"),
    closed: (stream) => tell(stream, "stream closed"),
    received: (stream, typeUrl, kind) => tell(stream, `${kind} of ${typeUrl}`),
    refused: (stream, typeUrl, message) => tell(stream, `refused ${typeUrl}: ${message}`),
    unknownType: (stream, typeUrl) => tell(stream, `asked for ${typeUrl}, which is not served`),
    rejected: (stream, { details }) => tell(stream, `stream ended: ${details}`),
    sent: (stream, typeUrl, bytes) => tell(stream, `sent ${bytes} bytes of ${typeUrl}`),
    converged: (stream, milliseconds) => tell(stream, `converged after ${milliseconds} ms`),
    acknowledged: (stream, milliseconds) => tell(stream, `acknowledged a change after ${milliseconds} ms`),
    generatorFailed: (stream, typeUrl) => tell(stream, `cannot generate ${typeUrl}`),
    pushed: (reasons) =>
      run(Effect.logDebug(`push: ${[...reasons].map(([reason, count]) => `${reason} ${count}`).join()}`))
  }
}
