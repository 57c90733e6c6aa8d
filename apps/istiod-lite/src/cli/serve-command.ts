import { Duration, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { autoExportFlag, sourceFlags } from "./flags.ts"

const port = (name: string, standard: number, what: string) =>
  Flag.Int(name).pipe(
    Flag.withMetavar("PORT"),
    Flag.withDescription(`${what}; 0 takes a free one; default ${standard}`),
    Flag.filter(
      (number) => number >= 0 && number <= 65535,
      () => "Expected: 0 … 65535"
    ),
    Flag.withDefault(standard)
  )

const flags = {
  ...sourceFlags,
  xdsPort: port("xds-port", 15010, "where proxies connect"),
  adminPort: port("admin-port", 15014, "where /ready, /metrics and /api are"),
  xdsTransport: Flag.Literals("xds-transport", ["http2", "grpc-js"]).pipe(
    Flag.withDescription(
      "what speaks gRPC to proxies: http2 (Node's own HTTP/2), or grpc-js, which takes more CPU and reads " +
        "compressed requests; default http2"
    ),
    Flag.withDefault("http2")
  ),
  listen: Flag.String("listen").pipe(
    Flag.withMetavar("ADDRESS"),
    Flag.withDescription(
      "address of both ports; nothing is encrypted, so only loopback unless told; default 127.0.0.1"
    ),
    Flag.withDefault("127.0.0.1")
  ),
  record: Flag.String("record").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("append every change of what is read to this file, for replay; it holds no secrets"),
    Flag.optional
  ),
  auditInterval: Flag.Int("audit-interval").pipe(
    Flag.withMetavar("SECONDS"),
    Flag.withDescription(
      "how often what proxies have is compared with what the objects give; 0: never; default 60"
    ),
    Flag.filter(
      (seconds) => seconds >= 0,
      () => "Expected: 0 or more"
    ),
    Flag.withDefault(60),
    Flag.map(Duration.seconds)
  ),
  pacing: Flag.Literals("pacing", ["adaptive", "istio"]).pipe(
    Flag.withDescription(
      "when changes are pushed: adaptive (at once, and together under churn), or istio (in windows, as " +
        "PILOT_DEBOUNCE_AFTER, PILOT_DEBOUNCE_MAX and PILOT_ENABLE_EDS_DEBOUNCE say); default adaptive"
    ),
    Flag.withDefault("adaptive")
  ),
  behindAlarm: Flag.Int("behind-alarm").pipe(
    Flag.withMetavar("SECONDS"),
    Flag.withDescription(
      "after how long the log warns of a proxy that has not acknowledged a change; default 30"
    ),
    Flag.filter(
      (seconds) => seconds > 0,
      () => "Expected: 1 or more"
    ),
    Flag.withDefault(30),
    Flag.map(Duration.seconds)
  ),
  ledsThreshold: Flag.Int("leds-threshold").pipe(
    Flag.withMetavar("ENDPOINTS"),
    Flag.withDescription(
      "from how many endpoints on a service's are sent one by one (LEDS) to delta clients whose node metadata says " +
        "ISTIOD_LITE_LEDS; 0: never; default 0"
    ),
    Flag.filter(
      (endpoints) => endpoints >= 0,
      () => "Expected: 0 or more"
    ),
    Flag.withDefault(0)
  ),
  gracePeriod: Flag.Int("grace-period").pipe(
    Flag.withMetavar("SECONDS"),
    Flag.withDescription(
      "how long a machine may be away before the entry that it registered goes; default 10"
    ),
    Flag.filter(
      (seconds) => seconds >= 0,
      () => "Expected: 0 or more"
    ),
    Flag.withDefault(10),
    Flag.map(Duration.seconds)
  ),
  mcsAutoExport: autoExportFlag,
  tlsPort: port("tls-port", 15012, "where proxies connect by TLS, if there are files for it"),
  tlsCert: Flag.String("tls-cert").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("certificate chain of this server (PEM); replaced files are used without a restart"),
    Flag.optional
  ),
  tlsKey: Flag.String("tls-key").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("its private key (PEM)"),
    Flag.optional
  ),
  tlsClientCa: Flag.String("tls-client-ca").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("issuers whose client certificates prove who a proxy is (PEM)"),
    Flag.optional
  ),
  config: Flag.String("config").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("an istiod-lite.config.ts: which sources, registries and generators to run"),
    Flag.optional
  )
}

export const serveCommand = Command.make("serve", flags, (options) =>
  Effect.gen(function* () {
    const { serve } = yield* Effect.promise(() => import("../serve/serve.ts"))
    return yield* serve(options)
  })
).pipe(
  Command.withDescription(
    "Run the control plane: read, watch, and serve endpoints over xDS until TERM or Ctrl-C"
  ),
  Command.withExamples([
    {
      command: "istiod-lite serve --manifests examples/shop",
      description: "Serve what files declare; edits count at once"
    },
    {
      command: "istiod-lite serve --manifests hq --cluster east=./east --cluster west=./west",
      description: "Three clusters; folders of remote ones may come and go"
    },
    {
      command: "istiod-lite serve --kubeconfig ~/.kube/config",
      description: "Serve what an API server holds; machines may register themselves"
    },
    {
      command: "istiod-lite serve --config istiod-lite.config.ts",
      description: "A control plane with plugins of your own"
    }
  ])
)
