import { formatArn } from '../policy/arn';
import { ACCOUNT_STAND_IN, REGION_STAND_IN, standIn, standInAt, standInFor } from './stand-in';
import { PENDING, scalarText } from './values';

/** The results of `Ref` and `Fn::GetAtt` for a resource. */
interface ResourceValues {
  readonly ref: unknown;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface ValuedResource {
  readonly type: string;
  readonly logicalId: string;
  readonly stackName: string;
  readonly environment: TemplateEnvironment;
  /** An evaluated property: `PENDING` if it is not known, undefined if it is not set. */
  readonly property: (name: string) => unknown;
}

type Values = (resource: ValuedResource) => ResourceValues;

function standInOf({ stackName, logicalId }: ValuedResource, part = ''): string {
  return standIn(`${stackName}.${logicalId}${part}`);
}

function openProperty({ stackName, logicalId }: ValuedResource, property: string): string {
  return standInFor(property, `${stackName}.${logicalId}`);
}

function nameOf(resource: ValuedResource, property: string, suffix = ''): string {
  const given = resource.property(property);
  return (
    scalarText(given) ?? `${given === undefined ? standInOf(resource) : openProperty(resource, property)}${suffix}`
  );
}

/** A part of an ARN: the given value, AWS's default if none is given, or a stand-in if it is not known. */
function partOf(resource: ValuedResource, property: string, otherwise: string): string {
  const value = resource.property(property);
  return value === undefined ? otherwise : (scalarText(value) ?? openProperty(resource, property));
}

/** An ARN in the stack's account and Region. */
function arnIn({ environment }: ValuedResource, service: string, resource: string): string {
  const { partition, region, account } = environment;
  return formatArn({ partition, service, region, account, resource });
}

const FIFO = '.fifo';

function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
}

const queue: Values = resource => {
  const name = nameOf(resource, 'QueueName', isTrue(resource.property('FifoQueue')) ? FIFO : '');
  const { region, urlSuffix, account } = resource.environment;
  const url = `https://sqs.${region}.${urlSuffix}/${account}/${name}`;
  return { ref: url, attributes: { Arn: arnIn(resource, 'sqs', name), QueueName: name, QueueUrl: url } };
};

const topic: Values = resource => {
  const name = nameOf(resource, 'TopicName', isTrue(resource.property('FifoTopic')) ? FIFO : '');
  const arn = arnIn(resource, 'sns', name);
  return { ref: arn, attributes: { TopicArn: arn, TopicName: name, Arn: arn } };
};

const subscription: Values = resource => {
  const topicArn = scalarText(resource.property('TopicArn'));
  const arn = topicArn === undefined ? standInOf(resource) : `${topicArn}:${standInOf(resource)}`;
  return { ref: arn, attributes: { Arn: arn } };
};

export function functionArn(named: string, { partition, region, account }: TemplateEnvironment): string {
  if (named.startsWith('arn:')) return named;
  const name = named.replace(/^.*function:/, '');
  return formatArn({ partition, service: 'lambda', region, account, resource: `function:${name}` });
}

/** A version or an alias: the function's ARN followed by a name. */
function qualified(qualifierOf: (resource: ValuedResource) => string, arnAttribute: string): Values {
  return resource => {
    const named = scalarText(resource.property('FunctionName'));
    if (named === undefined) return { ref: PENDING, attributes: {} };
    const qualifier = qualifierOf(resource);
    const arn = `${functionArn(named, resource.environment)}:${qualifier}`;
    return { ref: arn, attributes: { [arnAttribute]: arn, Version: qualifier } };
  };
}

/** The name of the default event bus, and of Scheduler's default group. */
const DEFAULT = 'default';

const rule: Values = resource => {
  const name = nameOf(resource, 'Name');
  const bus = partOf(resource, 'EventBusName', DEFAULT);
  const busName = bus.slice(bus.lastIndexOf('/') + 1);
  const path = busName === DEFAULT ? name : `${busName}/${name}`;
  const isKnown = resource.property('EventBusName') !== PENDING;
  return {
    ref: isKnown ? path.replace('/', '|') : PENDING,
    attributes: { Arn: arnIn(resource, 'events', `rule/${path}`) },
  };
};

const schedule: Values = resource => {
  const name = nameOf(resource, 'Name');
  const group = partOf(resource, 'GroupName', DEFAULT);
  return { ref: name, attributes: { Arn: arnIn(resource, 'scheduler', `schedule/${group}/${name}`) } };
};

const key: Values = resource => {
  const id = standInOf(resource);
  return { ref: id, attributes: { KeyId: id, Arn: arnIn(resource, 'kms', `key/${id}`) } };
};

/** IAM ARNs have no Region. */
function iamArn(resource: ValuedResource, kind: string, name: string): string {
  const { partition, account } = resource.environment;
  const given = partOf(resource, 'Path', '/');
  const path = given.startsWith('/') ? given : `/${given}/`;
  return formatArn({ partition, service: 'iam', region: '', account, resource: `${kind}${path}${name}` });
}

const role: Values = resource => {
  const name = nameOf(resource, 'RoleName');
  const attributes = { Arn: iamArn(resource, 'role', name), RoleId: standInOf(resource, '.RoleId') };
  return { ref: name, attributes };
};

const managedPolicy: Values = resource => {
  const arn = iamArn(resource, 'policy', nameOf(resource, 'ManagedPolicyName'));
  return { ref: arn, attributes: { PolicyArn: arn } };
};

/** A resource whose ARN is in the stack's account and Region, with a prefix before its name. */
function named(property: string, service: string, prefix: string): Values {
  return resource => {
    const name = nameOf(resource, property);
    return { ref: name, attributes: { Arn: arnIn(resource, service, `${prefix}${name}`), Name: name } };
  };
}

/** The results of `Ref` and `Fn::GetAtt` by resource type, for the types that send, receive or monitor messages. */
const VALUES: Readonly<Record<string, Values>> = {
  'AWS::SQS::Queue': queue,
  'AWS::SNS::Topic': topic,
  'AWS::SNS::Subscription': subscription,
  'AWS::Lambda::Function': named('FunctionName', 'lambda', 'function:'),
  'AWS::Lambda::Version': qualified(resource => standInOf(resource), 'FunctionArn'),
  'AWS::Lambda::Alias': qualified(resource => nameOf(resource, 'Name'), 'AliasArn'),
  'AWS::Events::Rule': rule,
  'AWS::Events::EventBus': named('Name', 'events', 'event-bus/'),
  'AWS::Scheduler::Schedule': schedule,
  'AWS::Scheduler::ScheduleGroup': named('Name', 'scheduler', 'schedule-group/'),
  'AWS::CloudWatch::Alarm': named('AlarmName', 'cloudwatch', 'alarm:'),
  'AWS::CloudWatch::CompositeAlarm': named('AlarmName', 'cloudwatch', 'alarm:'),
  'AWS::KMS::Key': key,
  'AWS::KMS::Alias': resource => ({ ref: nameOf(resource, 'AliasName'), attributes: {} }),
  'AWS::IAM::Role': role,
  'AWS::IAM::ManagedPolicy': managedPolicy,
  'AWS::Kinesis::Stream': named('Name', 'kinesis', 'stream/'),
  'AWS::KinesisFirehose::DeliveryStream': named('DeliveryStreamName', 'firehose', 'deliverystream/'),
};

/** Types whose attributes can have any value, including values of this table's types. */
const OPAQUE = /^(AWS::CloudFormation::|AWS::SSM::|AWS::Serverless::|Custom::)|^(?!AWS::)/;

/** Attributes of other types are never values of this table's types. Their logical ids keep them apart. */
function attributeOfAnother(resource: ValuedResource, attribute: string): unknown {
  if (OPAQUE.test(resource.type)) return PENDING;
  const [, service = ''] = resource.type.toLowerCase().split('::');
  const part = standInOf(resource, `.${attribute}`);
  return attribute.endsWith('Arn') ? arnIn(resource, service, part) : part;
}

function valuesOf(resource: ValuedResource): ResourceValues | undefined {
  return Object.hasOwn(VALUES, resource.type) ? VALUES[resource.type]?.(resource) : undefined;
}

/** The result of `Ref` for a resource. */
export function refOf(resource: ValuedResource): unknown {
  const values = valuesOf(resource);
  if (values) return values.ref;
  return OPAQUE.test(resource.type) ? PENDING : standInOf(resource);
}

/** The result of `Fn::GetAtt` for a resource; `PENDING` if it can be anything. */
export function attributeOf(resource: ValuedResource, attribute: string): unknown {
  const values = valuesOf(resource);
  if (!values) return attributeOfAnother(resource, attribute);
  return Object.hasOwn(values.attributes, attribute) ? values.attributes[attribute] : PENDING;
}

/** Where a stack is deployed, with stand-ins for values that are only known at deployment. */
export interface TemplateEnvironment {
  readonly partition: string;
  readonly region: string;
  readonly account: string;
  readonly urlSuffix: string;
}

/**
 * Partitions by the beginning of their Region names. @see
 * https://docs.aws.amazon.com/whitepapers/latest/aws-fault-isolation-boundaries/partitions.html
 */
const PARTITIONS: readonly (readonly [start: string, partition: string, urlSuffix: string])[] = [
  ['cn-', 'aws-cn', 'amazonaws.com.cn'],
  ['us-gov-', 'aws-us-gov', 'amazonaws.com'],
  ['us-isob-', 'aws-iso-b', 'sc2s.sgov.gov'],
  ['us-iso-', 'aws-iso', 'c2s.ic.gov'],
  ['eusc-', 'aws-eusc', 'amazonaws.eu'],
  ['', 'aws', 'amazonaws.com'],
];

/** The values in a cloud assembly for an account or Region that the app leaves open. */
const OPEN = /^(unknown|current)[-_]/;

function known(value: string | undefined): string | undefined {
  return value === undefined || value === '' || OPEN.test(value) ? undefined : value;
}

/** If the partition is unknown, `aws` is assumed. */
export function environmentOf(where: {
  account?: string | undefined;
  region?: string | undefined;
  place?: string | undefined;
}): TemplateEnvironment {
  const { place } = where;
  const region = known(where.region) ?? (place === undefined ? REGION_STAND_IN : standInAt('region', place));
  const account = known(where.account) ?? (place === undefined ? ACCOUNT_STAND_IN : standInAt('account', place));
  const [, partition = 'aws', urlSuffix = 'amazonaws.com'] =
    PARTITIONS.find(([start]) => region.startsWith(start)) ?? [];
  return { partition, region, account, urlSuffix };
}
