import { findSecretParts, type TextRange } from './secret-runs';

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
