import { LinearRegex } from './linear-regex';

/** Escapes and character classes, in which brackets, braces and bars have no meaning of their own. */
const LITERAL = String.raw`\\[\s\S]|\[\^?\]?(?:\\[\s\S]|[^\]\\])*\]`;

const UNICODE = /\\(?:u([\dA-Fa-f]{4})|[\s\S])/g;
const COUNT = new RegExp(`${LITERAL}|\\{(\\d+),(\\d{4,})\\}`, 'g');
const STRUCTURE = new RegExp(`${LITERAL}|[()|]`, 'g');
const LOOKAHEAD = /^\^?\(\?([=!])/;

/** The highest count in a pattern of RE2, as in `.{0,1000}`. */
const MOST_REPEATS = 1_000;

/**
 * Whether a pattern of Java, as AWS's parameters have, matches the whole text. It takes linear time, so that no pattern can
 * block the simulation.
 *
 * @returns undefined for a pattern that it cannot read: it is none, or has a possessive quantifier, a reference to a group,
 *   a lookbehind, or a lookahead that is not at its start
 */
export function matchesJavaPattern(source: string, text: string): boolean | undefined {
  // No repetition can be longer than the text.
  const isShort = text.length <= MOST_REPEATS;
  const readable = source
    .replace(UNICODE, (whole, code?: string) => (code === undefined ? whole : `\\x{${code}}`))
    .replace(COUNT, (whole, least?: string) => (least === undefined || !isShort ? whole : `{${least},}`));
  const { lookaheads, rest } = withoutLookaheads(readable);
  const results = lookaheads.map(({ pattern, isWanted }) => {
    const found = LinearRegex.compile(`^(?:${pattern})`)?.test(text);
    return found === undefined ? undefined : found === isWanted;
  });
  const all = [...results, LinearRegex.compile(`^(?:${rest})$`)?.test(text)];
  return all.includes(undefined) ? undefined : all.every(Boolean);
}

interface Lookahead {
  readonly pattern: string;
  readonly isWanted: boolean;
}

/** RE2 has no lookaheads, but those at the start of a pattern are patterns of their own, as in `^(?=.*[A-Z])(?!aws)\w+$`. */
function withoutLookaheads(source: string): { readonly lookaheads: readonly Lookahead[]; readonly rest: string } {
  const lookaheads: Lookahead[] = [];
  let rest = source;
  for (;;) {
    const [start, kind] = LOOKAHEAD.exec(rest) ?? [];
    const end = start === undefined ? undefined : groupEnd(rest, start.indexOf('('));
    if (start === undefined || end === undefined) return { lookaheads, rest };
    lookaheads.push({ pattern: rest.slice(start.length, end), isWanted: kind === '=' });
    rest = rest.slice(end + 1);
  }
}

/** Where a group ends. Undefined if it does not, or if the pattern has alternatives, of which the first one has the group. */
function groupEnd(source: string, from: number): number | undefined {
  let depth = 0;
  let end: number | undefined;
  for (const { 0: mark, index } of source.matchAll(STRUCTURE)) {
    if (index < from) continue;
    if (mark === '(') depth += 1;
    if (mark === ')') depth -= 1;
    if (mark === '|' && depth === 0) return undefined;
    if (mark === ')' && depth === 0) end ??= index;
  }
  return end;
}
