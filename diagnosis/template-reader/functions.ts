import { BATCH_SIZE_WITHOUT_WINDOW, TARGET_EVENT_AGE_SECONDS } from '../../policy/aws-limits';
import type { PolicyDocument } from '../../template/access/policy-document';
import { allKnown, isKnown, knownValue, type MaybeKnown, thenKnown, type Unknown } from '../../template/maybe-known';
import type { PropertyValue } from '../../template/property-values';
import { functionArn } from '../../template/resource-values';
import type {
  EventInvokeFacts,
  FunctionFacts,
  MappingFacts,
  StreamRetryFacts,
  TargetFacts,
} from '../inventory/inventory';
import { unqualified } from '../inventory/look-ups';
import type { AppReading, ResourceReading } from './app-reading';
import { type Attached, allGiven } from './attached';

/** Lambda's defaults. */
const TIMEOUT_SECONDS = 3;
const RETRY_ATTEMPTS = 2;
const EVENT_AGE_SECONDS = 21_600;
const STREAM_BATCH = 100;
const WITHOUT_LIMIT = -1;

function namedFunction(by: ResourceReading): MaybeKnown<string> {
  const named = by.given('FunctionName').requiredText();
  return isKnown(named) ? functionArn(named, by.stack.environment) : named;
}

/** The function itself, if the resource names one of its versions or aliases. */
function functionItself(by: ResourceReading): readonly MaybeKnown<string>[] {
  const arn = namedFunction(by);
  return [isKnown(arn) ? unqualified(arn) : arn];
}

function eventInvoke(by: ResourceReading): MaybeKnown<EventInvokeFacts> {
  const qualifier = by.given('Qualifier').requiredText();
  if (!isKnown(qualifier)) return qualifier;
  const destinationOn = (outcome: string) =>
    by.given('DestinationConfig').at(outcome).at('Destination').text(undefined);
  return {
    qualifier: qualifier.slice(qualifier.lastIndexOf(':') + 1),
    onFailureArn: destinationOn('OnFailure'),
    onSuccessArn: destinationOn('OnSuccess'),
    maximumRetryAttempts: by.given('MaximumRetryAttempts').number(RETRY_ATTEMPTS),
    maximumEventAgeSeconds: by.given('MaximumEventAgeInSeconds').number(EVENT_AGE_SECONDS),
  };
}

function policyOf(statements: MaybeKnown<readonly unknown[]>): MaybeKnown<PolicyDocument | undefined> {
  return thenKnown(statements, known => (known.length === 0 ? undefined : { Version: '2012-10-17', Statement: known }));
}

export function readFunctions(app: AppReading): FunctionFacts[] {
  const invokes = app
    .resources('AWS::Lambda::EventInvokeConfig')
    .map((by): Attached<MaybeKnown<EventInvokeFacts>> => ({ by, to: functionItself(by), value: eventInvoke(by) }));
  const permissions = app.resources('AWS::Lambda::Permission').map((by): Attached<unknown> => {
    return { by, to: functionItself(by), value: invokePermission(by, namedFunction(by)) };
  });
  return app.resources('AWS::Lambda::Function').map(it => {
    const arn = it.attribute('Arn');
    return {
      ...it.as(arn),
      timeoutSeconds: it.given('Timeout').number(TIMEOUT_SECONDS),
      roleArn: it.given('Role').requiredText(),
      deadLetterTargetArn: it.given('DeadLetterConfig').at('TargetArn').text(undefined),
      eventInvokes: thenKnown(allGiven(invokes, arn), allKnown),
      reservedConcurrency: it.given('ReservedConcurrentExecutions').number(undefined),
      policy: policyOf(allGiven(permissions, arn)),
    };
  });
}

function sourceArnOf(by: ResourceReading): MaybeKnown<string | undefined> {
  return by.given('EventSourceArn').text(undefined);
}

export function readMappings(app: AppReading): MappingFacts[] {
  return app.resources('AWS::Lambda::EventSourceMapping').map(it => {
    const { partition, region, account } = it.stack.environment;
    const uuid = knownValue(it.ref) ?? '';
    const sourceArn = sourceArnOf(it);
    const isQueue = typeof sourceArn === 'string' && sourceArn.includes(':sqs:');
    return {
      ...it.as(`arn:${partition}:lambda:${region}:${account}:event-source-mapping:${uuid}`),
      functionArn: namedFunction(it),
      sourceArn,
      isEnabled: it.given('Enabled').flag(true),
      batchSize: it.given('BatchSize').number(isQueue ? BATCH_SIZE_WITHOUT_WINDOW : STREAM_BATCH),
      batchingWindowSeconds: it.given('MaximumBatchingWindowInSeconds').number(0),
      maximumConcurrency: it.given('ScalingConfig').at('MaximumConcurrency').number(undefined),
      onFailureArn: it.given('DestinationConfig').at('OnFailure').at('Destination').text(undefined),
      ...(readsStream(it) && { streamRetries: streamRetries(name => it.given(name)) }),
    };
  });
}

/** Properties of mappings whose source also has a starting position, but is no Kinesis or DynamoDB stream. */
const OF_OTHER_SOURCES = [
  'AmazonManagedKafkaEventSourceConfig',
  'DocumentDBEventSourceConfig',
  'Queues',
  'SelfManagedEventSource',
  'SelfManagedKafkaEventSourceConfig',
  'Topics',
];

/** The ARN of a stream that a template creates is only known at deployment, and need not show its service. */
function readsStream(mapping: ResourceReading): boolean {
  if (mapping.given('StartingPosition').isPresent !== true) return false;
  return OF_OTHER_SOURCES.every(name => mapping.given(name).isPresent === false);
}

/** @param given returns a property of what reads the stream: a mapping, or the parameters of a pipe's source */
export function streamRetries(given: (name: string) => PropertyValue): StreamRetryFacts {
  return {
    maximumRetryAttempts: given('MaximumRetryAttempts').number(WITHOUT_LIMIT),
    maximumRecordAgeSeconds: given('MaximumRecordAgeInSeconds').number(WITHOUT_LIMIT),
  };
}

const SERVICE = /\.amazonaws\.com(\.[a-z]+)*$/;

/** Lambda accepts a service, an account, an ARN, or everyone. */
function principalOf(principal: MaybeKnown<string>): unknown {
  if (principal === '*') return principal;
  return { [isKnown(principal) && !SERVICE.test(principal) ? 'AWS' : 'Service']: principal };
}

/** Other properties of a permission, with the operator and key of the condition that Lambda makes from them. */
const CONDITIONS = [
  { property: 'SourceArn', operator: 'ArnLike', key: 'AWS:SourceArn' },
  { property: 'SourceAccount', operator: 'StringEquals', key: 'AWS:SourceAccount' },
  { property: 'PrincipalOrgID', operator: 'StringEquals', key: 'aws:PrincipalOrgID' },
  { property: 'EventSourceToken', operator: 'StringEquals', key: 'lambda:EventSourceToken' },
  { property: 'FunctionUrlAuthType', operator: 'StringEquals', key: 'lambda:FunctionUrlAuthType' },
] as const;

/**
 * The policy statement that Lambda makes from a permission.
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_AddPermission.html
 */
function invokePermission(by: ResourceReading, functionArn: MaybeKnown<string>): Readonly<Record<string, unknown>> {
  const condition: Record<string, Record<string, unknown>> = {};
  for (const { property, operator, key } of CONDITIONS) {
    const given = by.given(property);
    if (given.isPresent !== false) condition[operator] = { ...condition[operator], [key]: given.requiredText() };
  }
  return {
    Effect: 'Allow',
    Principal: principalOf(by.given('Principal').requiredText()),
    Action: by.given('Action').requiredText(),
    Resource: functionArn,
    ...(Object.keys(condition).length > 0 && { Condition: condition }),
  };
}

const DISABLED = 'DISABLED';

function isEnabled(resource: ResourceReading): MaybeKnown<boolean> {
  const state = resource.given('State').text('ENABLED');
  return isKnown(state) ? state !== DISABLED : state;
}

function whereTo(target: PropertyValue) {
  return {
    targetArn: target.at('Arn').requiredText(),
    deadLetterTargetArn: target.at('DeadLetterConfig').at('Arn').text(undefined),
    roleArn: target.at('RoleArn').text(undefined),
    maximumEventAgeSeconds: target.at('RetryPolicy').at('MaximumEventAgeInSeconds').number(TARGET_EVENT_AGE_SECONDS),
  };
}

/** **Assumption EVENTS-11:** For which targets EventBridge uses the role of the rule is unknown. */
const OF_THE_RULE: Unknown = { unknownBecause: 'may be the role of the rule: AWS does not say for which targets' };

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-events-rule.html */
function roleOf(target: PropertyValue, rule: ResourceReading): MaybeKnown<string | undefined> {
  const own = target.at('RoleArn').text(undefined);
  return own === undefined && rule.given('RoleArn').isPresent !== false ? OF_THE_RULE : own;
}

function ruleTargets(rule: ResourceReading): TargetFacts[] {
  const targets = rule.given('Targets').list();
  if (!isKnown(targets)) return [];
  return targets.map((target, index) => ({
    ...rule.as(rule.attribute('Arn'), targets.length > 1 ? ` Targets[${index}]` : ''),
    kind: 'rule',
    ...whereTo(target),
    roleArn: roleOf(target, rule),
    isEnabled: isEnabled(rule),
  }));
}

export function readTargets(app: AppReading): TargetFacts[] {
  const schedules = app.resources('AWS::Scheduler::Schedule').map(
    (schedule): TargetFacts => ({
      ...schedule.as(schedule.attribute('Arn')),
      kind: 'schedule',
      ...whereTo(schedule.given('Target')),
      isEnabled: isEnabled(schedule),
    }),
  );
  return [...app.resources('AWS::Events::Rule').flatMap(ruleTargets), ...schedules];
}
