import { notOnDefaultGroup } from '../errors';
import { DEFAULT_GROUP } from '../schedule-groups';
import type { SchedulerAction } from '../scheduler-actions';

/**
 * With all its schedules, at once; AWS takes its time.
 *
 * @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_DeleteScheduleGroup.html
 */
export const deleteScheduleGroup: SchedulerAction<'DeleteScheduleGroup'> = {
  permission: 'scheduler:DeleteScheduleGroup',
  resourceOf: (internals, { Name }) => internals.groupAt(Name),
  run: ({ groups, runner, context }, { input: { Name = '' } }) => {
    if (Name === DEFAULT_GROUP) throw notOnDefaultGroup();
    const group = groups.get(Name);
    for (const schedule of group.schedules.values()) {
      runner.stop(schedule);
      const cause = 'DeleteScheduleGroup';
      context.trace.record({ type: 'scheduler.schedule-deleted', scheduleArn: schedule.arn, cause });
    }
    groups.delete(group);
    context.trace.record({ type: 'scheduler.group-deleted', groupArn: group.arn });
    return {};
  },
};
