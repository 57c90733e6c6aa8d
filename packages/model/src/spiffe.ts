/** Workload identities as SPIFFE writes them, in the form that Istio gives them. */

/** A service account of a trust domain. */
export interface SpiffeIdentity {
  readonly trustDomain: string
  readonly namespace: string
  readonly serviceAccount: string
}

const workload = /^spiffe:\/\/([^/\s]+)\/ns\/([^/\s]+)\/sa\/([^/\s]+)$/

/** Reads `spiffe://<trust domain>/ns/<namespace>/sa/<service account>`; undefined for anything else. */
export const parseSpiffeUri = (uri: string): SpiffeIdentity | undefined => {
  const [, trustDomain, namespace, serviceAccount] = workload.exec(uri) ?? []
  return trustDomain === undefined || namespace === undefined || serviceAccount === undefined
    ? undefined
    : { trustDomain, namespace, serviceAccount }
}
