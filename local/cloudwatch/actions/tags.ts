import { alarmArn } from '../alarms/alarm-configuration';
import type { CloudWatchState } from '../cloud-watch-state';
import { Constraints, resourceNotFound } from '../errors';
import { type CloudWatchAction, resourceGiven } from './cloud-watch-action';

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_TagResource.html */
export const tagResource: CloudWatchAction<'TagResource'> = {
  permission: 'cloudwatch:TagResource',
  resourceOf: resourceGiven,
  run: (state, { input }) => {
    new Constraints().notNull('resourceARN', input.ResourceARN).notNull('tags', input.Tags).check();
    state.tags.add(taggable(state, input.ResourceARN), input.Tags ?? []);
    return {};
  },
};

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_UntagResource.html */
export const untagResource: CloudWatchAction<'UntagResource'> = {
  permission: 'cloudwatch:UntagResource',
  resourceOf: resourceGiven,
  run: (state, { input }) => {
    new Constraints().notNull('resourceARN', input.ResourceARN).notNull('tagKeys', input.TagKeys).check();
    state.tags.remove(taggable(state, input.ResourceARN), input.TagKeys ?? []);
    return {};
  },
};

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_ListTagsForResource.html */
export const listTagsForResource: CloudWatchAction<'ListTagsForResource'> = {
  permission: 'cloudwatch:ListTagsForResource',
  resourceOf: resourceGiven,
  run: (state, { input }) => {
    new Constraints().notNull('resourceARN', input.ResourceARN).check();
    const { ResourceARN: arn = '' } = input;
    return { Tags: wasAlarm(state, arn) ? [] : state.tags.of(taggable(state, arn)) };
  },
};

/**
 * Whether it is the ARN of a deleted alarm. Recorded on AWS: its tags can still be listed. **Assumption CW-17:** AWS
 * does not publish for how long, or whether the list is empty. Here it is empty, as long as the alarm's history is
 * kept.
 */
function wasAlarm({ alarms, context }: CloudWatchState, arn: string): boolean {
  const isDeleted = ({ alarmName }: { readonly alarmName: string }): boolean =>
    alarms.find(alarmName) === undefined && alarmArn(context.place, alarmName) === arn;
  return alarms.historiesOf().some(isDeleted);
}

/** Returns the ARN of an existing alarm or dashboard. */
function taggable({ alarms, dashboards }: CloudWatchState, arn = ''): string {
  const isThere =
    alarms.all.some(({ configuration }) => configuration.alarmArn === arn) ||
    dashboards.all.some(dashboard => dashboard.arn === arn);
  if (!isThere) throw resourceNotFound(arn);
  return arn;
}
