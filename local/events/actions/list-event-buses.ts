import type { EventsAction } from '../events-actions';
import { eventsPage } from '../paging';
import { busDescription } from './bus-description';

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_ListEventBuses.html */
export const listEventBuses: EventsAction<'ListEventBuses'> = {
  permission: 'events:ListEventBuses',
  resourceOf: internals => internals.busAt('*'),
  run: ({ buses }, { input: { NamePrefix = '', Limit, NextToken } }) => {
    const found = buses.all.filter(({ name }) => name.startsWith(NamePrefix));
    const { items, nextToken } = eventsPage(found, Limit, NextToken);
    return { EventBuses: items.map(busDescription), ...(nextToken && { NextToken: nextToken }) };
  },
};
