import { assemblyOfStack } from '../support/assembly';
import { grantsToTry } from '../support/least-privilege';
import { CASES } from '../support/least-privilege-cases';

describe.each(CASES)('Every grant of $name is needed', ({ fill, ...trial }) => {
  test.each(grantsToTry(assemblyOfStack(fill), trial))('$grant', async ({ isNeeded, isMissed }) => {
    expect(await isMissed()).toBe(isNeeded);
  });
});
