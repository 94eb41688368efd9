import { wrap } from './wording';

const ADVICE_WIDTH = 100;

/** What to do, point by point; a command has a line of its own, as it is, so that it can be copied. */
export function adviceLines(advice: readonly string[]): string[] {
  return advice.flatMap(text => {
    const [first = '', ...commands] = text.split('\n');
    return [...wrap(`* ${first}`, ADVICE_WIDTH), ...commands.map(command => `    ${command}`)];
  });
}
