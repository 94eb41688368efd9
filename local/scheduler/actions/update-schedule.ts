import type { SchedulerAction } from '../scheduler-actions';

/**
 * Puts another definition in the place of the one there is; what the request leaves out is as if it had never been.
 *
 * @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_UpdateSchedule.html
 */
export const updateSchedule: SchedulerAction<'UpdateSchedule'> = {
  permission: 'scheduler:UpdateSchedule',
  resourceOf: (internals, { Name, GroupName }) => internals.scheduleAt(Name, GroupName),
  run: (internals, { caller, input }) => {
    const { groups, runner, context, nowMs } = internals;
    const definition = internals.define(caller, input);
    const schedule = groups.schedule(input.Name ?? '', input.GroupName);
    schedule.definition = definition;
    schedule.modifiedAtMs = nowMs;
    const { text, state } = definition;
    context.trace.record({ type: 'scheduler.schedule-updated', scheduleArn: schedule.arn, expression: text, state });
    runner.changed(schedule);
    return { ScheduleArn: schedule.arn };
  },
};
