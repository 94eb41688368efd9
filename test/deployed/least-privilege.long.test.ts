import { assemblyOfStack } from '../support/assembly';
import { grantsToTry } from '../support/least-privilege';
import { CASES } from '../support/least-privilege-cases';

describe.each(CASES)('Every grant of $name is needed', ({ fill, ...trial }) => {
  test.each(grantsToTry(assemblyOfStack(fill), trial))('$grant', async ({ because, isMissed }) => {
    expect(await isMissed()).toBe(because === undefined);
  });
});
