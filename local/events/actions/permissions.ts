import type { PutPermissionRequest } from '@aws-sdk/client-eventbridge';
import { rootArn } from '../../kernel/caller';
import { isObject } from '../../kernel/json';
import type { Place } from '../../kernel/place';
import { readPolicyText } from '../../policy-document';
import { eventsConstraints, NAME, resourceNotFound, validationException } from '../constraints';
import type { BusStatement, EventBus } from '../event-bus';
import type { EventsAction } from './events-action';

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutPermission.html */
export const putPermission: EventsAction<'PutPermission'> = {
  permission: 'events:PutPermission',
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
};

/** Returns the statement that the single parameters of a request describe. */
function statementOf(input: PutPermissionRequest, bus: EventBus, { partition }: Place): BusStatement {
  const { Action, Principal, StatementId, Condition } = input;
  eventsConstraints()
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

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_RemovePermission.html */
export const removePermission: EventsAction<'RemovePermission'> = {
  permission: 'events:RemovePermission',
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
};
