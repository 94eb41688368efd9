import { parseArn } from '../../policy/arn';
import { AwsError } from '../kernel/aws-error';
import { refuseByModel, TAG_RULES, type TagRules } from '../kernel/tag-rules';
import { constrainText, logsConstraints } from './constraints';
import { invalidParameter, resourceMissing } from './errors';
import { nameInIdentifier } from './log-arns';
import type { LogGroup } from './log-group';
import type { LogsState } from './logs-state';

/**
 * The tags of a log group.
 * @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_TagResource.html
 */
export function logGroupTags(groupName: string): TagRules {
  const refuse = refuseByModel(invalidParameter, () => 'tags');
  const tooMany = () =>
    new AwsError('TooManyTagsException', TAG_RULES.most(undefined), 400, { resourceName: groupName });
  return {
    restrictsCharacters: true,
    refuse: breaches => (breaches[0]?.rule === 'most' ? tooMany() : refuse(breaches)),
  };
}

/** @throws AwsError unless the ARN is that of a log group that is there: nothing else has tags here */
export function groupOfArn(state: LogsState, resourceArn: string | undefined): LogGroup {
  constrainText(logsConstraints(), 'resourceArn', resourceArn, 1011).check();
  const arn = resourceArn ?? '';
  const group = parseArn(arn)?.service === 'logs' ? state.find(nameInIdentifier(arn)) : undefined;
  if (!group) throw resourceMissing();
  return group;
}
