import { parseArn } from '../kernel/arn';
import { AwsError } from '../kernel/aws-error';
import { checkText } from './constraints';
import { resourceMissing } from './errors';
import { nameInIdentifier } from './log-arns';
import type { LogGroup } from './log-group';
import type { LogsState } from './logs-state';

const MAX_TAGS = 50;
const KEY = { max: 128, pattern: /^([\p{L}\p{Z}\p{N}_.:/=+\-@]+)$/u };
const VALUE = { max: 256, pattern: /^([\p{L}\p{Z}\p{N}_.:/=+\-@]*)$/u };

/** @throws AwsError when a tag breaks a rule, or the group would have too many: none is added then */
export function addTags(group: LogGroup, tags: Readonly<Record<string, string>>): void {
  checkTags(tags);
  const keys = new Set([...group.tags.keys(), ...Object.keys(tags)]);
  if (keys.size > MAX_TAGS) {
    throw new AwsError('TooManyTagsException', `A log group has at most ${MAX_TAGS} tags.`, 400, {
      resourceName: group.name,
    });
  }
  for (const [key, value] of Object.entries(tags)) group.tags.set(key, value);
}

/** @throws AwsError when a tag breaks a rule */
export function checkTags(tags: Readonly<Record<string, string>>): void {
  for (const [key, value] of Object.entries(tags)) {
    checkText('tags', key, KEY);
    if (value !== '') checkText('tags', value, VALUE);
  }
}

/** @throws AwsError unless the ARN is that of a log group that is there: nothing else has tags here */
export function groupOfArn(state: LogsState, resourceArn: string | undefined): LogGroup {
  const arn = checkText('resourceArn', resourceArn, { max: 1011 });
  const group = parseArn(arn)?.service === 'logs' ? state.find(nameInIdentifier(arn)) : undefined;
  if (!group) throw resourceMissing();
  return group;
}
