import { parseArn } from '../../policy/arn';
import {
  allKnown,
  isKnown,
  knownValue,
  type MaybeKnown,
  mapKnown,
  thenKnown,
  type Unknown,
} from '../../template/maybe-known';
import type { PropertyValue } from '../../template/property-values';
import { hasStandIn, mayBeSame } from '../../template/stand-in';
import type { TemplateStack } from '../../template/template-stack';
import type { Inventory, NotificationFacts, QueueUserFacts, StreamFacts } from '../inventory/inventory';
import { readAlarms } from './alarms';
import { AppReading, type ResourceReading } from './app-reading';
import { readFunctions, readMappings, readTargets, streamRetries } from './functions';
import { queueArnAt, readQueues } from './queues';
import { readKeys, readRoles } from './roles-and-keys';
import { readServiceCalls } from './service-calls';
import { readSubscriptions, readTopics } from './topics';

function deadLettersIn(of: PropertyValue): MaybeKnown<string | undefined> {
  return of.at('DeadLetterConfig').at('Arn').text(undefined);
}

/** Sources for which a pipe sends failures to a queue. */
const STREAMS: readonly string[] = ['KinesisStreamParameters', 'DynamoDBStreamParameters'];

const STOPPED = 'STOPPED';

function pipe(resource: ResourceReading): QueueUserFacts {
  const parameters = resource.given('SourceParameters');
  const targets = STREAMS.map(it => deadLettersIn(parameters.at(it)));
  const stream = STREAMS.map(it => parameters.at(it)).find(it => it.isPresent === true);
  return {
    ...resource.as(resource.attribute('Arn')),
    kind: 'pipe',
    isEnabled: mapKnown(resource.given('DesiredState').text('RUNNING'), it => it !== STOPPED),
    sourceArn: resource.given('Source').requiredText(),
    deadLetterTargetArn: targets.find(it => !isKnown(it)) ?? targets.find(it => it !== undefined),
    ...(stream && { streamRetries: streamRetries(name => stream.at(name)) }),
  };
}

function isArchived(busArn: MaybeKnown<string>, archives: readonly MaybeKnown<string>[]): MaybeKnown<boolean> {
  if (!isKnown(busArn)) return busArn;
  return thenKnown(allKnown(archives), sources => sources.some(it => mayBeSame(it, busArn)));
}

function bus(resource: ResourceReading, archives: readonly MaybeKnown<string>[]): QueueUserFacts {
  const arn = resource.attribute('Arn');
  return {
    ...resource.as(arn),
    kind: 'bus',
    isEnabled: true,
    sourceArn: undefined,
    deadLetterTargetArn: resource.given('DeadLetterConfig').at('Arn').text(undefined),
    keyId: resource.given('KmsKeyIdentifier').text(undefined),
    hasArchive: isArchived(arn, archives),
  };
}

const NO_URL: Unknown = { unknownBecause: 'is not the URL of a queue' };
const AT_DEPLOYMENT: Unknown = { unknownBecause: 'is only known at deployment' };

/** Whether a rule has an error action, or nothing that can fail. */
function handlesErrors(payload: PropertyValue): MaybeKnown<boolean> {
  const { isPresent } = payload.at('ErrorAction');
  const actions = payload.at('Actions').list();
  if (isPresent === undefined || !isKnown(actions)) return AT_DEPLOYMENT;
  return isPresent || actions.length === 0;
}

function iotRule(resource: ResourceReading): QueueUserFacts {
  const { partition } = resource.stack.environment;
  const payload = resource.given('TopicRulePayload');
  const url = payload.at('ErrorAction').at('Sqs').at('QueueUrl').text(undefined);
  const deadLetterTargetArn = thenKnown(url, it =>
    it === undefined ? undefined : (queueArnAt(it, partition) ?? NO_URL),
  );
  return {
    ...resource.as(resource.attribute('Arn')),
    kind: 'iot-rule',
    isEnabled: mapKnown(payload.at('RuleDisabled').flag(false), it => !it),
    sourceArn: undefined,
    deadLetterTargetArn,
    hasErrorAction: handlesErrors(payload),
  };
}

/** Other resources in an app's templates that read queues or send to them. */
function readQueueUsers(app: AppReading): QueueUserFacts[] {
  const archives = app.resources('AWS::Events::Archive').map(it => it.given('SourceArn').requiredText());
  return [
    ...app.resources('AWS::Events::EventBus').map(it => bus(it, archives)),
    ...app.resources('AWS::Pipes::Pipe').map(pipe),
    ...app.resources('AWS::IoT::TopicRule').map(iotRule),
  ];
}

/** The Firehose streams of an app's templates. A stream that has a source takes records only from it. */
function readStreams(app: AppReading): StreamFacts[] {
  return app.resources('AWS::KinesisFirehose::DeliveryStream').map(it => ({
    ...it.as(it.attribute('Arn')),
    status: AT_DEPLOYMENT,
    type: it.given('DeliveryStreamType').text('DirectPut'),
    keyId: it.given('DeliveryStreamEncryptionConfigurationInput').at('KeyARN').text(undefined),
  }));
}

/** The lists of targets in a notification configuration, as CloudFormation and as S3's API spell them. */
const TARGETS = [
  ['QueueConfigurations', 'Queue'],
  ['QueueConfigurations', 'QueueArn'],
  ['LambdaConfigurations', 'Function'],
  ['LambdaFunctionConfigurations', 'LambdaFunctionArn'],
] as const;

function targetsIn(configuration: PropertyValue): MaybeKnown<string>[] {
  return TARGETS.flatMap(([name, member]) => {
    const list = configuration.at(name).list();
    return isKnown(list) ? list.map(it => it.at(member)).filter(it => it.isPresent === true) : [];
  }).map(it => it.requiredText());
}

function facts(
  by: ResourceReading,
  arn: MaybeKnown<string>,
  targets: readonly MaybeKnown<string>[],
): NotificationFacts[] {
  return targets.map(targetArn => ({ ...by.as(arn), targetArn }));
}

function ofIotRule(rule: ResourceReading): NotificationFacts[] {
  const actions = rule.given('TopicRulePayload').at('Actions').list();
  const functions = isKnown(actions) ? actions.map(it => it.at('Lambda').at('FunctionArn')) : [];
  const given = functions.filter(it => it.isPresent === true).map(it => it.requiredText());
  return facts(rule, rule.attribute('Arn'), given);
}

/** The notifications of buckets, which aws-cdk-lib sets by a custom resource, and the functions of IoT rules. */
function readNotifications(app: AppReading): NotificationFacts[] {
  const buckets = app.resources('AWS::S3::Bucket', 'Custom::S3BucketNotifications');
  return [
    ...buckets.flatMap(it => facts(it, it.ref, targetsIn(it.given('NotificationConfiguration')))),
    ...app.resources('AWS::IoT::TopicRule').flatMap(ofIotRule),
  ];
}

/** The value that all stacks share, if they state one and agree. */
function shared(what: string, values: readonly string[]): MaybeKnown<string> {
  const [first = '', ...others] = [...new Set(values)];
  if (others.length > 0) return { unknownBecause: `differs: the stacks are for several ${what}s` };
  return hasStandIn(first) || first === '' ? { unknownBecause: `is chosen when the stacks are deployed` } : first;
}

/**
 * Reads the templates of an app.
 *
 * @param stacks those that are deployed together: a stack may import what another exports
 */
export function readApp(stacks: readonly TemplateStack[]): AppReading {
  const together = new AppReading(stacks);
  const apart = separateTwins(together, stacks);
  return apart === stacks ? together : new AppReading(apart);
}

/**
 * Reads the resources that an account will have when these templates are deployed, as far as the templates state them.
 *
 * @param stacks those that are deployed together: a stack may import what another exports
 */
export function readTemplates(stacks: readonly TemplateStack[]): Inventory {
  const app = readApp(stacks);
  const { environments, unread } = app;
  return {
    partition: environments[0]?.partition ?? 'aws',
    region: shared(
      'Region',
      environments.map(({ region }) => region),
    ),
    account: shared(
      'account',
      environments.map(({ account }) => account),
    ),
    isComplete: false,
    ...(unread.length > 0 && { unread }),
    topics: readTopics(app),
    subscriptions: readSubscriptions(app),
    queues: readQueues(app),
    functions: readFunctions(app),
    mappings: readMappings(app),
    targets: readTargets(app),
    queueUsers: readQueueUsers(app),
    streams: readStreams(app),
    notifications: readNotifications(app),
    serviceCalls: readServiceCalls(app),
    alarms: readAlarms(app),
    keys: readKeys(app),
    roles: readRoles(app),
  };
}

/** Resource types whose names are unique within an account and Region. */
const NAMED: ReadonlySet<string> = new Set([
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::CompositeAlarm',
  'AWS::Events::Rule',
  'AWS::IAM::Role',
  'AWS::Lambda::Function',
  'AWS::SNS::Topic',
  'AWS::SQS::Queue',
  'AWS::Scheduler::Schedule',
]);

/** The ARNs that a stack certainly creates, if the stack does not state its Region or account. */
function openArns(resources: readonly ResourceReading[]): string[] {
  const arns = resources
    .filter(({ type, isCertain }) => isCertain && NAMED.has(type))
    .flatMap(it => knownValue(it.attribute('Arn')) ?? []);
  return arns.filter(arn => {
    const { region = '', account = '' } = parseArn(arn) ?? {};
    return hasStandIn(region) || hasStandIn(account);
  });
}

/**
 * The stacks, by index, that create a resource which another stack creates too: they cannot be in the same account and
 * Region.
 */
function twinsIn(app: AppReading): ReadonlySet<number> {
  const makers = new Map<string, Set<number>>();
  app.byStack.forEach((resources, index) => {
    for (const arn of openArns(resources)) makers.set(arn, (makers.get(arn) ?? new Set()).add(index));
  });
  return new Set([...makers.values()].filter(({ size }) => size > 1).flatMap(it => [...it]));
}

/**
 * For each stack, by index, the first stack it is connected with by imports: connected stacks are deployed to one
 * place.
 */
function placesOf(app: AppReading): readonly number[] {
  const places = app.byStack.map((_, index) => index);
  for (const resources of app.byStack) for (const it of resources) it.evaluateAll();
  for (const [one, other] of app.links()) {
    const [from, to] = [places[one] ?? one, places[other] ?? other];
    places.forEach((place, index) => {
      if (place === Math.max(from, to)) places[index] = Math.min(from, to);
    });
  }
  return places;
}

/** A place is named after its first stack. */
function placeName(stacks: readonly TemplateStack[], index: number): string {
  const name = stacks[index]?.stackName ?? '';
  return stacks.filter(({ stackName }) => stackName === name).length > 1 ? `${name} ${index + 1}` : name;
}

/**
 * Separates stacks that are deployed to different places. An app may create one stack for several accounts or Regions
 * that are only chosen at deployment. Then each has resources of the same names, and findings about one do not hold for
 * the others.
 */
function separateTwins(app: AppReading, stacks: readonly TemplateStack[]): readonly TemplateStack[] {
  const twins = twinsIn(app);
  if (twins.size === 0) return stacks;
  const places = placesOf(app);
  const apart = new Set([...twins].map(index => places[index]));
  return stacks.map((stack, index) => {
    const place = places[index] ?? index;
    return apart.has(place) ? { ...stack, place: placeName(stacks, place) } : stack;
  });
}
