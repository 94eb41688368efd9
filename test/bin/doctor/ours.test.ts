import { briefly, findingsIn } from '../../support/examined';
import { rentalAssembly } from '../../support/rental';

/** In every example too: test/examples/ validates each by the same checks. */
test('dlo doctor finds nothing in the rental backend', () => {
  expect(briefly(findingsIn(rentalAssembly()))).toEqual([]);
});
