import { EXAMPLES, load } from '../support/examples';
import { grantsToTry } from '../support/least-privilege';

/** The statements the constructs write are the same in every example: here it is by whole statement that they are missed. */
describe.each(EXAMPLES)('Whatever is taken away from docs/examples/%s, somebody misses it', file => {
  const assembly = load(file).app.synth().directory;

  test.each(grantsToTry(assembly, { grain: 'statement' }))('$grant', async ({ because, isMissed }) => {
    expect(await isMissed()).toBe(because === undefined);
  });
});
