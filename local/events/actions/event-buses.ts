import type {
  CreateEventBusRequest,
  EventBus as EventBusOutput,
  PutPermissionRequest,
  UpdateEventBusRequest,
} from '@aws-sdk/client-eventbridge';
import { notImplemented } from '../../kernel/aws-error';
import { rootArn } from '../../kernel/caller';
import { Constraints, validationException } from '../../kernel/constraints';
import { isObject } from '../../kernel/json';
import type { Place } from '../../kernel/place';
import { checkTags } from '../../kernel/tags';
import { readPolicyText } from '../../policy-document/policy';
import { BUS_NAME, eventsPage, NAME, resourceNotFound } from '../constraints';
import { type BusDefinition, type BusStatement, type EventBus, TAG_RULES } from '../event-bus';
import type { EventsFamily } from '../events-state';
import { checkDeadLetterQueue } from './targets';

type BusInput = Omit<CreateEventBusRequest & UpdateEventBusRequest, 'Name' | 'Tags'>;

export const eventBusActions = {
  CreateEventBus: {
    resourceOf: (state, { Name }) => state.busAt(Name ?? '*'),
    run: ({ buses, context, nowMs }, { input }) => {
      const { Name = '', Description, Tags } = input;
      new Constraints()
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
  },

  UpdateEventBus: {
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
  },

  /** Deleting a missing bus succeeds. */
  DeleteEventBus: {
    resourceOf: (state, { Name }) => state.busAt(Name),
    run: ({ buses, context }, { input: { Name } }) => {
      const bus = buses.find(Name);
      if (!bus) return;
      if (bus.isDefault) throw validationException(`Cannot delete event bus ${bus.name}.`);
      if (bus.rules.size > 0) throw validationException("Event bus can't be deleted since it has rules.");
      buses.delete(bus);
      context.trace.record({ type: 'events.bus-deleted', eventBusArn: bus.arn });
    },
  },

  DescribeEventBus: {
    resourceOf: (state, { Name }) => state.busAt(Name),
    run: ({ buses }, { input: { Name } }) => {
      const bus = buses.get(Name);
      const { deadLetterConfig } = bus.definition;
      return { ...busDescription(bus), ...(deadLetterConfig && { DeadLetterConfig: deadLetterConfig }) };
    },
  },

  ListEventBuses: {
    resourceOf: state => state.busAt('*'),
    run: ({ buses }, { input: { NamePrefix = '', Limit, NextToken } }) => {
      const found = buses.all.filter(({ name }) => name.startsWith(NamePrefix));
      const { items, nextToken } = eventsPage(found, Limit, NextToken);
      return { EventBuses: items.map(busDescription), ...(nextToken && { NextToken: nextToken }) };
    },
  },

  PutPermission: {
    resourceOf: (state, { EventBusName }) => state.busAt(EventBusName),
    run: ({ buses, context, nowMs }, { input }) => {
      const bus = buses.get(input.EventBusName);
      if (input.Policy === undefined) {
        const statement = statementOf(input, bus, context.place);
        bus.statements.set(statement.Sid, statement);
      } else {
        const statements = statementsOf(input.Policy);
        bus.statements.clear();
        for (const statement of statements) bus.statements.set(statement.Sid, statement);
      }
      bus.modifiedAtMs = nowMs;
    },
  },

  RemovePermission: {
    resourceOf: (state, { EventBusName }) => state.busAt(EventBusName),
    run: ({ buses, nowMs }, { input: { StatementId, RemoveAllPermissions = false, EventBusName } }) => {
      const bus = buses.get(EventBusName);
      bus.modifiedAtMs = nowMs;
      if (RemoveAllPermissions) {
        bus.statements.clear();
        return;
      }
      if (StatementId === undefined) throw validationException('Parameter StatementId is required.');
      if (!bus.statements.delete(StatementId)) throw resourceNotFound('Statement with the provided id does not exist.');
    },
  },
} satisfies EventsFamily;

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

/**
 * Reads the properties of a bus from a request. A bus's dead-letter queue receives events that a customer's key keeps
 * EventBridge from decrypting. Such keys are not implemented, so the dead-letter queue is stored but never used.
 */
function busDefinition(input: BusInput, region: string): BusDefinition {
  const { Description, DeadLetterConfig, KmsKeyIdentifier, LogConfig, EventSourceName } = input;
  if (KmsKeyIdentifier) throw notImplemented("event buses encrypted with a customer's key");
  if (LogConfig && LogConfig.Level !== 'OFF') throw notImplemented('logs of event buses');
  if (EventSourceName) throw notImplemented('partner event buses');
  checkDeadLetterQueue(DeadLetterConfig?.Arn, region);
  return { description: Description, deadLetterConfig: DeadLetterConfig };
}

function statementOf(input: PutPermissionRequest, bus: EventBus, { partition }: Place): BusStatement {
  const { Action, Principal, StatementId, Condition } = input;
  new Constraints()
    .notNull('statementId', StatementId)
    .length('statementId', StatementId, 1, 64)
    .pattern('statementId', StatementId, '[a-zA-Z0-9-_]+')
    .notNull('action', Action)
    .pattern('action', Action, 'events:[a-zA-Z]+')
    .notNull('principal', Principal)
    .pattern('principal', Principal, '(\\d{12}|\\*)')
    .check();
  return {
    Sid: StatementId ?? '',
    Effect: 'Allow',
    Principal: Principal === '*' ? '*' : { AWS: rootArn(partition, Principal ?? '') },
    Action,
    Resource: bus.arn,
    ...(Condition && { Condition: { [Condition.Type ?? '']: { [Condition.Key ?? '']: Condition.Value } } }),
  };
}

/** Returns the statements of a whole policy. Each must have an id. */
function statementsOf(text: string): readonly BusStatement[] {
  const { Statement } = readPolicyText(text, 'resource', problem =>
    validationException(
      problem === undefined ? 'Parameter Policy is not valid.' : `Parameter Policy is not valid. ${problem}`,
    ),
  );
  const statements: unknown[] = Array.isArray(Statement) ? Statement : [Statement];
  return statements.map(statement => {
    const Sid = isObject(statement) ? statement['Sid'] : undefined;
    if (!isObject(statement) || typeof Sid !== 'string' || !new RegExp(`^${NAME}$`).test(Sid)) {
      throw validationException('Parameter Policy is not valid. Every statement must have a Sid.');
    }
    return { ...statement, Sid };
  });
}
