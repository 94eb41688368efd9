import type { Posted } from './relay-world';

/** Where a message stands among all: its last word, such as 7 of `order 7`. */
export function numberOf(message: string): number {
  return Number(message.split(' ').at(-1));
}

/** Messages the endpoint first took when it had a later one of their group already. That it took one again does not count. */
export function overtaken(posted: readonly Posted[], groupOf: (message: string) => string): readonly string[] {
  const firsts = new Set(posted.filter(({ isTaken }) => isTaken).map(({ message }) => message));
  const latest = new Map<string, number>();
  return [...firsts].filter(message => {
    const [group, number] = [groupOf(message), numberOf(message)];
    const before = latest.get(group) ?? -1;
    latest.set(group, Math.max(before, number));
    return number < before;
  });
}
