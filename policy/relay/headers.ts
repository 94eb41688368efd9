import { parseObject } from '../json-members';
import { isHeaderValue } from '../messages/envelope';
import type { Problem } from '../problem';

export type Headers = Readonly<Record<string, string>>;

/** Headers that the relay sets, and those of the connection, which the HTTP client sets. */
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

/** Prefixes reserved for SNS and for Standard Webhooks. */
const OWN_PREFIXES = ['x-amz-sns-', 'webhook-'] as const;

/** @see https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2 */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

function isOwn(lowerCaseName: string): boolean {
  return OWN_NAMES.has(lowerCaseName) || OWN_PREFIXES.some(prefix => lowerCaseName.startsWith(prefix));
}

function nameRule(name: string, before: readonly string[]): string | undefined {
  const lowerCase = name.toLowerCase();
  if (!TOKEN.test(name)) return "must be a valid HTTP header name: letters, digits and !#$%&'*+-.^_`|~";
  if (lowerCase === '__proto__') return 'must not be __proto__, which objects of JavaScript do not keep';
  if (isOwn(lowerCase)) return 'must not replace a header of the relay, of SNS or of the connection';
  if (before.some(it => it.toLowerCase() === lowerCase))
    return 'must be given once: upper and lower case are the same header';
  return undefined;
}

/**
 * Returns what is wrong with headers that a user gives. It never shows a value, which may be a credential.
 *
 * @param property where the headers come from: `headers`, or the secret
 * @param shown formats a name for an error
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
              rule: 'must be visible Latin-1 characters, blanks and tabs, on one line',
              value: length,
            },
          ]),
    ];
  });
}

/** The result of reading a secret with headers. */
type HeadersReading =
  | { readonly kind: 'headers'; readonly headers: Headers }
  | { readonly kind: 'malformed'; readonly problems: readonly Problem[] };

const SECRET_RULE = 'must be a JSON object whose members are strings';

/** A user who mixes up names and values writes a credential as a name. So a text that cannot be a name is not shown. */
function shownName(name: string): string {
  return TOKEN.test(name) ? name : `(a name of ${name.length} characters)`;
}

/** Reads headers from the text of a secret: `{"Authorization": "Bearer …"}`. Problems never show a value. */
export function readSecretHeaders(property: string, text: string): HeadersReading {
  // parseObject never shows the parser’s error message, which would contain a part of the secret.
  const members = parseObject(text);
  if (!members) {
    return { kind: 'malformed', problems: [{ property, rule: SECRET_RULE, value: `${text.length} characters` }] };
  }
  const texts = Object.entries(members).filter((member): member is [string, string] => typeof member[1] === 'string');
  const headers = Object.fromEntries(texts);
  const others = Object.keys(members).filter(name => !Object.hasOwn(headers, name));
  const problems = [
    ...others.map(name => ({
      property: `${property}.${shownName(name)}`,
      rule: 'must be a string',
      value: typeof members[name],
    })),
    ...headerProblems(property, headers, shownName),
  ];
  return problems.length > 0 ? { kind: 'malformed', problems } : { kind: 'headers', headers };
}
