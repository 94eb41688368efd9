/** Shorter ones would blacken half of every answer, and guard nothing. Our choice. */
const LEAST_SECRET_CHARACTERS = 6;

const REPLACEMENT = '[secret]';

const BASIC = /^Basic\s+(?<credentials>\S+)\s*$/i;

/** What a URL says with its `%xx`, as most routers see it. */
function decoded(text: string): readonly string[] {
  try {
    return [text, decodeURIComponent(text)];
  } catch {
    // What is no encoding stands for nothing but itself.
    return [text];
  }
}

/** User and password, together and each alone. @see https://www.rfc-editor.org/rfc/rfc7617#section-2 */
function basicCredentials(secret: string): readonly string[] {
  const credentials = BASIC.exec(secret)?.groups?.['credentials'];
  if (credentials === undefined) return [];
  const pair = Buffer.from(credentials, 'base64').toString();
  const colon = pair.indexOf(':');
  return [pair, ...(colon < 0 ? [] : [pair.slice(0, colon), pair.slice(colon + 1)])];
}

/** What of a secret is one by itself: its words, as of `Bearer …`, and its parts, as of a path or a query. */
function partsOf(secret: string): readonly string[] {
  return [secret, ...secret.split(/\s+/), ...secret.split(/[\s/?&=#,;]+/), ...basicCredentials(secret)];
}

/** What a text may hold it as: itself, within JSON, and within a URL, whose `%xx` some write in lower case. */
function spellings(part: string): readonly string[] {
  const encoded = encodeURIComponent(Buffer.from(part).toString());
  const written = [part, encoded];
  const hex = /%[\da-f]{2}/gi;
  return [
    JSON.stringify(part).slice(1, -1),
    ...written,
    ...written.map(it => it.replace(hex, byte => byte.toLowerCase())),
    ...written.map(it => it.replace(hex, byte => byte.toUpperCase())),
  ];
}

/** What is sought as it is written. */
function spelled(parts: readonly string[]): readonly string[] {
  return [...new Set(parts.flatMap(spellings))].filter(({ length }) => length >= LEAST_SECRET_CHARACTERS);
}

function occurrences(text: string, sought: string): readonly TextRange[] {
  const ranges: TextRange[] = [];
  for (let start = text.indexOf(sought); start >= 0; start = text.indexOf(sought, start + 1)) {
    ranges.push([start, start + sought.length]);
  }
  return ranges;
}

function replaceRanges(text: string, ranges: readonly TextRange[]): string {
  let left = '';
  let hiddenUntil = -1;
  for (const [start, end] of [...ranges].sort(([one], [other]) => one - other)) {
    if (start > hiddenUntil) left += text.slice(Math.max(0, hiddenUntil), start) + REPLACEMENT;
    hiddenUntil = Math.max(hiddenUntil, end);
  }
  return left + text.slice(Math.max(0, hiddenUntil));
}

/**
 * Takes secrets out of texts that come from elsewhere: an endpoint may well answer with what it was sent. Whoever encrypts,
 * compresses, or spaces out what it was sent says it in a way that nobody finds.
 */
export function redaction(secrets: readonly string[]): (text: string) => string {
  if (secrets.length === 0) return text => text;
  const prepare = () => {
    const parts = secrets.flatMap(partsOf).flatMap(decoded);
    const runsIn = findSecretParts(parts.flatMap(part => part.split(/\s+/)));
    const sought = spelled(parts);
    return (text: string) => [...runsIn(text), ...sought.flatMap(part => occurrences(text, part))];
  };
  let find: ReturnType<typeof prepare> | undefined;
  return text => {
    if (text.length < LEAST_SECRET_CHARACTERS) return text;
    find ??= prepare();
    return replaceRanges(text, find(text));
  };
}

/** So many characters of a secret in a row are no chance, and most of many a secret. Our choice. */
const MIN_PART_CHARACTERS = 12;

/** Bytes as base64 has them in the middle of something, which is one of three things, without what the bytes beside them decide. */
function withinBase64(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap(before => {
    const first = Math.ceil((before * 8) / 6);
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]);
    return (['base64', 'base64url'] as const).map(alphabet => encoded.toString(alphabet).slice(first, end));
  });
}

function substringsOf(text: string): readonly string[] {
  const starts = Array.from({ length: Math.max(0, text.length - MIN_PART_CHARACTERS + 1) }, (_, start) => start);
  return starts.map(start => text.slice(start, start + MIN_PART_CHARACTERS));
}

/** A part of a text, by its first character and the one behind its last. */
export type TextRange = readonly [start: number, end: number];

/**
 * Finds whatever texts share twelve characters or more in a row with a secret: a part of it, as of one that was cut; escaped
 * as JSON, HTML and URLs escape; in upper case or lower; in base64, alone or amid something else.
 */
export function findSecretParts(secrets: readonly string[]): (text: string) => readonly TextRange[] {
  const spelled = secrets.flatMap(secret => [secret, ...withinBase64(secret)]);
  const runs = new Set(spelled.flatMap(secret => substringsOf(plainText(secret).text)));
  return text => {
    const { text: plain, starts } = plainText(text);
    return substringsOf(plain).flatMap((run, index): TextRange[] =>
      runs.has(run) ? [[starts[index] ?? 0, starts[index + MIN_PART_CHARACTERS] ?? text.length]] : [],
    );
  };
}

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
