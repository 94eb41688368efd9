/** A text without its escapes, in lower case, and where in the text as it was each character begins, and the end. */
export interface PlainText {
  readonly text: string;
  readonly starts: readonly number[];
}

/** How characters are written in JSON, HTML and URLs, if not as themselves. */
const ESCAPED = [
  String.raw`\\u(?<json>[\da-f]{4})`,
  String.raw`\\(?<quoted>["\\/])`,
  '&#(?<decimal>[0-9]{1,7});',
  '&#x(?<hex>[0-9a-f]{1,6});',
  '&(?<named>amp|lt|gt|quot|apos);',
  '%(?<url>[0-9a-f]{2})',
];

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

type Groups = Readonly<Record<string, string | undefined>>;

function meantBy({ json, quoted, decimal, hex, named, url }: Groups): string {
  if (quoted !== undefined) return quoted;
  if (named !== undefined) return NAMED[named.toLowerCase()] ?? named;
  if (decimal !== undefined) return String.fromCharCode(Number(decimal));
  return String.fromCharCode(Number.parseInt(json ?? hex ?? url ?? '', 16));
}

/** As long as it was. */
function lowered(character: string): string {
  const lower = character.toLowerCase();
  return lower.length === character.length ? lower : character;
}

/** Undoes escapes once: what is escaped twice is still escaped. */
export function plainText(text: string): PlainText {
  const characters: string[] = [];
  const starts: number[] = [];
  const add = (character: string, start: number) => {
    characters.push(lowered(character));
    starts.push(start);
  };
  let atIndex = 0;
  const addUntil = (end: number) => {
    for (; atIndex < end; atIndex += 1) add(text.charAt(atIndex), atIndex);
  };
  for (const match of text.matchAll(new RegExp(ESCAPED.join('|'), 'gi'))) {
    addUntil(match.index);
    add(meantBy(match.groups ?? {}), atIndex);
    atIndex += match[0].length;
  }
  addUntil(text.length);
  return { text: characters.join(''), starts: [...starts, text.length] };
}
