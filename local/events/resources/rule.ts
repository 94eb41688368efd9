import type { RuleState, Target } from '@aws-sdk/client-eventbridge';
import { parseArn } from '../../../policy/arn';
import { type PropertyReader, tagsProperty } from '../../cloudformation/property-reader';
import {
  changeTags,
  type ExistingResource,
  isNameFree,
  type PutResource,
  type ResourceType,
} from '../../cloudformation/resource-type';
import type { EventBridge } from '../event-bridge';
import { busName } from '../event-bus';
import { isTarget } from '../invocation';

const LONGEST_NAME = 64;
const TYPE = 'AWS::Events::Rule';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-events-rule.html */
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
    isNameFree(properties, { type: TYPE, property: 'Name', identifier: Name }, isTaken);
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
  return {
    type: TYPE,
    create: put,
    update: put,
    delete: existing => {
      const ids = existing.properties.objects('Targets').map(target => target.requiredString('Id'));
      removeTargets(existing, ids);
      const EventBusName = existing.properties.string('EventBusName');
      events.call('DeleteRule', owner, { Name: ruleName(existing.ref), EventBusName });
    },
  };
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
  const retryPolicy = target.object('RetryPolicy');
  const deadLetters = target.object('DeadLetterConfig');
  const sqs = target.object('SqsParameters');
  return {
    Id: target.requiredString('Id'),
    Arn,
    RoleArn: target.string('RoleArn'),
    Input: target.string('Input'),
    InputPath: target.string('InputPath'),
    ...(transformer && { InputTransformer: readTransformer(transformer) }),
    ...(retryPolicy && {
      RetryPolicy: {
        MaximumRetryAttempts: retryPolicy.number('MaximumRetryAttempts'),
        MaximumEventAgeInSeconds: retryPolicy.number('MaximumEventAgeInSeconds'),
      },
    }),
    ...(deadLetters && { DeadLetterConfig: { Arn: deadLetters.string('Arn') } }),
    ...(sqs && { SqsParameters: { MessageGroupId: sqs.string('MessageGroupId') } }),
  };
}

function readTransformer(transformer: PropertyReader) {
  const paths = Object.entries(transformer.document('InputPathsMap') ?? {});
  return {
    InputPathsMap: Object.fromEntries(paths.map(([name, path]) => [name, String(path)])),
    InputTemplate: transformer.requiredString('InputTemplate'),
  };
}
