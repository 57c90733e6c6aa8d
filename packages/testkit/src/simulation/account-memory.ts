import type { ServiceDiscovery, ServiceEndpoints } from "@istiod-lite/model"

/**
 * What S-45 has a control plane remember, which no object tells: while a service has no endpoints, the accounts of
 * the last ones are still accepted, until the service goes. Told here by a rule of its own.
 */
export class AccountMemory {
  readonly #accounts = new Map<string, ReadonlyArray<string>>()

  constructor(endpoints: ServiceDiscovery["Service"]["endpoints"]) {
    endpoints.subscribe((changes) => {
      for (const { key, now } of changes) {
        if (now === undefined) this.#accounts.delete(key)
        else if (accountsOf(now).isNotEmpty) this.#accounts.set(key, accountsOf(now).accounts)
      }
    })
  }

  /** What a control plane that started now would make of the service, with what the running one remembers. */
  recall(key: string, rebuilt: ServiceEndpoints): ServiceEndpoints {
    return accountsOf(rebuilt).isNotEmpty
      ? rebuilt
      : { ...rebuilt, serviceAccounts: this.#accounts.get(key) ?? [] }
  }
}

const accountsOf = ({ groups }: ServiceEndpoints) => {
  const endpoints = groups.flatMap((group) => group.endpoints)
  const accounts = new Set(
    endpoints.map(({ serviceAccount }) => serviceAccount).filter((name) => name !== "")
  )
  return { isNotEmpty: endpoints.length > 0, accounts: [...accounts].toSorted() }
}
