import { formatArn } from '../policy/arn';
import { ACCOUNT_STAND_IN, REGION_STAND_IN, standIn, standInAt, standInFor } from './stand-in';
import { PENDING, scalarText } from './values';

/** What `Ref` and `Fn::GetAtt` answer of a resource. */
export interface ResourceValues {
  readonly ref: unknown;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A resource whose values are asked for. */
export interface ValuedResource {
  readonly type: string;
  readonly logicalId: string;
  readonly stackName: string;
  readonly environment: TemplateEnvironment;
  /** A property, evaluated: `PENDING` where it is not known, undefined where it is not given. */
  readonly property: (name: string) => unknown;
}

type Values = (resource: ValuedResource) => ResourceValues;

function standInOf({ stackName, logicalId }: ValuedResource, part = ''): string {
  return standIn(`${stackName}.${logicalId}${part}`);
}

function openProperty({ stackName, logicalId }: ValuedResource, property: string): string {
  return standInFor(property, `${stackName}.${logicalId}`);
}

/** The name a resource is given, or what stands for the one it will get. */
function nameOf(resource: ValuedResource, property: string, suffix = ''): string {
  const given = resource.property(property);
  return (
    scalarText(given) ?? `${given === undefined ? standInOf(resource) : openProperty(resource, property)}${suffix}`
  );
}

/** A part of an ARN: what is given, AWS's own where nothing is, and what stands for it where it is not known. */
function partOf(resource: ValuedResource, property: string, otherwise: string): string {
  const value = resource.property(property);
  return value === undefined ? otherwise : (scalarText(value) ?? openProperty(resource, property));
}

/** The ARN of something in the stack's account and Region. */
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

/** The ARN of a function that is named by its name, its ARN or a part of that. */
export function functionArn(named: string, { partition, region, account }: TemplateEnvironment): string {
  if (named.startsWith('arn:')) return named;
  const name = named.replace(/^.*function:/, '');
  return formatArn({ partition, service: 'lambda', region, account, resource: `function:${name}` });
}

/** A version or an alias: an ARN of the function's, and a name after it. */
function qualified(qualifierOf: (resource: ValuedResource) => string, arnAttribute: string): Values {
  return resource => {
    const named = scalarText(resource.property('FunctionName'));
    if (named === undefined) return { ref: PENDING, attributes: {} };
    const qualifier = qualifierOf(resource);
    const arn = `${functionArn(named, resource.environment)}:${qualifier}`;
    return { ref: arn, attributes: { [arnAttribute]: arn, Version: qualifier } };
  };
}

/** What EventBridge calls the bus, and Scheduler the group, of what names none. */
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

/** IAM is the same in all Regions. */
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

/** Something whose ARN is one of the stack's account and Region, with a prefix before its name. */
function named(property: string, service: string, prefix: string): Values {
  return resource => {
    const name = nameOf(resource, property);
    return { ref: name, attributes: { Arn: arnIn(resource, service, `${prefix}${name}`), Name: name } };
  };
}

/** What `Ref` and `Fn::GetAtt` answer, by resource type: of what messages come from, go to and are watched by. */
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

/** Types whose attributes may be anything, even what is in this table. */
const OPAQUE = /^(AWS::CloudFormation::|AWS::SSM::|AWS::Serverless::|Custom::)|^(?!AWS::)/;

/** What another type answers is nothing that this table has, and told apart by its logical id. */
function attributeOfAnother(resource: ValuedResource, attribute: string): unknown {
  if (OPAQUE.test(resource.type)) return PENDING;
  const [, service = ''] = resource.type.toLowerCase().split('::');
  const part = standInOf(resource, `.${attribute}`);
  return attribute.endsWith('Arn') ? arnIn(resource, service, part) : part;
}

function valuesOf(resource: ValuedResource): ResourceValues | undefined {
  return Object.hasOwn(VALUES, resource.type) ? VALUES[resource.type]?.(resource) : undefined;
}

/** Every value of a resource that its template names by `Ref`. */
export function refOf(resource: ValuedResource): unknown {
  const values = valuesOf(resource);
  if (values) return values.ref;
  return OPAQUE.test(resource.type) ? PENDING : standInOf(resource);
}

/** An attribute of a resource; `PENDING` where it may be anything. */
export function attributeOf(resource: ValuedResource, attribute: string): unknown {
  const values = valuesOf(resource);
  if (!values) return attributeOfAnother(resource, attribute);
  return Object.hasOwn(values.attributes, attribute) ? values.attributes[attribute] : PENDING;
}

/** Where a stack is deployed, with stand-ins for what is chosen then. */
export interface TemplateEnvironment {
  readonly partition: string;
  readonly region: string;
  readonly account: string;
  readonly urlSuffix: string;
}

/** Partitions by how the names of their Regions begin. @see https://docs.aws.amazon.com/whitepapers/latest/aws-fault-isolation-boundaries/partitions.html */
const PARTITIONS: readonly (readonly [start: string, partition: string, urlSuffix: string])[] = [
  ['cn-', 'aws-cn', 'amazonaws.com.cn'],
  ['us-gov-', 'aws-us-gov', 'amazonaws.com'],
  ['us-isob-', 'aws-iso-b', 'sc2s.sgov.gov'],
  ['us-iso-', 'aws-iso', 'c2s.ic.gov'],
  ['eusc-', 'aws-eusc', 'amazonaws.eu'],
  ['', 'aws', 'amazonaws.com'],
];

/** What an assembly says where the app leaves it open. */
const OPEN = /^(unknown|current)[-_]/;

function known(value: string | undefined): string | undefined {
  return value === undefined || value === '' || OPEN.test(value) ? undefined : value;
}

/** Where nothing says the partition, it is taken to be the one that most of AWS is. */
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
