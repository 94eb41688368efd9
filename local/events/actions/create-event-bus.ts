import { checkTags } from '../../kernel/resource-tags';
import { BUS_NAME, eventsConstraints } from '../constraints';
import { validationException } from '../errors';
import type { EventsAction } from '../events-actions';
import { TAG_RULES } from '../tag-rules';
import { busDefinition } from './bus-rules';

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_CreateEventBus.html */
export const createEventBus: EventsAction<'CreateEventBus'> = {
  permission: 'events:CreateEventBus',
  resourceOf: (internals, { Name }) => internals.busAt(Name ?? '*'),
  run: ({ buses, context, nowMs }, { input }) => {
    const { Name = '', Description, Tags } = input;
    eventsConstraints()
      .notNull('name', input.Name)
      .length('name', input.Name, 1, 256)
      .pattern('name', input.Name, BUS_NAME)
      .length('description', Description, 0, 512)
      .check();
    if (Name.includes('/')) throw validationException("Event bus name must not contain '/'.");
    const definition = busDefinition(input, context.place.region);
    checkTags(Tags ?? [], TAG_RULES);
    const bus = buses.create(Name, nowMs, definition);
    bus.tags.put(Tags);
    context.trace.record({ type: 'events.bus-created', eventBusArn: bus.arn });
    return {
      EventBusArn: bus.arn,
      ...(definition.description !== undefined && { Description: definition.description }),
      ...(definition.deadLetterConfig && { DeadLetterConfig: definition.deadLetterConfig }),
    };
  },
};
