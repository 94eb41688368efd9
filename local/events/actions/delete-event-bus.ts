import { validationException } from '../errors';
import type { EventsAction } from '../events-actions';

/**
 * A bus that is not there is as good as deleted.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_DeleteEventBus.html
 */
export const deleteEventBus: EventsAction<'DeleteEventBus'> = {
  permission: 'events:DeleteEventBus',
  resourceOf: (internals, { Name }) => internals.busAt(Name),
  run: ({ buses, context }, { input: { Name } }) => {
    const bus = buses.find(Name);
    if (!bus) return {};
    if (bus.isDefault) throw validationException(`Cannot delete event bus ${bus.name}.`);
    if (bus.rules.size > 0) throw validationException("Event bus can't be deleted since it has rules.");
    buses.delete(bus);
    context.trace.record({ type: 'events.bus-deleted', eventBusArn: bus.arn });
    return {};
  },
};
