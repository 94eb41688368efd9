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
    return { Tags: state.tags.of(taggable(state, input.ResourceARN)) };
  },
};

/** Returns the ARN of an existing alarm or dashboard. */
function taggable({ alarms, dashboards }: CloudWatchState, arn = ''): string {
  const isThere =
    alarms.all.some(({ configuration }) => configuration.alarmArn === arn) ||
    dashboards.all.some(dashboard => dashboard.arn === arn);
  if (!isThere) throw resourceNotFound(arn);
  return arn;
}
