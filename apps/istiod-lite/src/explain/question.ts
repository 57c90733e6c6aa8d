import type { ProxyChoice } from "../query/queries.ts"

/** What can be explained. */
export type Question =
  | {
      readonly about: "endpoint"
      /** `IP[:PORT]`, or a pod or WorkloadEntry by its name */
      readonly subject: string
      /** undefined: as a client beside the endpoint sees it */
      readonly client: ProxyChoice | undefined
    }
  | {
      readonly about: "service"
      /** a hostname or its beginning, with a port or without */
      readonly host: string
      readonly client: ProxyChoice | undefined
    }
  | { readonly about: "address"; readonly address: string }
  | { readonly about: "conflicts" }
