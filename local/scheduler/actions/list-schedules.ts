import { schedulerPage } from '../paging';
import type { SchedulerAction } from '../scheduler-actions';

/** @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_ListSchedules.html */
export const listSchedules: SchedulerAction<'ListSchedules'> = {
  permission: 'scheduler:ListSchedules',
  resourceOf: (internals, { GroupName }) => internals.scheduleAt('*', GroupName ?? '*'),
  run: ({ groups }, { input: { GroupName, NamePrefix = '', State, MaxResults, NextToken } }) => {
    const wanted = groups.schedules.filter(
      ({ name, groupName, definition }) =>
        (GroupName === undefined || groupName === GroupName) &&
        name.startsWith(NamePrefix) &&
        (State === undefined || definition.state === State),
    );
    const { items, nextToken } = schedulerPage(wanted, MaxResults, NextToken);
    return {
      Schedules: items.map(({ arn, name, groupName, definition, createdAtMs, modifiedAtMs }) => ({
        Arn: arn,
        CreationDate: new Date(createdAtMs),
        GroupName: groupName,
        LastModificationDate: new Date(modifiedAtMs),
        Name: name,
        State: definition.state,
        Target: { Arn: definition.target.Arn },
      })),
      ...(nextToken && { NextToken: nextToken }),
    };
  },
};
