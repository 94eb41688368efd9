import { LinearRegex } from '../../kernel/linear-regex';
import { malformed } from './malformed-query';

/** Compiles a regular expression as queries write it. AWS does not say whether its own look ahead: ours do not. */
export function compileRegex(source: string): LinearRegex {
  const regex = LinearRegex.compile(source);
  if (regex) return regex;
  throw malformed(`Invalid regular expression: /${source}/`);
}

/** A pattern whose `*` stand for what is looked for; one at the end takes all the rest. */
export function compileGlob(glob: string): { readonly regex: LinearRegex; readonly groups: number } {
  const literals = glob.split('*').map(text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = literals.join('(.*?)');
  const regex = LinearRegex.compile(glob.endsWith('*') ? `${pattern}$` : pattern, { dotAll: true });
  if (!regex) throw malformed(`Invalid pattern: ${glob}`);
  return { regex, groups: literals.length - 1 };
}
