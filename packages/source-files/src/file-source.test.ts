import { DiscoveryGraph, MeshConfig, meshKey, ObjectSource } from "@istiod-lite/model"
import type { Collection } from "@istiod-lite/collections"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type FileSourceOptions, layerFileSource } from "./file-source.ts"
import { formatManifestFault } from "./manifest-fault.ts"
import { SourceFaults } from "./source-faults.ts"

const entry = (name: string, host: string) =>
  `apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: { name: ${name}, namespace: shop }
spec:
  hosts: [${host}]
`
const pod = (name: string, ip: string) =>
  `apiVersion: v1\nkind: Pod\nmetadata: { name: ${name}, namespace: shop }\nstatus: { podIP: ${ip} }\n`

/** A folder that goes with the scope. */
const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "source-files-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

/** Waits until `ready` holds, looking again whenever the collection changes; fails after twenty seconds. */
const eventually = (collection: Collection<unknown>, ready: () => boolean) =>
  Effect.callback<void>((resume) => {
    const check = () => {
      if (ready()) resume(Effect.void)
    }
    const unsubscribe = collection.subscribe(check)
    check()
    return Effect.sync(unsubscribe)
  }).pipe(Effect.timeout("20 seconds"))

const start = (options: FileSourceOptions) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(
      layerFileSource(options).pipe(Layer.provideMerge(DiscoveryGraph.layer))
    )
    return yield* Effect.all({
      graph: DiscoveryGraph,
      source: ObjectSource,
      faults: SourceFaults,
      mesh: MeshConfig
    }).pipe(Effect.provideContext(context))
  })

const messages = (faults: Collection<ReadonlyArray<Parameters<typeof formatManifestFault>[0]>>) =>
  [...faults.values()].flat().map(formatManifestFault).join("\n")

// Generous: other tests may keep the machine busy. What is waited for mostly comes within 100 ms.
describe("layerFileSource", { timeout: 30_000 }, () => {
  it.live("reads files and folders, and is synced when it is built", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      mkdirSync(join(folder, "deep/er"), { recursive: true })
      mkdirSync(join(folder, ".git"))
      writeFileSync(join(folder, "a.yaml"), `${pod("a", "10.0.0.1")}---\n${pod("b", "10.0.0.2")}`)
      writeFileSync(join(folder, "deep/er/c.yml"), pod("c", "10.0.0.3"))
      writeFileSync(
        join(folder, "deep/list.json"),
        JSON.stringify({
          apiVersion: "v1",
          kind: "PodList",
          items: [{ metadata: { name: "d", namespace: "shop" } }]
        })
      )
      writeFileSync(join(folder, ".git/x.yaml"), pod("hidden", "10.0.0.9"))
      writeFileSync(join(folder, "notes.txt"), "not a manifest")
      const { faults, source } = yield* start({ manifests: [folder], watch: false })
      assert.isTrue(source.synced())
      const pods = source.clusters.get("Kubernetes")!.objects.Pod
      assert.deepEqual([...pods.keys()].toSorted(), ["shop/a", "shop/b", "shop/c", "shop/d"])
      assert.strictEqual(faults.size, 0)
    })
  )

  it.live("makes the edits of one quiet time one transaction", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      for (const name of ["a", "b", "c"]) writeFileSync(join(folder, `${name}.yaml`), pod(name, "10.0.0.1"))
      const { graph, source } = yield* start({ manifests: [folder] })
      const pods = source.clusters.get("Kubernetes")!.objects.Pod
      const batches: Array<number> = []
      pods.subscribe((changes) => batches.push(changes.length))
      // an edit in place, one by rename as editors do it, a deletion and a new file
      writeFileSync(join(folder, "a.yaml"), pod("a", "10.0.0.2"))
      writeFileSync(join(folder, ".b.tmp"), pod("b", "10.0.0.2"))
      renameSync(join(folder, ".b.tmp"), join(folder, "b.yaml"))
      rmSync(join(folder, "c.yaml"))
      writeFileSync(join(folder, "d.yaml"), pod("d", "10.0.0.2"))
      yield* eventually(pods, () => pods.get("shop/d") !== undefined)
      assert.deepEqual(batches, [4])
      assert.deepEqual(
        [...pods.values()].flatMap((it) => it.ips),
        ["10.0.0.2", "10.0.0.2", "10.0.0.2"]
      )
      assert.isAbove(graph.stats.transactions, 0)
    })
  )

  it.live("keeps the last good state of what a bad edit breaks", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const file = join(folder, "a.yaml")
      writeFileSync(file, `${entry("one", "one.example.com")}---\n${entry("two", "two.example.com")}`)
      const { faults, source } = yield* start({ manifests: [folder] })
      const entries = source.config.ServiceEntry
      // one object faulty, the other edited
      writeFileSync(file, `${entry("one", "")}---\n${entry("two", "second.example.com")}`)
      yield* eventually(entries, () => entries.get("shop/two")?.hosts[0] === "second.example.com")
      assert.deepEqual(entries.get("shop/one")?.hosts, ["one.example.com"])
      assert.include(
        messages(faults),
        `${file}:5: Cannot read ServiceEntry shop/one: spec.hosts: at least one host`
      )
      // the whole file unparsable
      writeFileSync(file, "hosts: [\n")
      yield* eventually(faults, () => messages(faults).includes("not valid YAML"))
      assert.strictEqual(entries.size, 2)
      // mended: what is not there any more is deleted
      writeFileSync(file, entry("two", "two.example.com"))
      yield* eventually(faults, () => faults.size === 0)
      assert.deepEqual([...entries.keys()], ["shop/two"])
    })
  )

  it.live("lets a cluster come and go with its folder", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const remote = join(folder, "remote")
      const { source } = yield* start({
        manifests: [],
        clusters: [{ id: "remote", path: remote }],
        configCluster: "main"
      })
      assert.deepEqual([...source.clusters.keys()], ["main"])
      mkdirSync(remote)
      writeFileSync(join(remote, "a.yaml"), pod("a", "10.0.0.1"))
      yield* eventually(source.clusters, () => source.clusters.get("remote")?.objects.Pod.size === 1)
      rmSync(remote, { recursive: true })
      yield* eventually(source.clusters, () => source.clusters.get("remote") === undefined)
      mkdirSync(remote)
      writeFileSync(join(remote, "a.yaml"), pod("a", "10.0.0.1"))
      yield* eventually(source.clusters, () => source.clusters.get("remote")?.objects.Pod.size === 1)
    })
  )

  it.live("reloads the mesh's settings, and keeps the last good ones", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const meshConfig = join(folder, "mesh.yaml")
      const meshNetworks = join(folder, "networks.yaml")
      writeFileSync(meshConfig, "trustDomain: one.example\nunknown: { field: 1 }\n")
      writeFileSync(meshNetworks, "networks: { vm: { gateways: [{ address: 192.0.2.1, port: 15443 }] } }\n")
      const { faults, mesh } = yield* start({
        manifests: [],
        meshConfig,
        meshNetworks,
        meshDefaults: { dualStack: true }
      })
      const now = () => mesh.get(meshKey)!
      assert.strictEqual(now().trustDomain, "one.example")
      assert.deepEqual(Object.keys(now().networks), ["vm"])
      assert.isTrue(now().dualStack)
      writeFileSync(meshConfig, "trustDomain: two.example\n")
      yield* eventually(mesh, () => now().trustDomain === "two.example")
      writeFileSync(meshConfig, "trustDomain: [three.example]\n")
      yield* eventually(faults, () =>
        messages(faults).includes("mesh.yaml:1: Cannot read MeshConfig: trustDomain")
      )
      assert.strictEqual(now().trustDomain, "two.example")
    })
  )

  it.live("survives links in a circle, links to nowhere and paths that are missing", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      mkdirSync(join(folder, "a"))
      symlinkSync(folder, join(folder, "a/loop"))
      symlinkSync(join(folder, "nowhere"), join(folder, "dangling.yaml"))
      symlinkSync(join(folder, "self.yaml"), join(folder, "self.yaml"))
      writeFileSync(join(folder, "a/a.yaml"), pod("a", "10.0.0.1"))
      const { faults, source } = yield* start({ manifests: [folder, join(folder, "missing")] })
      const pods = source.clusters.get("Kubernetes")!.objects.Pod
      assert.strictEqual(pods.size, 1)
      const text = messages(faults)
      for (const part of ["a/loop: ", "dangling.yaml: ", "self.yaml: ", "missing: "])
        assert.include(text, part)
      writeFileSync(join(folder, "a/a.yaml"), pod("a", "10.0.0.2"))
      yield* eventually(pods, () => pods.get("shop/a")?.ips[0] === "10.0.0.2")
    })
  )

  it.live("starts with nothing to read", () =>
    Effect.gen(function* () {
      const { source } = yield* start({ manifests: [] })
      assert.isTrue(source.synced())
      assert.deepEqual([...source.clusters.keys()], ["Kubernetes"])
    })
  )

  it.live("keeps the objects below a folder that cannot be read any more", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const aside = yield* temporaryFolder
      const broken = join(folder, "broken")
      mkdirSync(broken)
      writeFileSync(join(broken, "a.yaml"), pod("a", "10.0.0.1"))
      const { faults, source } = yield* start({ manifests: [folder] })
      // Permissions do not stop root, under whom CI runs; a link to itself stops everybody.
      renameSync(broken, join(aside, "broken"))
      symlinkSync(broken, broken)
      writeFileSync(join(folder, "b.yaml"), pod("b", "10.0.0.2"))
      yield* eventually(faults, () => messages(faults).includes(`${broken}: `))
      assert.strictEqual(source.clusters.get("Kubernetes")?.objects.Pod.size, 2)
    })
  )

  it.live("keeps what it cannot read any more, says since when and why, and that it can be read again", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const east = join(folder, "east.yaml")
      const manifests = join(folder, "home.yaml")
      writeFileSync(manifests, pod("a", "10.0.0.1"))
      writeFileSync(east, pod("b", "10.0.0.2"))
      const { faults, source } = yield* start({
        manifests: [manifests],
        clusters: [{ id: "east", path: east }]
      })
      const staleOf = (id: string) => source.clusters.get(id)?.stale?.()
      assert.deepEqual([staleOf("Kubernetes"), staleOf("east")], [undefined, undefined])
      const began = Date.now()

      rmSync(manifests)
      yield* eventually(faults, () => staleOf("Kubernetes") !== undefined)
      assert.match(staleOf("Kubernetes")?.because ?? "", /^cannot read .*home\.yaml: no such file or folder$/)
      assert.isAtLeast(staleOf("Kubernetes")?.since ?? 0, began)
      assert.strictEqual(source.clusters.get("Kubernetes")?.objects.Pod.size, 1)
      assert.isUndefined(staleOf("east"))
      assert.isTrue(source.synced())

      writeFileSync(east, Uint8Array.of(0xff, 0xfe, 0xfd))
      yield* eventually(faults, () => staleOf("east") !== undefined)
      assert.match(staleOf("east")?.because ?? "", /^cannot read .*east\.yaml: /)
      assert.strictEqual(source.clusters.get("east")?.objects.Pod.size, 1)

      writeFileSync(manifests, pod("a", "10.0.0.1"))
      writeFileSync(east, pod("b", "10.0.0.2"))
      yield* eventually(faults, () => staleOf("Kubernetes") === undefined && staleOf("east") === undefined)
    })
  )
})
