import type {
  CreateEventBusRequest,
  EventBus as EventBusOutput,
  UpdateEventBusRequest,
} from '@aws-sdk/client-eventbridge';
import { notImplemented } from '../../kernel/aws-error';
import { checkTags } from '../../kernel/tags';
import { BUS_NAME, eventsConstraints, eventsPage, validationException } from '../constraints';
import { type BusDefinition, type EventBus, TAG_RULES } from '../event-bus';
import type { EventsAction } from './events-action';
import { checkDeadLetterQueue } from './target-rules';

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_CreateEventBus.html */
export const createEventBus: EventsAction<'CreateEventBus'> = {
  permission: 'events:CreateEventBus',
  resourceOf: (state, { Name }) => state.busAt(Name ?? '*'),
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

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_UpdateEventBus.html */
export const updateEventBus: EventsAction<'UpdateEventBus'> = {
  permission: 'events:UpdateEventBus',
  resourceOf: (state, { Name }) => state.busAt(Name),
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

/**
 * Deleting a missing bus succeeds.
 * @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_DeleteEventBus.html
 */
export const deleteEventBus: EventsAction<'DeleteEventBus'> = {
  permission: 'events:DeleteEventBus',
  resourceOf: (state, { Name }) => state.busAt(Name),
  run: ({ buses, context }, { input: { Name } }) => {
    const bus = buses.find(Name);
    if (!bus) return;
    if (bus.isDefault) throw validationException(`Cannot delete event bus ${bus.name}.`);
    if (bus.rules.size > 0) throw validationException("Event bus can't be deleted since it has rules.");
    buses.delete(bus);
    context.trace.record({ type: 'events.bus-deleted', eventBusArn: bus.arn });
  },
};

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_DescribeEventBus.html */
export const describeEventBus: EventsAction<'DescribeEventBus'> = {
  permission: 'events:DescribeEventBus',
  resourceOf: (state, { Name }) => state.busAt(Name),
  run: ({ buses }, { input: { Name } }) => {
    const bus = buses.get(Name);
    const { deadLetterConfig } = bus.definition;
    return { ...busDescription(bus), ...(deadLetterConfig && { DeadLetterConfig: deadLetterConfig }) };
  },
};

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_ListEventBuses.html */
export const listEventBuses: EventsAction<'ListEventBuses'> = {
  permission: 'events:ListEventBuses',
  resourceOf: state => state.busAt('*'),
  run: ({ buses }, { input: { NamePrefix = '', Limit, NextToken } }) => {
    const found = buses.all.filter(({ name }) => name.startsWith(NamePrefix));
    const { items, nextToken } = eventsPage(found, Limit, NextToken);
    return { EventBuses: items.map(busDescription), ...(nextToken && { NextToken: nextToken }) };
  },
};

/** A bus as lists show it. */
function busDescription(bus: EventBus): EventBusOutput {
  const { arn, name, policy, createdAtMs, modifiedAtMs, definition } = bus;
  return {
    Name: name,
    Arn: arn,
    ...(definition.description !== undefined && { Description: definition.description }),
    ...(policy && { Policy: JSON.stringify(policy) }),
    CreationTime: new Date(createdAtMs),
    LastModifiedTime: new Date(modifiedAtMs),
  };
}

type BusInput = Omit<CreateEventBusRequest & UpdateEventBusRequest, 'Name' | 'Tags'>;

/**
 * Reads the properties of a bus from a request. A bus's dead-letter queue receives events that a customer's key keeps
 * EventBridge from decrypting. Such keys are not implemented, so the dead-letter queue is stored but never used.
 * @throws AwsError for invalid input, and for what the embedded EventBridge does not support
 */
function busDefinition(input: BusInput, region: string): BusDefinition {
  const { Description, DeadLetterConfig, KmsKeyIdentifier, LogConfig, EventSourceName } = input;
  if (KmsKeyIdentifier) throw notImplemented("event buses encrypted with a customer's key");
  if (LogConfig && LogConfig.Level !== 'OFF') throw notImplemented('logs of event buses');
  if (EventSourceName) throw notImplemented('partner event buses');
  checkDeadLetterQueue(DeadLetterConfig?.Arn, region);
  return { description: Description, deadLetterConfig: DeadLetterConfig };
}
