import type { NormalizedSchema } from '@smithy/core/schema';
import { SERVICE_MODELS } from '../../../local/wire/models';
import { numberFor } from '../../../local/wire/protocols/integers';

/** Every name by which a shape's numbers go, and whether it is a member of the shape. */
function numbersIn(schema: NormalizedSchema, name: string, seen: Set<unknown>): string[] {
  const key = schema.getSchema();
  if (seen.has(key)) return [];
  if (typeof key === 'object') seen.add(key);
  if (schema.isUnitSchema()) return [];
  if (schema.isStructSchema()) {
    return [...schema.structIterator()].flatMap(([member, shape]) => numbersIn(shape, member, seen));
  }
  if (schema.isListSchema() || schema.isMapSchema()) return numbersIn(schema.getValueSchema(), name, seen);
  return schema.isNumericSchema() ? [name] : [];
}

const INPUTS = new Set(
  SERVICE_MODELS.flatMap(({ operations }) =>
    [...operations.values()].flatMap(({ input }) => numbersIn(input, '', new Set())),
  ),
);

/** Doubles and floats in the API references of CloudWatch, CloudWatch Logs and Lambda. */
const WITH_FRACTIONS = [
  ...['Counts', 'Maximum', 'Minimum', 'SampleCount', 'Sum', 'Threshold', 'Value', 'Values', 'defaultValue'],
  ...['AdditionalVersionWeights', 'ExecutionEnvironmentMemoryGiBPerVCpu', 'TargetValue'],
];

it.each(WITH_FRACTIONS)('%s may have a fraction, and is an input of some action', member => {
  expect(INPUTS).toContain(member);
  expect(numberFor(member, 0.5)).toBe(0.5);
});

it('no other number may', () => {
  const others = [...INPUTS].filter(member => !WITH_FRACTIONS.includes(member));
  expect(others.length).toBeGreaterThan(80);
  for (const member of others) {
    expect(numberFor(member, -3)).toBe(-3);
    expect(() => numberFor(member, 0.5)).toThrow('must be an integer, got 0.5');
  }
});
