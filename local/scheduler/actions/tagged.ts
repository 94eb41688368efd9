import { AwsError } from '../../kernel/aws-error';
import type { ResourceTags } from '../../kernel/resource-tags';
import type { SchedulerInternals } from '../scheduler-desk';

/**
 * The tags of a group; schedules have none.
 *
 * @throws AwsError `ResourceNotFoundException`
 */
export function tagsOf({ groups }: SchedulerInternals, arn = ''): ResourceTags {
  const group = groups.all.find(it => it.arn === arn);
  if (!group) throw new AwsError('ResourceNotFoundException', `Resource ${arn} does not exist.`, 404);
  return group.tags;
}
