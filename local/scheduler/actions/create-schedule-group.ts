import { checkTags } from '../../kernel/resource-tags';
import { constrainName, schedulerConstraints } from '../constraints';
import { notOnDefaultGroup } from '../errors';
import { DEFAULT_GROUP } from '../schedule-groups';
import type { SchedulerAction } from '../scheduler-actions';
import { TAG_RULES } from '../tag-rules';

/** @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_CreateScheduleGroup.html */
export const createScheduleGroup: SchedulerAction<'CreateScheduleGroup'> = {
  permission: 'scheduler:CreateScheduleGroup',
  resourceOf: (internals, { Name }) => internals.groupAt(Name),
  run: ({ groups, context, nowMs }, { input: { Name, Tags } }) => {
    constrainName(schedulerConstraints().notNull('name', Name), 'name', Name).check();
    if (Name === DEFAULT_GROUP) throw notOnDefaultGroup();
    checkTags(Tags ?? [], TAG_RULES);
    const group = groups.create(Name ?? '', nowMs);
    group.tags.put(Tags);
    context.trace.record({ type: 'scheduler.group-created', groupArn: group.arn });
    return { ScheduleGroupArn: group.arn };
  },
};
