/** Stands for any run of characters, the empty one included. */
const ANY_RUN = Symbol('*');
/** Stands for any one character. */
const ANY_ONE = Symbol('?');

/** A pattern: literal characters and the two wildcards. */
export type Pattern = readonly (string | typeof ANY_RUN | typeof ANY_ONE)[];

/** A compiled pattern: returns whether a text matches. */
export type Matcher = (text: string) => boolean;

/** Reads `*` and `?` as wildcards. */
export function parsePattern(text: string): Pattern {
  return text.split('').map(character => (character === '*' ? ANY_RUN : character === '?' ? ANY_ONE : character));
}

export function literalPattern(text: string): Pattern {
  return text.split('');
}

/**
 * Compiles a pattern. At worst, matching takes time proportional to the pattern's length times the text's length,
 * whatever the pattern is.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_resource.html
 */
export function wildcardMatcher(pattern: Pattern): Matcher {
  if (pattern.length === 1 && pattern[0] === ANY_RUN) return () => true;
  if (pattern.every(piece => typeof piece === 'string')) {
    const exact = pattern.join('');
    return text => text === exact;
  }
  return text => matches(pattern, text);
}

function matches(pattern: Pattern, text: string): boolean {
  let at = 0;
  let star = -1;
  let starTook = 0;
  let inPattern = 0;
  while (at < text.length) {
    const expected = pattern[inPattern];
    if (expected === ANY_RUN) {
      star = inPattern;
      starTook = at;
      inPattern += 1;
    } else if (expected === ANY_ONE || (expected !== undefined && expected === text[at])) {
      inPattern += 1;
      at += 1;
    } else if (star >= 0) {
      // No match: the last star takes one more character, and the rest is tried again.
      starTook += 1;
      at = starTook;
      inPattern = star + 1;
    } else {
      return false;
    }
  }
  while (pattern[inPattern] === ANY_RUN) inPattern += 1;
  return inPattern === pattern.length;
}

const ARN_PARTS = 6;

/**
 * Compiles an ARN pattern for IAM's ARN operators. Each of the six parts is matched on its own, so a star never matches
 * a colon. A pattern that is not an ARN matches nothing.
 *
 * @see
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html#Conditions_ARN
 */
export function arnMatcher(pattern: Pattern): Matcher {
  const parts: (string | typeof ANY_RUN | typeof ANY_ONE)[][] = [[]];
  for (const piece of pattern) {
    if (piece === ':' && parts.length < ARN_PARTS) parts.push([]);
    else parts.at(-1)?.push(piece);
  }
  if (parts.length < ARN_PARTS) return () => false;
  if (!pattern.some(piece => typeof piece !== 'string')) return wildcardMatcher(pattern);
  const matchers = parts.map(wildcardMatcher);
  return text => {
    const actual = text.split(':');
    if (actual.length < ARN_PARTS) return false;
    const resource = actual.slice(ARN_PARTS - 1).join(':');
    return matchers.every((matcher, i) => matcher(i === ARN_PARTS - 1 ? resource : (actual[i] ?? '')));
  };
}
