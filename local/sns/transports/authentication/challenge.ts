/** One way in which an endpoint asks to be shown credentials. */
export interface Challenge {
  /** In lower case: `basic`, `digest`. */
  readonly scheme: string;
  /** By their names in lower case, without their quotes. */
  readonly parameters: ReadonlyMap<string, string>;
}

const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const SCHEME = new RegExp(`\\s*(${TOKEN})(?:[ \\t]+|$|(?=,))`, 'y');
const PARAMETER = new RegExp(`\\s*(${TOKEN})\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|(${TOKEN}))`, 'y');
const COMMA = /[\s,]*/y;

/** Takes what `pattern` finds exactly at `at`. */
function take(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/**
 * Reads a `WWW-Authenticate` header. What does not follow the rules ends the list.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1
 */
export function challengesIn(header: string): readonly Challenge[] {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  let at = 0;
  while (at < header.length) {
    const current = challenges.at(-1);
    const parameter = current && take(PARAMETER, header, at);
    const found = parameter ?? take(SCHEME, header, at);
    if (!found) return challenges;
    at += found[0].length;
    const [, name = '', quoted, token = ''] = found;
    if (parameter) current.parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? token);
    else challenges.push({ scheme: name.toLowerCase(), parameters: new Map() });
    at += take(COMMA, header, at)?.[0].length ?? 0;
  }
  return challenges;
}
