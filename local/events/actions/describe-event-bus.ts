import type { EventsAction } from '../events-actions';
import { busDescription } from './bus-description';

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_DescribeEventBus.html */
export const describeEventBus: EventsAction<'DescribeEventBus'> = {
  permission: 'events:DescribeEventBus',
  resourceOf: (internals, { Name }) => internals.busAt(Name),
  run: ({ buses }, { input: { Name } }) => {
    const bus = buses.get(Name);
    const { deadLetterConfig } = bus.definition;
    return { ...busDescription(bus), ...(deadLetterConfig && { DeadLetterConfig: deadLetterConfig }) };
  },
};
