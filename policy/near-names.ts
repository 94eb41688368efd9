/** How many names fit on a line. */
const MAX_NAMES = 5;

/** The similarity from which on two names count as near: one or two wrong characters, or one wrong word. */
const NEAR = 0.5;

function pairsOf(text: string): readonly string[] {
  return Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2));
}

/** The similarity of two names from 0 to 1, by their pairs of adjacent characters. */
function likeness(one: string, other: string): number {
  const pairs = pairsOf(one);
  const left = [...pairsOf(other)];
  const all = pairs.length + left.length;
  let common = 0;
  for (const pair of pairs) {
    const at = left.indexOf(pair);
    if (at === -1) continue;
    left.splice(at, 1);
    common += 2;
  }
  return all === 0 ? 0 : common / all;
}

/** The names that the user may have meant, nearest first: names that contain the given one, and names spelled like it. */
export function nearNames(name: string, names: readonly string[]): readonly string[] {
  const meant = name.toLowerCase();
  return names
    .map(it => ({ it, near: likeness(meant, it.toLowerCase()), holds: it.toLowerCase().includes(meant) }))
    .filter(({ near, holds }) => holds || near >= NEAR)
    .sort((one, other) => Number(other.holds) - Number(one.holds) || other.near - one.near)
    .slice(0, MAX_NAMES)
    .map(({ it }) => it);
}

/** How many paths an error shows. */
const MAX_PATHS = 3;

/** The paths whose ends are spelled most like the given path, nearest first. */
export function nearestPaths(path: string, paths: readonly string[]): readonly string[] {
  const meant = path.toLowerCase();
  const { length } = path.split('/');
  const end = (it: string): string => it.toLowerCase().split('/').slice(-length).join('/');
  return paths
    .map(it => ({ it, near: likeness(meant, end(it)) }))
    .sort((one, other) => other.near - one.near)
    .slice(0, MAX_PATHS)
    .map(({ it }) => it);
}
