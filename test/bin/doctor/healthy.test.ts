import { briefly, findingsOf, findingsOfApp } from '../../support/examined';
import { HEALTHY, healthyAcrossStacks } from './healthy-stacks';

describe('nothing is found', () => {
  test.each(Object.entries(HEALTHY))('in %s', (_, fill) => {
    expect(briefly(findingsOf(fill))).toEqual([]);
  });

  test('in stacks that share a dead-letter queue', () => {
    expect(briefly(findingsOfApp(healthyAcrossStacks))).toEqual([]);
  });
});
