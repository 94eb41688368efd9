import { EXAMPLES, load } from '../support/examples';
import { superfluousGrants } from '../support/least-privilege';

/** The statements the constructs write are the same in every example: here it is by whole statement that they are missed. */
test.each(EXAMPLES)('Whatever is taken away from docs/examples/%s, somebody misses it', async file => {
  const { app } = await load(file);
  expect(await superfluousGrants(app.synth().directory, { grain: 'statement' })).toEqual([]);
});
