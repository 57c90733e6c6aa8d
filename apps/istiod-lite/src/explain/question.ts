import type { HostPort, ProxyChoice } from "../query/queries.ts"

/** What can be explained. */
export type ExplainQuestion =
  | {
      readonly about: "endpoint"
      /** `IP[:PORT]`, or a pod or WorkloadEntry by its name */
      readonly subject: string
      /** undefined: as a client beside the endpoint sees it */
      readonly client: ProxyChoice | undefined
    }
  | { readonly about: "service"; readonly host: HostPort; readonly client: ProxyChoice | undefined }
  | { readonly about: "address"; readonly address: string }
  | { readonly about: "conflicts" }
