import { AwsError } from '../../../local/kernel/aws-error';
import { Constraints } from '../../../local/kernel/constraints';

const constraints = () => new Constraints(text => new AwsError('ValidationException', text));

describe('the constraints of a request', () => {
  it('are told in the words of AWS, all at once', () => {
    const broken = constraints()
      .notNull('name', undefined)
      .length('targets', ['a', 'b'], 3, 5)
      .length('description', 'long', 0, 3)
      .range('limit', 0, 1)
      .range('limit', 101, 1, 100)
      .oneOf('state', 'ON', ['ENABLED', 'DISABLED'])
      .pattern('id', 'a b', '[a-z]+');
    expect(() => broken.check()).toThrow(
      "7 validation errors detected: Value null at 'name' failed to satisfy constraint: Member must not be null; " +
        "Value '[a, b]' at 'targets' failed to satisfy constraint: Member must have length greater than or equal to 3; " +
        "Value 'long' at 'description' failed to satisfy constraint: Member must have length less than or equal to 3; " +
        "Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1; " +
        "Value '101' at 'limit' failed to satisfy constraint: Member must have value less than or equal to 100; " +
        "Value 'ON' at 'state' failed to satisfy constraint: Member must satisfy enum value set: [ENABLED, DISABLED]; " +
        "Value 'a b' at 'id' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-z]+",
    );
  });

  it('one that is broken is one error', () => {
    expect(() => constraints().range('limit', Number.NaN, 1).check()).toThrow(/^1 validation error detected: /);
  });

  it('hold where a member is not given', () => {
    const kept = constraints()
      .length('a', undefined, 1, 2)
      .range('b', undefined, 1)
      .oneOf('c', undefined, [])
      .pattern('d', undefined, 'x');
    expect(() => kept.check()).not.toThrow();
  });
});

// A list of 31 dimensions was told as `[object Object], [object Object], …`, and a megabyte as a megabyte.
it('structures are told as JSON, and long values by their beginning', () => {
  const reported = (value: string | readonly unknown[]) => constraints().length('m', value, 0, 1).error().message;
  expect(reported([{ Name: 'a' }, { Name: 'b' }])).toContain(`Value '[{"Name":"a"}, {"Name":"b"}]' at 'm'`);
  expect(reported('x'.repeat(1_000_000))).toContain(`Value '${'x'.repeat(4096)}…' at 'm'`);
  expect(reported(Array(10_000).fill(1)).length).toBeLessThan(4300);
});
