import type { RuleState, Target } from '@aws-sdk/client-eventbridge';
import { parseArn } from '../../policy/arn';
import { type PropertyReader, tagsProperty } from '../cloudformation/property-reader';
import {
  changeTags,
  type ExistingResource,
  type PutResource,
  putType,
  type ResourceType,
} from '../cloudformation/resource-type';
import { readTargetSettings } from '../event-delivery/targets';
import { isObject, type JsonObject } from '../kernel/json';
import { notePolicyParts, policyProperty } from '../policy-document/policy';
import type { EventBridge } from './event-bridge';
import { busName } from './event-bus';
import { isTarget } from './invocation';

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
  return putType('AWS::Events::EventBus', put, ({ ref: Name }) =>
    events.call('DeleteEventBus', events.owner, { Name }),
  );
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
  return putType('AWS::Events::EventBusPolicy', put, ({ properties }) => {
    const [EventBusName, StatementId] = [properties.string('EventBusName'), properties.string('StatementId')];
    events.call('RemovePermission', events.owner, { EventBusName, StatementId });
  });
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

const LONGEST_NAME = 64;

export function ruleResourceType(events: EventBridge): ResourceType {
  const { owner } = events;
  const put: PutResource = (properties, context, existing) => {
    const Name = properties.string('Name') ?? context.physicalName(LONGEST_NAME);
    const EventBusName = properties.string('EventBusName');
    const pattern = properties.document('EventPattern');
    const rule = {
      Name,
      EventBusName,
      EventPattern: pattern && JSON.stringify(pattern),
      ScheduleExpression: properties.string('ScheduleExpression'),
      State: properties.string('State') as RuleState | undefined,
      Description: properties.string('Description'),
      RoleArn: properties.string('RoleArn'),
      Tags: tagsProperty(properties),
    };
    const Targets = properties.objects('Targets').flatMap(target => readTarget(target) ?? []);
    if (EventBusName !== undefined) {
      properties.attempt('EventBusName', () => events.call('DescribeEventBus', owner, { Name: EventBusName }));
    }
    const isTaken = !existing && events.hasRule(Name, EventBusName);
    properties.isFree('Name', Name, isTaken);
    if (properties.allProblems().length > 0) return { ref: Name, attributes: { Arn: '' } };
    const blamed = pattern ? 'EventPattern' : 'ScheduleExpression';
    const made = properties.attempt(blamed, () => events.call('PutRule', owner, rule));
    if (made && Targets.length > 0) {
      properties.attempt('Targets', () => events.call('PutTargets', owner, { Rule: Name, EventBusName, Targets }));
    }
    if (existing) {
      const before = existing.properties.objects('Targets').map(target => target.requiredString('Id'));
      removeTargets(
        existing,
        before.filter(id => !Targets.some(({ Id }) => Id === id)),
      );
      const ResourceARN = existing.attributes['Arn'] ?? '';
      changeTags(
        rule.Tags,
        existing,
        Tags => events.call('TagResource', owner, { ResourceARN, Tags }),
        TagKeys => events.call('UntagResource', owner, { ResourceARN, TagKeys }),
      );
    }
    const bus = busName(EventBusName);
    return { ref: bus === 'default' ? Name : `${bus}|${Name}`, attributes: { Arn: made?.RuleArn ?? '' } };
  };
  const removeTargets = ({ ref, properties }: ExistingResource, Ids: string[]): void => {
    if (Ids.length === 0) return;
    events.call('RemoveTargets', owner, { Rule: ruleName(ref), EventBusName: properties.string('EventBusName'), Ids });
  };
  return putType('AWS::Events::Rule', put, existing => {
    const ids = existing.properties.objects('Targets').map(target => target.requiredString('Id'));
    removeTargets(existing, ids);
    const EventBusName = existing.properties.string('EventBusName');
    events.call('DeleteRule', owner, { Name: ruleName(existing.ref), EventBusName });
  });
}

/** The reference of a rule begins with its bus, unless that is the default bus. */
const ruleName = (ref: string): string => ref.slice(ref.lastIndexOf('|') + 1);

/** Returns undefined for a target of a service that is not simulated. */
function readTarget(target: PropertyReader): Target | undefined {
  const Arn = target.requiredString('Arn');
  if (parseArn(Arn) && !isTarget(Arn)) {
    target.everything();
    return target.notSimulated('Arn', 'names a target that the embedded AWS does not implement', Arn);
  }
  const transformer = target.object('InputTransformer');
  return {
    Id: target.requiredString('Id'),
    Arn,
    RoleArn: target.string('RoleArn'),
    Input: target.string('Input'),
    InputPath: target.string('InputPath'),
    ...(transformer && { InputTransformer: readTransformer(transformer) }),
    ...readTargetSettings(target),
  };
}

function readTransformer(transformer: PropertyReader) {
  const paths = Object.entries(transformer.document('InputPathsMap') ?? {});
  return {
    InputPathsMap: Object.fromEntries(paths.map(([name, path]) => [name, String(path)])),
    InputTemplate: transformer.requiredString('InputTemplate'),
  };
}
