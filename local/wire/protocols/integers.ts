import { ShapeError } from './shape-error';

/**
 * The numbers among the inputs of all services that may have a fraction. AWS's models tell integers from others, the schemas
 * of the SDK's clients do not.
 */
const WITH_FRACTIONS: ReadonlySet<string> = new Set([
  'AdditionalVersionWeights',
  'Counts',
  'ExecutionEnvironmentMemoryGiBPerVCpu',
  'Maximum',
  'Minimum',
  'SampleCount',
  'Sum',
  'TargetValue',
  'Threshold',
  'Value',
  'Values',
  'defaultValue',
]);

/** What a long of AWS's holds, and a little more: what is too large for an integer, its own range refuses. */
const MOST = 2 ** 63;

/**
 * A number that its member may hold.
 *
 * @param member the name of the member, or of the list or map the number is in
 * @throws ShapeError for a fraction where an integer belongs
 */
export function numberFor(member: string, number: number): number {
  if (WITH_FRACTIONS.has(member) || (Number.isInteger(number) && Math.abs(number) <= MOST)) return number;
  throw new ShapeError('must be an integer', number);
}
