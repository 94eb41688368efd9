import type { SchedulerAction } from '../scheduler-actions';

/** @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_CreateSchedule.html */
export const createSchedule: SchedulerAction<'CreateSchedule'> = {
  permission: 'scheduler:CreateSchedule',
  resourceOf: (internals, { Name, GroupName }) => internals.scheduleAt(Name, GroupName),
  run: (internals, { caller, input }) => {
    const { groups, runner, context, nowMs } = internals;
    const definition = internals.define(caller, input);
    const schedule = groups.addSchedule(input.Name ?? '', input.GroupName, nowMs, definition);
    const { text, state } = definition;
    context.trace.record({ type: 'scheduler.schedule-created', scheduleArn: schedule.arn, expression: text, state });
    runner.changed(schedule);
    return { ScheduleArn: schedule.arn };
  },
};
