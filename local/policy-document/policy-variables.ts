import { literalPattern, type Matcher, type Pattern, parsePattern } from '../../template/access/wildcard';
import { type ContextLookup, keyName } from './request-context';

/** `${aws:PrincipalAccount}`, with an optional default: `${aws:PrincipalAccount, 'nobody'}`. */
const VARIABLE = /\$\{([^},]+)(?:,\s*'([^']*)')?\}/g;

/** `${*}`, `${?}` and `${$}` stand for those characters themselves. */
const LITERAL_CHARACTERS: ReadonlySet<string> = new Set(['*', '?', '$']);

/** Matches a text against a pattern of a policy, whose variables are read from the request. */
export type PolicyPattern = (text: string, context: ContextLookup) => boolean;

export interface PatternReading {
  /** Are there variables in this policy? Version 2008-10-17 has none. */
  readonly variables: boolean;
  /** How the text around the variables is read. @default wildcards are wildcards */
  readonly parse?: (text: string) => Pattern;
  readonly compile: (pattern: Pattern) => Matcher;
}

/** The condition keys whose values a text of a policy asks for. */
export function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(VARIABLE)].map(([, key = '']) => key.trim()).filter(key => !LITERAL_CHARACTERS.has(key));
}

/**
 * Compiles a pattern that may hold policy variables. Without any, which is nearly always, it is compiled once. What a
 * variable stands for is taken literally: a star in it is a star. A pattern whose variable the request lacks matches
 * nothing.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html
 */
export function policyPattern(
  text: string,
  { variables, parse = parsePattern, compile }: PatternReading,
): PolicyPattern {
  if (!variables || text.search(VARIABLE) < 0) {
    const matcher = compile(parse(text));
    return actual => matcher(actual);
  }
  return (actual, context) => {
    const filled = fillVariables(text, context, parse);
    return filled !== undefined && compile(filled)(actual);
  };
}

function fillVariables(text: string, context: ContextLookup, parse: (text: string) => Pattern): Pattern | undefined {
  const pattern: Pattern[number][] = [];
  let after = 0;
  for (const match of text.matchAll(VARIABLE)) {
    const [whole, name = '', otherwise] = match;
    const key = name.trim();
    const value = LITERAL_CHARACTERS.has(key) ? key : (context(keyName(key)) ?? otherwise);
    if (value === undefined) return undefined;
    pattern.push(...parse(text.slice(after, match.index)), ...literalPattern(value));
    after = match.index + whole.length;
  }
  pattern.push(...parse(text.slice(after)));
  return pattern;
}
