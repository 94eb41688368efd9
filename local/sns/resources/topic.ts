import { type PropertyReader, tagsProperty } from '../../cloudformation/property-reader';
import { isNameFree, type ResourceType } from '../../cloudformation/resource-type';
import { FIFO_SUFFIX } from '../../kernel/messaging';
import { arnIn } from '../../kernel/place';
import type { Sns } from '../sns';

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
const TYPE = 'AWS::SNS::Topic';

/** A topic attribute, and the property that sets it. */
interface Setting {
  readonly reader: PropertyReader;
  readonly property: string;
  readonly attribute: string;
  readonly value: string;
}

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sns-topic.html */
export function topicResource(sns: Sns): ResourceType {
  return {
    type: TYPE,
    create: (properties, context) => {
      const isFifo = properties.boolean('FifoTopic') ?? false;
      const suffix = isFifo ? FIFO_SUFFIX : '';
      const name =
        properties.string('TopicName') ?? `${context.physicalName(MAX_NAME_LENGTH - suffix.length)}${suffix}`;
      const TopicArn = arnIn(sns.place, 'sns', name);
      const Tags = tagsProperty(properties);
      const Attributes: Record<string, string> = isFifo ? { FifoTopic: 'true' } : {};
      const free = isNameFree(
        properties,
        { type: TYPE, property: 'TopicName', identifier: name },
        sns.hasTopic(TopicArn),
      );
      if (free) {
        properties.attempt('TopicName', () => sns.call('CreateTopic', sns.owner, { Name: name, Attributes, Tags }));
      }
      const settings = [
        ...ownSettings(properties),
        ...properties.objects('DeliveryStatusLogging').flatMap(loggingSettings),
      ];
      const subscriptions = properties.objects('Subscription');
      const created = { ref: TopicArn, attributes: { TopicArn, TopicName: name } };
      if (!free || !sns.hasTopic(TopicArn)) return created;
      for (const { reader, property, attribute, value } of settings) {
        reader.attempt(property, () =>
          sns.call('SetTopicAttributes', sns.owner, { TopicArn, AttributeName: attribute, AttributeValue: value }),
        );
      }
      for (const subscription of subscriptions) subscribeInline(sns, TopicArn, subscription);
      return created;
    },
  };
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

function subscribeInline(sns: Sns, TopicArn: string, reader: PropertyReader): void {
  const [Protocol, Endpoint] = [reader.requiredString('Protocol'), reader.requiredString('Endpoint')];
  if (Protocol === '' || Endpoint === '') return;
  reader.attempt('Endpoint', () => sns.call('Subscribe', sns.owner, { TopicArn, Protocol, Endpoint }));
}
