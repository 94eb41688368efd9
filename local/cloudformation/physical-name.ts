import type { Random } from '../kernel/random';

const SUFFIX_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const SUFFIX_LENGTH = 12;

/** The random end of a physical name. */
export function nameSuffix(random: Random): string {
  let suffix = '';
  for (let i = 0; i < SUFFIX_LENGTH; i += 1) {
    suffix += SUFFIX_CHARACTERS[random.integer(0, SUFFIX_CHARACTERS.length - 1)];
  }
  return suffix;
}

/**
 * A name for a resource that was given none: stack name, logical id and a random suffix, joined with hyphens.
 *
 * AWS does not say how it shortens the parts when the service allows fewer characters. Here the longer of the two loses
 * its end first, and the suffix stays whole.
 *
 * @param maxLength characters the service allows @default no limit
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-name.html
 */
export function physicalName(
  stackName: string,
  logicalId: string,
  suffix: string,
  maxLength = Number.POSITIVE_INFINITY,
): string {
  const room = Math.max(maxLength - suffix.length - 2, 2);
  const half = Math.floor(room / 2);
  const stackRoom = Math.max(half, room - logicalId.length);
  const stack = stackName.slice(0, stackRoom);
  const logical = logicalId.slice(0, room - stack.length);
  return `${stack}-${logical}-${suffix}`;
}
