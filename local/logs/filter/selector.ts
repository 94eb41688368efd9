const STEP = /\.?\[(?:(\d+)|(\*)|'([^']+)'|"([^"]+)")\]|\.(?:([\w$-]+)|(\*))/y;

/** Selects every array element, or every member of an object. */
const ANY = Symbol('*');

/** A path to values in a JSON document. */
export interface Selector {
  readonly steps: readonly (string | number | typeof ANY)[];
  readonly wildcards: number;
}

/**
 * Parses a selector such as `$.delivery.attempts[0]`, `$.['cluster.name']`, `$.items[*].id` or `$.*`. Returns undefined
 * when the text is not a selector. A selector can contain one wildcard.
 */
export function parseSelector(text: string): Selector | undefined {
  if (!text.startsWith('$') || text.length === 1) return undefined;
  const steps: (string | number | typeof ANY)[] = [];
  let index = 1;
  while (index < text.length) {
    STEP.lastIndex = index;
    const match = STEP.exec(text);
    if (!match) return undefined;
    const [, position, anyElement, single, double, member, anyMember] = match;
    if (position !== undefined) steps.push(Number(position));
    else if (anyElement !== undefined || anyMember !== undefined) steps.push(ANY);
    else steps.push(single ?? double ?? member ?? '');
    index = STEP.lastIndex;
  }
  const wildcards = steps.filter(step => step === ANY).length;
  return wildcards > 1 ? undefined : { steps, wildcards };
}

/** Returns every value the selector finds: at most one, if it has no wildcard. */
export function selectAll(document: unknown, { steps }: Selector): readonly unknown[] {
  return steps.reduce<readonly unknown[]>(
    (values, step) => values.flatMap(value => (step === ANY ? members(value) : member(value, step))),
    [document],
  );
}

/** Returns the first value the selector finds; undefined when it finds none. */
export function select(document: unknown, selector: Selector): unknown {
  return selectAll(document, selector)[0];
}

function members(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

function member(value: unknown, key: string | number): readonly unknown[] {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return [];
  return [(value as Readonly<Record<string | number, unknown>>)[key]];
}
