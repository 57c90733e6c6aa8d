/** Whether the server serves: not before the registries have synced (S-82), not while it drains. For health checks. */
export class Serving {
  private current = false
  private readonly listeners = new Set<(serving: boolean) => void>()

  get now(): boolean {
    return this.current
  }

  set(serving: boolean): void {
    if (serving === this.current) return
    this.current = serving
    for (const listener of this.listeners) listener(serving)
  }

  /** Calls the listener on every change; the result ends that. */
  onChange(listener: (serving: boolean) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }
}
