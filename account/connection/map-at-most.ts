/**
 * Does something with each item, with no more than so many at once. Once one of them fails, no other is begun.
 *
 * @returns what came of each, in the order of the items
 * @throws what was thrown first
 */
export async function mapAtMost<Item, Result>(
  most: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results = new Map<number, Result>();
  const left = [...items.entries()].reverse();
  const worker = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const [at, item] = next;
      try {
        results.set(at, await work(item));
      } catch (error) {
        left.length = 0;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
  return [...results].sort(([one], [other]) => one - other).map(([, result]) => result);
}
