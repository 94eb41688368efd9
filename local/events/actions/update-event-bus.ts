import type { EventsAction } from '../events-actions';
import { busDefinition } from './bus-rules';

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_UpdateEventBus.html */
export const updateEventBus: EventsAction<'UpdateEventBus'> = {
  permission: 'events:UpdateEventBus',
  resourceOf: (internals, { Name }) => internals.busAt(Name),
  run: ({ buses, context, nowMs }, { input }) => {
    const bus = buses.get(input.Name);
    bus.definition = busDefinition(input, context.place.region);
    bus.modifiedAtMs = nowMs;
    const { description, deadLetterConfig } = bus.definition;
    return {
      Arn: bus.arn,
      Name: bus.name,
      ...(description !== undefined && { Description: description }),
      ...(deadLetterConfig && { DeadLetterConfig: deadLetterConfig }),
    };
  },
};
