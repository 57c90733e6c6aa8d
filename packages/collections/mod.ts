/**
 * Derived collections: keyed maps computed from other keyed maps, incrementally.
 *
 * The flow of a change: a transaction writes sources; then every touched node runs once, in the order of ranks, and
 * tells the nodes below it which keys changed; then listeners get one batch per collection. Everything is
 * synchronous and on the caller's stack.
 */
export type { Change, Collection, Entry, Equals, Index, Merged, Readable, Source } from "./src/collection.ts"
export type { CollectionChanged, Commit } from "./src/commit.ts"
export { DerivationError, ListenerError } from "./src/errors.ts"
export { Graph } from "./src/graph.ts"
export type { GraphSizes, GraphStats, NodeOptions, OnDemand, Scope, SourceOptions } from "./src/graph.ts"
export type { Input } from "./src/provenance.ts"
export { untracked } from "./src/reader.ts"
export type { ItemReader, Reader } from "./src/reader.ts"
