import { malformed } from './malformed-query';

const INLINE_FLAGS = /\(\?([ims]+)\)/g;

/** Compiles a regular expression as queries write it: flags may stand inside, as in `(?i)error`. */
export function compileRegex(source: string): RegExp {
  const flags = new Set([...source.matchAll(INLINE_FLAGS)].flatMap(([, letters = '']) => [...letters]));
  try {
    return new RegExp(source.replace(INLINE_FLAGS, ''), [...flags].join(''));
  } catch {
    // What exactly is wrong with it, the sender can see better than we can say.
    throw malformed(`Invalid regular expression: /${source}/`);
  }
}

/** A pattern whose `*` stand for what is looked for; one at the end takes all the rest. */
export function compileGlob(glob: string): { readonly regex: RegExp; readonly groups: number } {
  const literals = glob.split('*').map(text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = literals.join('(.*?)');
  return { regex: new RegExp(glob.endsWith('*') ? `${pattern}$` : pattern, 's'), groups: literals.length - 1 };
}
