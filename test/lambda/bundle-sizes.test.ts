import { statSync } from 'node:fs';
import path from 'node:path';

const BUNDLES = path.resolve(__dirname, '../../dist/lambda');

/** Limits about ten percent above today's sizes. A cold start reads and compiles the whole bundle, so growth must be a decision. */
describe('The bundle of', () => {
  test.each([
    { name: 'relay', maxBytes: 575_000 },
    { name: 'relay-breaker', maxBytes: 700_000 },
    { name: 'redrive', maxBytes: 1_015_000 },
  ])('$name stays below $maxBytes bytes', ({ name, maxBytes }) => {
    expect(statSync(path.join(BUNDLES, name, 'index.js')).size).toBeLessThan(maxBytes);
  });
});
