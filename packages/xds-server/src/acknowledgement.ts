/** One response as the client knows it. */
export interface SentResponse {
  readonly nonce: string
  readonly version: string
}

/** A response that the client refused (NACK), with what it said about it. */
export interface Refusal {
  readonly nonce: string
  readonly message: string
  /** epoch milliseconds */
  readonly at: number
}

/** How far one resource type of one stream is acknowledged. */
export interface Acknowledgement {
  readonly sent: SentResponse | undefined
  readonly accepted: SentResponse | undefined
  /** the last refusal; it stays after later acceptances, `nonce` tells whether it is about what was last sent */
  readonly refused: Refusal | undefined
}

/** The state before the first response. */
export const unacknowledged: Acknowledgement = { sent: undefined, accepted: undefined, refused: undefined }

/** What a request turned out to be. */
export type RequestKind =
  /** the first of its type on the stream */
  | "initial"
  /** accepts the last response and changes nothing else */
  | "ack"
  /** refuses a response */
  | "nack"
  /** answers a response that a newer one has replaced; only its names count */
  | "stale"
  /** changes what is subscribed, or asks again */
  | "subscription"

/** The parts of a request that acknowledge: nonce and error. */
export interface Receipt {
  readonly responseNonce: string
  readonly errorDetail?: { readonly message: string } | undefined
}

/** Takes in what a request says about the last response. `at` is the time now, in epoch milliseconds. */
export const acknowledge = (state: Acknowledgement, receipt: Receipt, at: number): Acknowledgement => {
  const { errorDetail, responseNonce } = receipt
  // A refusal is kept even if its response has been replaced: it tells why a client is behind.
  if (errorDetail !== undefined) {
    return { ...state, refused: { nonce: responseNonce, message: errorDetail.message, at } }
  }
  return state.sent !== undefined && state.sent.nonce === responseNonce
    ? { ...state, accepted: state.sent }
    : state
}
