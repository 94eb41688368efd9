/** One page of a list, and what the next is asked for with. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Undefined, or empty, on the last. */
  readonly next: string | undefined;
}

/** A whole list, of those calls for which the SDK has no paginator. */
export async function allPages<Item>(
  page: (next: string | undefined) => Promise<Page<Item>>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let next: string | undefined;
  do {
    const read = await page(next);
    items.push(...read.items);
    next = read.next;
  } while (next);
  return items;
}
