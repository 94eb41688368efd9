/**
 * Sorts so that everything comes after what it needs; what is free to choose keeps the order it was given in.
 *
 * @returns the order, or the first cycle found as a path that ends where it began
 */
export function dependencyOrder(
  needs: ReadonlyMap<string, ReadonlySet<string>>,
): { readonly order: readonly string[] } | { readonly cycle: readonly string[] } {
  const order: string[] = [];
  const done = new Set<string>();
  const path: string[] = [];

  const visit = (id: string): readonly string[] | undefined => {
    if (done.has(id)) return undefined;
    const seenAt = path.indexOf(id);
    if (seenAt >= 0) return [...path.slice(seenAt), id];
    path.push(id);
    for (const needed of needs.get(id) ?? []) {
      const cycle = visit(needed);
      if (cycle) return cycle;
    }
    path.pop();
    done.add(id);
    order.push(id);
    return undefined;
  };

  for (const id of needs.keys()) {
    const cycle = visit(id);
    if (cycle) return { cycle };
  }
  return { order };
}
