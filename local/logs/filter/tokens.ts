/** One word of a filter pattern's condition. */
export interface Token {
  readonly kind: 'word' | 'string' | 'operator';
  readonly text: string;
}

const TOKEN = /\s*(?:"((?:[^"\\]|\\.)*)"|(&&|\|\||[!<>]=|[=<>()])|([^\s"=<>!&|()]+))/y;

/** Splits a condition into words, quoted strings and operators; what fits nothing becomes a word of its own. */
export function tokenize(condition: string): readonly Token[] {
  const text = condition.trimEnd();
  const tokens: Token[] = [];
  let index = 0;
  while (index < text.length) {
    TOKEN.lastIndex = index;
    const match = TOKEN.exec(text);
    if (!match) return [...tokens, { kind: 'operator', text: text.slice(index) }];
    const [, string, operator, word] = match;
    if (string !== undefined) tokens.push({ kind: 'string', text: string.replace(/\\(.)/g, '$1') });
    else if (operator !== undefined) tokens.push({ kind: 'operator', text: operator });
    else tokens.push({ kind: 'word', text: word ?? '' });
    index = TOKEN.lastIndex;
  }
  return tokens;
}
