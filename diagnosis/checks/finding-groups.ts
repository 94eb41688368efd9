import { everyResource, type Inventory } from '../inventory/inventory';
import type { Finding, Severity } from './finding';

/** Stands in the sentences of a group for the names in which its findings differ. */
const DIFFERS = '…';

/** A finding of a group. */
export interface GroupedFinding {
  readonly finding: Finding;
  /** The other resources in its sentences that are not those of all findings of the group: the source of a dead-letter queue. */
  readonly others: readonly string[];
}

/** Findings of one check that say the same about different resources, and have the same fix. */
export interface FindingGroup {
  readonly id: string;
  readonly severity: Severity;
  /** What is wrong, with `…` for each name in which the findings differ. The whole sentence if there is one finding. */
  readonly says: string;
  /** The fix, with `…` as well. */
  readonly fix: string;
  /** The missing policy statement, which all findings of the group have. */
  readonly statement?: Readonly<Record<string, unknown>>;
  readonly findings: readonly GroupedFinding[];
}

/** A text without the names of resources: `parts` stand before, between and after them. */
interface Cut {
  readonly parts: readonly string[];
  readonly names: readonly string[];
}

type NameIndex = ReadonlyMap<string, readonly string[]>;

const WORD = /[\w/.:-]+/g;

/** A word without the full stop or the colon after it. */
function bare(word: string): string {
  return word.replace(/[.:]+$/, '');
}

/** The names of resources by the word that each begins with, which finds them in a text at once. */
function indexOf(names: Iterable<string>): NameIndex {
  const index = new Map<string, string[]>();
  for (const name of new Set(names)) {
    const [word = ''] = name.match(/^[\w/.:-]+/) ?? [];
    if (word !== '') index.set(bare(word), [...(index.get(bare(word)) ?? []), name]);
  }
  return index;
}

/** Cuts the names, and other ARNs, out of a text. A list of names, such as `A, B`, counts as one, because each finding has its own number. */
function cut(text: string, index: NameIndex): Cut {
  const found: { readonly from: number; readonly to: number }[] = [];
  for (const { 0: word, index: from } of text.matchAll(WORD)) {
    const before = found.at(-1);
    if (before && from < before.to) continue;
    const own = word.startsWith('arn:') ? [bare(word)] : [];
    const here = [...own, ...(index.get(bare(word)) ?? [])].filter(it => text.startsWith(it, from));
    if (here.length === 0) continue;
    const to = from + Math.max(...here.map(({ length }) => length));
    const isListed = before !== undefined && text.slice(before.to, from) === ', ';
    if (isListed) found[found.length - 1] = { from: before.from, to };
    else found.push({ from, to });
  }
  const ends = [0, ...found.map(({ to }) => to)];
  return {
    parts: ends.map((end, position) => text.slice(end, found[position]?.from)),
    names: found.map(({ from, to }) => text.slice(from, to)),
  };
}

type CutFinding = Readonly<{ finding: Finding; says: Cut; fix: Cut }>;

/** The text that cuts have in common, with `…` for the names in which they differ, and these names by cut. */
function common(cuts: readonly Cut[]): { readonly text: string; readonly differing: readonly (readonly string[])[] } {
  const [{ parts, names } = { parts: [], names: [] }] = cuts;
  const isSame = names.map((name, index) => cuts.every(it => it.names[index] === name));
  const shown = names.map((name, index) => (isSame[index] ? name : DIFFERS));
  return {
    text: parts.map((part, index) => `${shown[index - 1] ?? ''}${part}`).join(''),
    differing: cuts.map(it => it.names.filter((_, index) => !isSame[index])),
  };
}

function groupOf(cuts: readonly [CutFinding, ...CutFinding[]]): FindingGroup {
  const [{ finding }] = cuts;
  const { id, severity, fix } = finding;
  const [says, to] = [common(cuts.map(it => it.says)), common(cuts.map(it => it.fix))];
  return {
    id,
    severity,
    says: says.text,
    fix: to.text,
    ...(fix.statement !== undefined && { statement: fix.statement }),
    findings: cuts.map(({ finding: it }, index) => {
      const names = new Set([...(says.differing[index] ?? []), ...(to.differing[index] ?? [])]);
      names.delete(it.resource.name);
      return { finding: it, others: [...names] };
    }),
  };
}

/**
 * Groups findings of the same check, severity and explanation, apart from the names of resources. Each finding is in one group. The
 * groups are in the order of their first findings.
 *
 * @param inventories what was checked: it has the names
 */
export function groupFindings(
  findings: readonly Finding[],
  inventories: readonly Inventory[],
): readonly FindingGroup[] {
  const named = inventories.flatMap(everyResource).flatMap(({ name, arn }) => [name, arn]);
  const index = indexOf([...named, ...findings.flatMap(({ resource, about }) => [resource.name, ...about])]);
  const groups = new Map<string, [CutFinding, ...CutFinding[]]>();
  for (const finding of findings) {
    const { id, severity, fix } = finding;
    const it = { finding, says: cut(finding.says, index), fix: cut(fix.says, index) };
    const key = JSON.stringify([id, severity, it.says.parts, it.fix.parts, fix.statement]);
    const group = groups.get(key);
    if (group) group.push(it);
    else groups.set(key, [it]);
  }
  return [...groups.values()].map(groupOf);
}
