/** Redacting shorter texts would blacken half of every answer and protect nothing. */
const MIN_SECRET_CHARACTERS = 6;

const REPLACEMENT = '[secret]';

const BASIC = /^Basic\s+(?<credentials>\S+)\s*$/i;

/** The text, and the text with its `%xx` decoded, as most routers see it. */
function decoded(text: string): readonly string[] {
  try {
    return [text, decodeURIComponent(text)];
  } catch {
    // A malformed encoding stands for itself.
    return [text];
  }
}

/** The user and the password of Basic authentication, together and each alone. @see https://www.rfc-editor.org/rfc/rfc7617#section-2 */
function basicCredentials(secret: string): readonly string[] {
  const credentials = BASIC.exec(secret)?.groups?.['credentials'];
  if (credentials === undefined) return [];
  const pair = Buffer.from(credentials, 'base64').toString();
  const colon = pair.indexOf(':');
  return [pair, ...(colon < 0 ? [] : [pair.slice(0, colon), pair.slice(colon + 1)])];
}

/** The parts of a secret that are secret themselves: words, as in `Bearer …`, and segments of a path or query. */
function partsOf(secret: string): readonly string[] {
  return [secret, ...secret.split(/\s+/), ...secret.split(/[\s/?&=#,;]+/), ...basicCredentials(secret)];
}

/** How a text may contain a part: as it is, in JSON, and in a URL, whose `%xx` may be in upper or lower case. */
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

/** The spellings that are long enough to redact. */
function spelled(parts: readonly string[]): readonly string[] {
  return [...new Set(parts.flatMap(spellings))].filter(({ length }) => length >= MIN_SECRET_CHARACTERS);
}

function occurrences(text: string, sought: string): readonly TextRange[] {
  const ranges: TextRange[] = [];
  for (let start = text.indexOf(sought); start >= 0; start = text.indexOf(sought, start + 1)) {
    ranges.push([start, start + sought.length]);
  }
  return ranges;
}

function replaceRanges(text: string, ranges: readonly TextRange[]): string {
  let kept = '';
  let hiddenUntil = -1;
  for (const [start, end] of [...ranges].sort(([one], [other]) => one - other)) {
    if (start > hiddenUntil) kept += text.slice(Math.max(0, hiddenUntil), start) + REPLACEMENT;
    hiddenUntil = Math.max(hiddenUntil, end);
  }
  return kept + text.slice(Math.max(0, hiddenUntil));
}

/** Removes secrets from a text. */
export type Redaction = (text: string) => string;

/** Returns `redaction`, which keeps its last result, because preparing one takes time. */
export function lastRedaction(): typeof redaction {
  let last: { readonly key: string; readonly redact: Redaction } | undefined;
  return secrets => {
    const key = JSON.stringify(secrets);
    if (last?.key !== key) last = { key, redact: redaction(secrets) };
    return last.redact;
  };
}

/**
 * Returns a function that removes secrets from an endpoint's answers, which may repeat what was sent. It cannot find a secret
 * that the endpoint has encrypted, compressed or spaced out.
 */
export function redaction(secrets: readonly string[]): Redaction {
  if (secrets.length === 0) return text => text;
  const prepare = () => {
    const parts = secrets.flatMap(partsOf).flatMap(decoded);
    const partsIn = findSecretParts(parts.flatMap(part => part.split(/\s+/)));
    const sought = spelled(parts);
    return (text: string) => [...partsIn(text), ...sought.flatMap(part => occurrences(text, part))];
  };
  let find: ReturnType<typeof prepare> | undefined;
  return text => {
    if (text.length < MIN_SECRET_CHARACTERS) return text;
    find ??= prepare();
    return replaceRanges(text, find(text));
  };
}

/** This many characters of a secret in a row are no coincidence, and are most of many a secret. */
const MIN_PART_CHARACTERS = 12;

/** A text in base64 in the middle of other bytes, at each of the three offsets, without the characters that depend on those bytes. */
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

/** A part of a text: the index of its first character, and the index after its last. */
type TextRange = readonly [start: number, end: number];

/**
 * Returns a function that finds the parts of a text that share 12 characters or more in a row with a secret. It also finds them
 * escaped for JSON, HTML or URLs, in another case, and in base64, alone or within other bytes.
 */
function findSecretParts(secrets: readonly string[]): (text: string) => readonly TextRange[] {
  const spelled = secrets.flatMap(secret => [secret, ...withinBase64(secret)]);
  const secretParts = new Set(spelled.flatMap(secret => substringsOf(plainText(secret).text)));
  return text => {
    const { text: plain, starts } = plainText(text);
    return substringsOf(plain).flatMap((part, index): TextRange[] =>
      secretParts.has(part) ? [[starts[index] ?? 0, starts[index + MIN_PART_CHARACTERS] ?? text.length]] : [],
    );
  };
}

/** A text without escapes and in lower case. */
interface PlainText {
  readonly text: string;
  /** Where each character begins in the original text, and the original's length. */
  readonly starts: readonly number[];
}

/** Escapes of JSON, HTML and URLs. */
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

function unescaped({ json, quoted, decimal, hex, named, url }: Groups): string {
  if (quoted !== undefined) return quoted;
  if (named !== undefined) return NAMED[named.toLowerCase()] ?? named;
  if (decimal !== undefined) return String.fromCharCode(Number(decimal));
  return String.fromCharCode(Number.parseInt(json ?? hex ?? url ?? '', 16));
}

/** Converts a character to lower case, unless that changes its length: positions in the text must stay the same. */
function lowered(character: string): string {
  const lower = character.toLowerCase();
  return lower.length === character.length ? lower : character;
}

/** Undoes escapes once. A text that was escaped twice is then still escaped once. */
function plainText(text: string): PlainText {
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
    add(unescaped(match.groups ?? {}), atIndex);
    atIndex += match[0].length;
  }
  addUntil(text.length);
  return { text: characters.join(''), starts: [...starts, text.length] };
}
