import { invalidParameter } from '../errors';
import type { FilterPattern } from './filter-pattern';
import { compileRegex } from './regular-expression';

interface Term {
  /** `-` excludes, `?` is one of several, nothing must occur. */
  readonly sign: string;
  readonly isRegex: boolean;
  readonly occursIn: (message: string) => boolean;
}

const TERM = /\s*([?-]?)(?:"((?:[^"\\]|\\.)*)"|%((?:[^%\\]|\\.)*)%|([^\s"%]+))/y;

/**
 * Reads terms: every plain one must occur, none with a minus, and of those with a question mark, one. As AWS says, question
 * marks beside other terms are ignored.
 *
 * @throws AwsError for a term of other characters than letters, digits and `_` that is not quoted
 */
export function termFilter(pattern: string): FilterPattern {
  const terms = readTerms(pattern);
  const all = terms.filter(({ sign }) => sign === '');
  const none = terms.filter(({ sign }) => sign === '-');
  const any = all.length + none.length === 0 ? terms : [];
  return {
    regexes: terms.filter(({ isRegex }) => isRegex).length,
    matches: message =>
      all.every(({ occursIn }) => occursIn(message)) &&
      !none.some(({ occursIn }) => occursIn(message)) &&
      (any.length === 0 || any.some(({ occursIn }) => occursIn(message))),
    extract: () => ({}),
  };
}

function readTerms(pattern: string): readonly Term[] {
  const terms: Term[] = [];
  const text = pattern.trimEnd();
  for (let index = 0; index < text.length; index = TERM.lastIndex) {
    TERM.lastIndex = index;
    const match = TERM.exec(text);
    if (!match) throw invalidParameter(`Invalid metric filter pattern: ${pattern}`);
    const [, sign = '', phrase, regex, word] = match;
    terms.push({ sign, isRegex: regex !== undefined, occursIn: occurrence(phrase, regex, word) });
  }
  return terms;
}

function occurrence(phrase: string | undefined, regex: string | undefined, word = ''): (message: string) => boolean {
  if (regex !== undefined) {
    const expression = compileRegex(regex);
    return message => expression.test(message);
  }
  if (phrase === undefined && !/^\w+$/.test(word)) throw invalidParameter(`Invalid character(s) in term '${word}'`);
  const text = phrase?.replace(/\\(.)/g, '$1') ?? word;
  // A phrase of nothing but spaces is AWS's own way to match everything.
  return text.trim() === '' ? () => true : message => message.includes(text);
}
