import { schedulerPage } from '../paging';
import type { SchedulerAction } from '../scheduler-actions';
import { groupDescription } from './group-description';

/** @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_ListScheduleGroups.html */
export const listScheduleGroups: SchedulerAction<'ListScheduleGroups'> = {
  permission: 'scheduler:ListScheduleGroups',
  resourceOf: internals => internals.groupAt('*'),
  run: ({ groups }, { input: { NamePrefix = '', MaxResults, NextToken } }) => {
    const found = groups.all.filter(({ name }) => name.startsWith(NamePrefix));
    const { items, nextToken } = schedulerPage(found, MaxResults, NextToken);
    return { ScheduleGroups: items.map(groupDescription), ...(nextToken && { NextToken: nextToken }) };
  },
};
