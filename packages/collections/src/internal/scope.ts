import { MergeNode } from "./merge-node.ts"
import { CollectionNode } from "./collection-node.ts"
import type { GraphNode } from "./node.ts"
import type { Scheduler } from "./scheduler.ts"

/**
 * Removes nodes and everything that was derived from them, except merges of other scopes, which only lose these
 * inputs. One transaction.
 */
export function removeNodes(scheduler: Scheduler, nodes: Iterable<GraphNode>): void {
  scheduler.transaction(() => {
    const doomed = new Set<GraphNode>()
    for (const node of nodes) if (!node.disposed) doomed.add(node)
    // A set is iterated to its end also when it grows meanwhile.
    for (const node of doomed) {
      for (const dependent of node.dependents) if (!(dependent instanceof MergeNode)) doomed.add(dependent)
    }
    for (const node of doomed) {
      for (const dependent of node.dependents) {
        if (dependent instanceof MergeNode && !doomed.has(dependent) && node instanceof CollectionNode)
          dependent.drop(node)
      }
    }
    for (const node of doomed) {
      node.disposed = true
      scheduler.unschedule(node)
      scheduler.nodes.delete(node)
    }
    for (const node of doomed) node.release()
  })
}
