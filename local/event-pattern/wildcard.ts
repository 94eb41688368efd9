import { type Condition, onString } from './condition';

/** Where AWS's matcher stops reading a wildcard; it reads bytes, the opening quote being the first. */
export class WildcardProblem extends Error {
  override readonly name = 'WildcardProblem';
}

function byteAt(pattern: string, index: number): number {
  return 1 + Buffer.byteLength(pattern.slice(0, index));
}

/** The literal texts between the asterisks. */
function pieces(pattern: string): readonly string[] {
  const found = [''];
  const append = (text: string): void => {
    found.push(`${found.pop() ?? ''}${text}`);
  };
  for (let i = 0; i < pattern.length; i += 1) {
    const [character = '', next] = [pattern[i], pattern[i + 1]];
    if (character === '*') {
      if (next === '*') throw new WildcardProblem(`Consecutive wildcard characters at pos ${byteAt(pattern, i)}`);
      found.push('');
    } else if (character !== '\\') {
      append(character);
    } else if (next === '*' || next === '\\') {
      append(next);
      i += 1;
    } else {
      throw new WildcardProblem(`Invalid escape character at pos ${byteAt(pattern, i)}`);
    }
  }
  return found;
}

/**
 * `{"wildcard": "dir/*.png"}`: an asterisk stands for any characters, none included; a backslash makes an asterisk or a
 * backslash plain. AWS also refuses patterns whose matching is too much work, by a measure it does not publish; here
 * matching takes one pass whatever the pattern, so none is too complex.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html#eb-filtering-wildcard-matching
 * @throws WildcardProblem
 */
export function wildcardCondition(pattern: string): Condition {
  const [first = '', ...others] = pieces(pattern);
  const last = others.pop();
  if (last === undefined) return value => value === first;
  return onString(value => {
    if (value.length < first.length + last.length || !value.startsWith(first) || !value.endsWith(last)) return false;
    let from = first.length;
    for (const piece of others) {
      const found = value.indexOf(piece, from);
      if (found < 0) return false;
      from = found + piece.length;
    }
    return from <= value.length - last.length;
  });
}
