import { DescribeEventBusCommand, EventBridgeClient, ListEventBusesCommand } from '@aws-sdk/client-eventbridge';
import type { QueueUserFacts } from '../../diagnosis/inventory/inventory';
import { formatArn } from '../../policy/arn';
import { mapKnown } from '../../template/told';
import type { AccountPlace } from './account-place';
import type { AccountReader, Question } from './account-reader';
import { allPages } from './all-pages';
import { unlessEmpty } from './attribute-text';

const BUS: Question = {
  action: 'events:DescribeEventBus',
  of: ['event bus', 'event buses'],
  tells: 'the dead-letter queue',
};

/** The names of the Region's event buses. It takes the permission `events:ListEventBuses`. */
export async function eventBusNames(events: EventBridgeClient): Promise<readonly string[]> {
  return allPages(async NextToken => {
    const { EventBuses = [], NextToken: next } = await events.send(new ListEventBusesCommand({ NextToken }));
    return { items: EventBuses.flatMap(({ Name }) => Name ?? []), next };
  });
}

/**
 * Where the event buses of the Region send what they could not deliver. It takes the permissions `events:ListEventBuses` and
 * `events:DescribeEventBus`.
 */
export async function readEventBuses(reader: AccountReader, place: AccountPlace): Promise<readonly QueueUserFacts[]> {
  const events = reader.aws.client(EventBridgeClient);
  return reader.each(await eventBusNames(events), async (Name): Promise<QueueUserFacts> => {
    const bus = await reader.ask(BUS, Name, () => events.send(new DescribeEventBusCommand({ Name })));
    return {
      arn: formatArn({ ...place, service: 'events', resource: `event-bus/${Name}` }),
      name: Name,
      sourceArn: undefined,
      deadLetterTargetArn: mapKnown(bus, ({ DeadLetterConfig }) => unlessEmpty(DeadLetterConfig?.Arn)),
    };
  });
}
