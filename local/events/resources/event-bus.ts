import { type PropertyReader, tagsProperty } from '../../cloudformation/property-reader';
import type { PutResource, ResourceType } from '../../cloudformation/resource-type';
import { isObject, type JsonObject } from '../../kernel/json';
import { notePolicyParts, policyProperty } from '../../policy-document';
import type { EventBridge } from '../event-bridge';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-events-eventbus.html */
export function eventBusResourceType(events: EventBridge): ResourceType {
  const put: PutResource = (properties, _context, existing) => {
    const Name = properties.requiredString('Name');
    const policy = policyProperty(properties, 'Policy', 'resource');
    const deadLetters = properties.object('DeadLetterConfig');
    const bus = {
      Name,
      Description: properties.string('Description'),
      Tags: tagsProperty(properties),
      ...(deadLetters && { DeadLetterConfig: { Arn: deadLetters.string('Arn') } }),
    };
    const Policy = policy && JSON.stringify(policy);
    const attributes = { Name, Arn: '', ...(Policy !== undefined && { Policy }) };
    if (properties.allProblems().length > 0) return { ref: Name, attributes };
    const created = properties.attempt('Name', () =>
      existing
        ? { EventBusArn: events.call('UpdateEventBus', events.owner, bus).Arn }
        : events.call('CreateEventBus', events.owner, bus),
    );
    if (existing && Policy === undefined && existing.attributes['Policy'] !== undefined) {
      events.call('RemovePermission', events.owner, { EventBusName: Name, RemoveAllPermissions: true });
    }
    if (created && Policy !== undefined) {
      properties.attempt('Policy', () => events.call('PutPermission', events.owner, { EventBusName: Name, Policy }));
    }
    return { ref: Name, attributes: { ...attributes, Arn: created?.EventBusArn ?? '' } };
  };
  return {
    type: 'AWS::Events::EventBus',
    create: put,
    update: put,
    delete: ({ ref: Name }) => events.call('DeleteEventBus', events.owner, { Name }),
  };
}

/**
 * One statement of a bus's policy.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-events-eventbuspolicy.html
 */
export function eventBusPolicyResourceType(events: EventBridge): ResourceType {
  const put: PutResource = (properties, context) => {
    const EventBusName = properties.string('EventBusName');
    const StatementId = properties.requiredString('StatementId');
    const statement = properties.document('Statement');
    const parts = readParts(properties);
    if (statement) notePolicyParts(properties, 'Statement', { Statement: statement });
    if (properties.allProblems().length === 0) {
      properties.attempt(statement ? 'Statement' : 'Principal', () => {
        const what = statement
          ? { Policy: withStatement(events, EventBusName, { ...statement, Sid: StatementId }) }
          : { StatementId, ...parts };
        events.call('PutPermission', events.owner, { EventBusName, ...what });
      });
    }
    return { ref: context.physicalName(), attributes: {} };
  };
  return {
    type: 'AWS::Events::EventBusPolicy',
    create: put,
    update: put,
    delete: ({ properties }) => {
      const [EventBusName, StatementId] = [properties.string('EventBusName'), properties.string('StatementId')];
      events.call('RemovePermission', events.owner, { EventBusName, StatementId });
    },
  };
}

function readParts(properties: PropertyReader) {
  const condition = properties.object('Condition');
  return {
    Action: properties.string('Action'),
    Principal: properties.string('Principal'),
    ...(condition && {
      Condition: {
        Type: condition.requiredString('Type'),
        Key: condition.requiredString('Key'),
        Value: condition.requiredString('Value'),
      },
    }),
  };
}

/** Returns the bus's policy with the statement added, or replaced if its id exists. */
function withStatement(events: EventBridge, Name: string | undefined, statement: JsonObject): string {
  const { Policy = '{"Statement":[]}' } = events.call('DescribeEventBus', events.owner, { Name });
  const { Statement }: { Statement?: unknown } = JSON.parse(Policy);
  const others = (Array.isArray(Statement) ? Statement : []).filter(
    (other: unknown) => !isObject(other) || other['Sid'] !== statement['Sid'],
  );
  return JSON.stringify({ Version: '2012-10-17', Statement: [...others, statement] });
}
