import type { SchedulerAction } from '../scheduler-actions';

/** @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_DeleteSchedule.html */
export const deleteSchedule: SchedulerAction<'DeleteSchedule'> = {
  permission: 'scheduler:DeleteSchedule',
  resourceOf: (internals, { Name, GroupName }) => internals.scheduleAt(Name, GroupName),
  run: ({ groups, runner, context }, { input: { Name = '', GroupName } }) => {
    const schedule = groups.schedule(Name, GroupName);
    runner.stop(schedule);
    groups.removeSchedule(schedule);
    const cause = 'DeleteSchedule';
    context.trace.record({ type: 'scheduler.schedule-deleted', scheduleArn: schedule.arn, cause });
    return {};
  },
};
