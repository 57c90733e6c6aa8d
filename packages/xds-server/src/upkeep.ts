/** When connections are pinged, cut and renewed, in milliseconds. */
export interface UpkeepLimits {
  readonly keepaliveTime: number
  readonly keepaliveTimeout: number
  /** how old this connection becomes */
  readonly maxAge: number
  readonly maxAgeGrace: number
}

/** What has to be done with a connection. */
export type UpkeepStep = "nothing" | "ping" | "goAway" | "endCalls" | "cut"

/**
 * What a connection needs as time goes by.
 *
 * A client that is silent for `keepaliveTime` is pinged, and cut if it stays silent for `keepaliveTimeout`, with or without
 * calls. A connection that is old enough takes no more calls; those that are open end after some grace.
 *
 * Source: gRPC proposals A8 and A9; the behaviour of grpc-go's server.
 */
export class Upkeep {
  private readonly limits: UpkeepLimits
  private readonly bornAt: number
  private bytesRead = 0
  private heardAt: number
  private pingedAt: number | undefined
  private isLeaving = false
  private isEnding = false

  constructor(limits: UpkeepLimits, now: number) {
    this.limits = limits
    this.bornAt = now
    this.heardAt = now
  }

  /** `bytesRead` counts what the client has sent, answers to pings too. */
  next(now: number, bytesRead: number): UpkeepStep {
    const { keepaliveTime, keepaliveTimeout, maxAge, maxAgeGrace } = this.limits
    if (bytesRead !== this.bytesRead) {
      this.bytesRead = bytesRead
      this.heardAt = now
      this.pingedAt = undefined
    }
    if (this.pingedAt !== undefined && now - this.pingedAt >= keepaliveTimeout) return "cut"
    const age = now - this.bornAt
    if (!this.isLeaving && age >= maxAge) {
      this.isLeaving = true
      return "goAway"
    }
    if (!this.isEnding && age >= maxAge + maxAgeGrace) {
      this.isEnding = true
      return "endCalls"
    }
    // Calls that were ended go when the client has read what was sent; one that does not read is cut.
    if (this.isEnding && age >= maxAge + maxAgeGrace + keepaliveTimeout) return "cut"
    if (this.pingedAt === undefined && now - this.heardAt >= keepaliveTime) {
      this.pingedAt = now
      return "ping"
    }
    return "nothing"
  }
}
