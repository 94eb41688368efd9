import { MathError } from './math-error';

export interface Token {
  readonly kind: 'number' | 'string' | 'name' | 'symbol' | 'end';
  /** Of a string, what is between its quotes. */
  readonly text: string;
  /** Where it begins, from 0. */
  readonly at: number;
}

const PATTERNS = [
  { kind: 'number', pattern: /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y },
  { kind: 'name', pattern: /[A-Za-z_]\w*/y },
  { kind: 'string', pattern: /"[^"]*"|'[^']*'/y },
  { kind: 'symbol', pattern: /&&|\|\||[=!<>]=|[-+*/^<>()[\],]/y },
] as const;

const SPACE = /\s*/y;

/** @throws MathError at the first character that begins nothing */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = skip(SPACE, text, 0);
  while (at < text.length) {
    const token = tokenAt(text, at);
    tokens.push(token);
    at = skip(SPACE, text, at + (token.kind === 'string' ? token.text.length + 2 : token.text.length));
  }
  return [...tokens, { kind: 'end', text: '', at }];
}

function tokenAt(text: string, at: number): Token {
  for (const { kind, pattern } of PATTERNS) {
    const end = skip(pattern, text, at);
    if (end > at) return { kind, text: kind === 'string' ? text.slice(at + 1, end - 1) : text.slice(at, end), at };
  }
  throw new MathError(`Unexpected character '${text[at]}' at char ${at}`);
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
