import { LinearRegex } from '../../kernel/linear-regex';
import { invalidParameter } from '../errors';

const CHARACTERS = /^[A-Za-z0-9 :_#=@/;,\-^$?[\]{}|\\*+.]*$/;
const ESCAPES = /\\(?:[dDsSwW]|x[0-9A-Fa-f]{2}|[^A-Za-z0-9])/g;

/**
 * Compiles what stands between two percent signs of a filter pattern.
 *
 * @throws AwsError for what filter patterns do not know: groups, other characters, other escapes
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/regex-expressions.html
 */
export function compileRegex(source: string): LinearRegex {
  const isKnown = source !== '' && CHARACTERS.test(source) && !source.replace(ESCAPES, '').includes('\\');
  const regex = isKnown ? LinearRegex.compile(source) : undefined;
  if (regex) return regex;
  throw invalidParameter(`Invalid metric filter pattern: the regular expression %${source}% is not supported`);
}
