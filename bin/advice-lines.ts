import { wrap } from './wording';

const WIDTH = 100;

/** What to do, point by point; a command has a line of its own, as it is, so that it can be copied. */
export function adviceLines(advice: readonly string[]): string[] {
  return advice.flatMap(text => {
    const [first = '', ...commands] = text.split('\n');
    return [...wrap(`* ${first}`, WIDTH), ...commands.map(command => `    ${command}`)];
  });
}
