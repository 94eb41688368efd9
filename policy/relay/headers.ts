import type { Problem } from '../problem';
import { isHeaderValue } from '../text-formats';

export type Headers = Readonly<Record<string, string>>;

/** Names the relay writes itself, and those that say how a request is carried, which is the client's own business. */
const OWN_NAMES: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

/** What SNS and Standard Webhooks have for themselves. */
const OWN_PREFIXES = ['x-amz-sns-', 'webhook-'] as const;

/** @see https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2 */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

function isOwn(lowerCaseName: string): boolean {
  return OWN_NAMES.has(lowerCaseName) || OWN_PREFIXES.some(prefix => lowerCaseName.startsWith(prefix));
}

function nameRule(name: string, before: readonly string[]): string | undefined {
  const lowerCase = name.toLowerCase();
  if (!TOKEN.test(name)) return "must be named by a token of HTTP: letters, digits and !#$%&'*+-.^_`|~";
  if (isOwn(lowerCase)) return 'must not replace a header of the relay, of SNS or of the connection';
  if (before.some(it => it.toLowerCase() === lowerCase))
    return 'must be there once, upper and lower case being the same';
  return undefined;
}

/**
 * What is wrong with headers a user gives. A value is never shown: it may be a credential.
 *
 * @param property where the headers are from: `headers`, or the secret
 * @param shown a name as it may be shown
 */
export function headerProblems(property: string, headers: Headers, shown = (name: string) => name): Problem[] {
  const names = Object.keys(headers);
  return Object.entries(headers).flatMap(([name, value], index) => {
    const broken = nameRule(name, names.slice(0, index));
    const path = `${property}.${shown(name)}`;
    const length = `${value.length} characters`;
    return [
      ...(broken === undefined ? [] : [{ property: path, rule: broken, value: shown(name) }]),
      ...(isHeaderValue(value)
        ? []
        : [
            {
              property: path,
              rule: 'must be visible characters of Latin-1, blanks and tabs, on one line',
              value: length,
            },
          ]),
    ];
  });
}

/** What came of reading a secret with headers. */
export type HeadersReading =
  | { readonly kind: 'headers'; readonly headers: Headers }
  | { readonly kind: 'malformed'; readonly problems: readonly Problem[] };

const SECRET_RULE = 'must be a JSON object whose members are texts';

function membersOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    // The parser's own words would show a part of the secret.
    return undefined;
  }
}

/** Who takes a name for a value writes a credential where the name belongs: what can be no name is not shown. */
function shownName(name: string): string {
  return TOKEN.test(name) ? name : `(a name of ${name.length} characters)`;
}

/** Reads headers from the text of a secret: `{"Authorization": "Bearer …"}`. What is wrong is told without its values. */
export function readSecretHeaders(property: string, text: string): HeadersReading {
  const members = membersOf(text);
  if (!members) {
    return { kind: 'malformed', problems: [{ property, rule: SECRET_RULE, value: `${text.length} characters` }] };
  }
  const texts = Object.entries(members).filter((member): member is [string, string] => typeof member[1] === 'string');
  const headers = Object.fromEntries(texts);
  const others = Object.keys(members).filter(name => !Object.hasOwn(headers, name));
  const problems = [
    ...others.map(name => ({
      property: `${property}.${shownName(name)}`,
      rule: 'must be a text',
      value: typeof members[name],
    })),
    ...headerProblems(property, headers, shownName),
  ];
  return problems.length > 0 ? { kind: 'malformed', problems } : { kind: 'headers', headers };
}
