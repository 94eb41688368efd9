import fc from 'fast-check';
import { Random } from '../../../local/kernel/random';

const draws = (random: Random): unknown[] => [random.uuid(), random.fraction(), random.integer(1, 6), random.hex(8)];

describe('Random', () => {
  test('the same seed draws the same', () => {
    fc.assert(fc.property(fc.string(), seed => expect(draws(new Random(seed))).toEqual(draws(new Random(seed)))));
  });

  test('another seed draws something else', () => {
    expect(draws(new Random(1))).not.toEqual(draws(new Random(2)));
  });

  test('a stream is not moved by draws from another', () => {
    const world = new Random(7);
    const undisturbed = draws(world.stream('sns'));
    draws(world.stream('sqs'));
    draws(world);
    expect(draws(world.stream('sns'))).toEqual(undisturbed);
    expect(draws(world.stream('sqs'))).not.toEqual(undisturbed);
  });

  test('UUIDs are version 4', () => {
    expect(new Random(1).uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
