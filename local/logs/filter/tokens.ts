/** One word of a condition in a filter pattern. */
export interface Token {
  /** A regular expression stands between percent signs. */
  readonly kind: 'word' | 'string' | 'regex' | 'operator';
  /** Without quotes or percent signs. */
  readonly text: string;
}

const TOKEN =
  /\s*(?:"((?:[^"\\]|\\.)*)"|%((?:[^%\\]|\\.)*)%|(&&|\|\||[!<>]=|[=<>(),])|((?:\['[^']*'\]|\["[^"]*"\]|[^\s"%=<>!&|(),])+))/y;

/** Splits a condition into words, quoted strings, regular expressions and operators; what fits nothing becomes an operator of its own. */
export function tokenize(condition: string): readonly Token[] {
  const text = condition.trimEnd();
  const tokens: Token[] = [];
  let index = 0;
  while (index < text.length) {
    TOKEN.lastIndex = index;
    const match = TOKEN.exec(text);
    if (!match) return [...tokens, { kind: 'operator', text: text.slice(index) }];
    const [, string, regex, operator, word] = match;
    if (string !== undefined) tokens.push({ kind: 'string', text: string.replace(/\\(.)/g, '$1') });
    else if (regex !== undefined) tokens.push({ kind: 'regex', text: regex });
    else if (operator !== undefined) tokens.push({ kind: 'operator', text: operator });
    else tokens.push({ kind: 'word', text: word ?? '' });
    index = TOKEN.lastIndex;
  }
  return tokens;
}
