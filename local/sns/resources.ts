import { parseArn } from '../../policy/arn';
import { type PropertyReader, tagsProperty } from '../cloudformation/property-reader';
import {
  type CreateContext,
  type CreatedResource,
  changedAttributes,
  changeTags,
  type PutResource,
  putType,
  type ResourceType,
  typeForEach,
} from '../cloudformation/resource-type';
import { FIFO_SUFFIX } from '../kernel/messaging';
import { arnIn } from '../kernel/place';
import type { Api } from '../kernel/service-api';
import { notePolicyParts } from '../policy-document/policy';
import type { SnsActions } from './actions';
import type { Sns } from './sns';

/** The protocols of delivery-status logging in CloudFormation, with the attribute prefixes of SNS. */
const LOGGED_PROTOCOLS: ReadonlyMap<string, string> = new Map([
  ['application', 'Application'],
  ['firehose', 'Firehose'],
  ['http/s', 'HTTP'],
  ['lambda', 'Lambda'],
  ['sqs', 'SQS'],
]);

const LOGGING_MEMBERS = ['SuccessFeedbackRoleArn', 'SuccessFeedbackSampleRate', 'FailureFeedbackRoleArn'];

const TEXTS = ['DisplayName', 'KmsMasterKeyId', 'SignatureVersion', 'TracingConfig', 'FifoThroughputScope'];
const BOOLEANS = ['ContentBasedDeduplication'];

const MAX_NAME_LENGTH = 256;

/** A topic attribute, and the property that sets it. */
interface Setting {
  readonly reader: PropertyReader;
  readonly property: string;
  readonly attribute: string;
  readonly value: string;
}

/** The text of an attribute that a topic never had set. An empty text removes any other attribute. */
const TOPIC_DEFAULTS: Readonly<Record<string, string>> = {
  SignatureVersion: '1',
  TracingConfig: 'PassThrough',
  FifoThroughputScope: 'Topic',
  ContentBasedDeduplication: 'false',
};

export function topicResource(sns: Sns): ResourceType {
  const { owner } = sns;
  const set = (TopicArn: string, { reader, property, attribute, value }: Setting): void => {
    reader.attempt(property, () =>
      sns.call('SetTopicAttributes', owner, { TopicArn, AttributeName: attribute, AttributeValue: value }),
    );
  };
  return {
    type: 'AWS::SNS::Topic',
    create: (properties, context) => {
      const name = readName(properties, context);
      const TopicArn = arnIn(sns.place, 'sns', name);
      const Tags = tagsProperty(properties);
      const Attributes: Record<string, string> = properties.boolean('FifoTopic') ? { FifoTopic: 'true' } : {};
      const isTaken = sns.hasTopic(TopicArn);
      const free = properties.isFree('TopicName', name, isTaken);
      if (free) properties.attempt('TopicName', () => sns.call('CreateTopic', owner, { Name: name, Attributes, Tags }));
      const settings = readSettings(properties);
      const subscriptions = properties.objects('Subscription');
      const created = { ref: TopicArn, attributes: { TopicArn, TopicName: name } };
      if (!free || !sns.hasTopic(TopicArn)) return created;
      for (const setting of settings) set(TopicArn, setting);
      for (const subscription of subscriptions) subscribeInline(sns, TopicArn, subscription);
      return created;
    },
    update: (properties, context, existing) => {
      const { ref: TopicArn } = existing;
      readName(properties, context);
      sns.call('GetTopicAttributes', owner, { TopicArn });
      const before = readSettings(existing.properties);
      const after = readSettings(properties);
      const gone = before.filter(({ attribute }) => !after.some(setting => setting.attribute === attribute));
      for (const it of gone) set(TopicArn, { ...it, reader: properties, value: TOPIC_DEFAULTS[it.attribute] ?? '' });
      for (const setting of after) {
        if (!before.some(it => it.attribute === setting.attribute && it.value === setting.value))
          set(TopicArn, setting);
      }
      changeTags(
        tagsProperty(properties),
        existing,
        Tags => sns.call('TagResource', owner, { ResourceArn: TopicArn, Tags }),
        TagKeys => sns.call('UntagResource', owner, { ResourceArn: TopicArn, TagKeys }),
      );
      changeSubscriptions(sns, TopicArn, properties, existing.properties);
      return { ref: TopicArn, attributes: existing.attributes };
    },
    delete: ({ ref: TopicArn }) => sns.call('DeleteTopic', owner, { TopicArn }),
  };
}

/** The name of a FIFO topic ends in `.fifo`. */
function readName(properties: PropertyReader, context: CreateContext): string {
  const suffix = (properties.boolean('FifoTopic') ?? false) ? FIFO_SUFFIX : '';
  return properties.string('TopicName') ?? `${context.physicalName(MAX_NAME_LENGTH - suffix.length)}${suffix}`;
}

function readSettings(properties: PropertyReader): readonly Setting[] {
  return [...ownSettings(properties), ...properties.objects('DeliveryStatusLogging').flatMap(loggingSettings)];
}

function ownSettings(reader: PropertyReader): readonly Setting[] {
  const read = [
    ...TEXTS.map(name => [name, reader.string(name)] as const),
    ...BOOLEANS.map(name => [name, reader.boolean(name)] as const),
  ];
  return read.flatMap(([name, value]) =>
    value === undefined ? [] : [{ reader, property: name, attribute: name, value: String(value) }],
  );
}

function loggingSettings(reader: PropertyReader): readonly Setting[] {
  const protocol = reader.requiredString('Protocol');
  const prefix = LOGGED_PROTOCOLS.get(protocol);
  if (prefix === undefined) {
    reader.problem('Protocol', `must be one of ${[...LOGGED_PROTOCOLS.keys()].join(', ')}`, protocol);
  }
  return LOGGING_MEMBERS.flatMap(property => {
    const value = reader.string(property);
    if (value === undefined || prefix === undefined) return [];
    return [{ reader, property, attribute: `${prefix}${property}`, value }];
  });
}

/** Unsubscribes the endpoints that are gone, then subscribes the new ones. */
function changeSubscriptions(sns: Sns, TopicArn: string, after: PropertyReader, before: PropertyReader): void {
  const [wanted, had] = [after.objects('Subscription'), before.objects('Subscription')];
  const keyOf = (it: PropertyReader): string => `${it.requiredString('Protocol')} ${it.requiredString('Endpoint')}`;
  const [wantedKeys, hadKeys] = [wanted.map(keyOf), had.map(keyOf)];
  const { Subscriptions = [] } = sns.call('ListSubscriptionsByTopic', sns.owner, { TopicArn });
  for (const { Protocol, Endpoint, SubscriptionArn } of Subscriptions) {
    const key = `${Protocol} ${Endpoint}`;
    if (!hadKeys.includes(key) || wantedKeys.includes(key) || !SubscriptionArn?.startsWith('arn:')) continue;
    sns.call('Unsubscribe', sns.owner, { SubscriptionArn });
  }
  for (const [i, subscription] of wanted.entries()) {
    if (!hadKeys.includes(wantedKeys[i] ?? '')) subscribeInline(sns, TopicArn, subscription);
  }
}

function subscribeInline(sns: Sns, TopicArn: string, reader: PropertyReader): void {
  const [Protocol, Endpoint] = [reader.requiredString('Protocol'), reader.requiredString('Endpoint')];
  if (Protocol === '' || Endpoint === '') return;
  reader.attempt('Endpoint', () => sns.call('Subscribe', sns.owner, { TopicArn, Protocol, Endpoint }));
}

export type Topics = Api<SnsActions>;

type Attributes = readonly (readonly [name: string, value: string])[];

/** The value that removes an attribute, or is its default. */
const SUBSCRIPTION_DEFAULTS: Readonly<Record<string, string>> = {
  RawMessageDelivery: 'false',
  FilterPolicyScope: 'MessageAttributes',
  FilterPolicy: '{}',
};

const defaultOf = (attribute: string): string => SUBSCRIPTION_DEFAULTS[attribute] ?? '';

/** Returns the attributes to set, in an order in which an attribute comes after those it depends on. */
function readAttributes(properties: PropertyReader): Attributes {
  const text = (name: string): string | undefined => {
    const document = properties.document(name);
    return document && JSON.stringify(document);
  };
  const raw = properties.boolean('RawMessageDelivery');
  const read: (readonly [string, string | undefined])[] = [
    ['RawMessageDelivery', raw === undefined ? undefined : String(raw)],
    ['FilterPolicyScope', properties.string('FilterPolicyScope')],
    ['FilterPolicy', text('FilterPolicy')],
    ['DeliveryPolicy', text('DeliveryPolicy')],
    ['RedrivePolicy', text('RedrivePolicy')],
  ];
  return read.filter((entry): entry is [string, string] => entry[1] !== undefined);
}

/** Returns all attributes that an update can change, with the role, which is given when an endpoint is subscribed. */
function readAll(properties: PropertyReader): Readonly<Record<string, string>> {
  const SubscriptionRoleArn = properties.string('SubscriptionRoleArn');
  return { ...(SubscriptionRoleArn && { SubscriptionRoleArn }), ...Object.fromEntries(readAttributes(properties)) };
}

export function subscriptionResource(sns: Sns, topics: Topics): ResourceType {
  const set = (properties: PropertyReader, SubscriptionArn: string, attributes: Attributes): CreatedResource => {
    for (const [AttributeName, AttributeValue] of SubscriptionArn === '' ? [] : attributes) {
      const input = { SubscriptionArn, AttributeName, AttributeValue };
      properties.attempt(AttributeName, () => topics.call('SetSubscriptionAttributes', sns.owner, input));
    }
    return { ref: SubscriptionArn, attributes: { Arn: SubscriptionArn } };
  };
  return {
    type: 'AWS::SNS::Subscription',
    create: (properties, context) => {
      const attributes = readAttributes(properties);
      const SubscriptionRoleArn = properties.string('SubscriptionRoleArn');
      // As on AWS, an endpoint that is subscribed with other attributes is refused. The first deployment sets each attribute
      // by itself, to name the properties that are wrong.
      const together = context.takesTime ? Object.fromEntries(attributes) : {};
      const [TopicArn, Protocol] = [properties.requiredString('TopicArn'), properties.requiredString('Protocol')];
      const Endpoint = properties.string('Endpoint') ?? '';
      const region = properties.string('Region') ?? sns.place.region;
      const { region: ofTopic = region } = parseArn(TopicArn) ?? {};
      if (region !== ofTopic) properties.problem('Region', `must be ${ofTopic}, the Region of the topic`, region);
      const answer = properties.attempt('Endpoint', () =>
        topics.call('Subscribe', sns.owner, {
          TopicArn,
          Protocol,
          Endpoint,
          Attributes: { ...(SubscriptionRoleArn && { SubscriptionRoleArn }), ...together },
          ReturnSubscriptionArn: true,
        }),
      );
      return set(properties, answer?.SubscriptionArn ?? '', context.takesTime ? [] : attributes);
    },
    update: (properties, _context, existing) => {
      properties.withoutEffect('TopicArn', 'Protocol', 'Endpoint', 'Region');
      const before = readAll(existing.properties);
      return set(properties, existing.ref, Object.entries(changedAttributes(before, readAll(properties), defaultOf)));
    },
    delete: ({ ref: SubscriptionArn }) => topics.call('Unsubscribe', sns.owner, { SubscriptionArn }),
  };
}

function putPolicy(sns: Sns, properties: PropertyReader, topicArns: readonly string[]): void {
  const document = properties.document('PolicyDocument') ?? properties.problem('PolicyDocument', 'is required');
  if (!document) return;
  notePolicyParts(properties, 'PolicyDocument', { ...document, Statement: document['Statement'] });
  for (const TopicArn of topicArns) {
    const input = { TopicArn, AttributeName: 'Policy', AttributeValue: JSON.stringify(document) };
    properties.attempt('PolicyDocument', () => sns.call('SetTopicAttributes', sns.owner, input));
  }
}

/** An empty policy is the default one. It replaces any policy, also one that another resource has set since. */
function removePolicies(sns: Sns, topicArns: readonly string[]): void {
  for (const TopicArn of topicArns.filter(arn => sns.hasTopic(arn))) {
    sns.call('SetTopicAttributes', sns.owner, { TopicArn, AttributeName: 'Policy', AttributeValue: '' });
  }
}

/**
 * A policy that replaces the policy of one or more topics.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sns-topicpolicy.html
 * @see https://github.com/aws-cloudformation/aws-cloudformation-resource-providers-sns/tree/main/aws-sns-topicpolicy
 */
export function topicPolicyResource(sns: Sns): ResourceType {
  return typeForEach(
    'AWS::SNS::TopicPolicy',
    'Topics',
    (properties, topicArns) => putPolicy(sns, properties, topicArns),
    topicArns => removePolicies(sns, topicArns),
  );
}

export function topicInlinePolicyResource(sns: Sns): ResourceType {
  const put: PutResource = properties => {
    const topicArn = properties.requiredString('TopicArn');
    putPolicy(sns, properties, topicArn === '' ? [] : [topicArn]);
    return { ref: topicArn, attributes: {} };
  };
  return putType('AWS::SNS::TopicInlinePolicy', put, ({ ref }) => removePolicies(sns, [ref]));
}
