import { notImplemented } from '../../kernel/aws-error';
import { FEEDBACK_PREFIXES } from '../delivery/status-log';
import { type Refuse, readBoolean } from '../errors';
import { FIFO_THROUGHPUT_SCOPES, type FifoMemory } from '../topic/fifo';
import type { Topic } from '../topic/topic-and-subscription';
import { defaultTopicPolicy, readTopicPolicy } from '../topic/topic-policy';
import { readDeliveryPolicy, topicDeliveryPolicyText, topicEffectivePolicyText } from './delivery-policy-text';

/** One attribute of a topic: how to read it and, if possible, how to set it. */
interface TopicAttribute {
  /** Undefined when the attribute is not shown. */
  readonly get: (topic: Topic) => string | undefined;
  /** @throws AwsError made by `refuse` */
  readonly set?: (topic: Topic, value: string, refuse: Refuse) => void;
}

const MAX_DISPLAY_NAME = 100;

/** Sets one attribute. An empty value removes it. */
export function setTopicAttribute(topic: Topic, name: string, value: string, refuse: Refuse): void {
  const set = TOPIC_ATTRIBUTES.get(name)?.set;
  if (!set) throw refuse('AttributeName');
  set(topic, value, refuse);
}

function withinPercent(value: string): boolean {
  return /^\d+$/.test(value) && Number(value) <= 100;
}

/**
 * An attribute of FIFO topics only. **Assumption SNS-36:** AWS does not publish this text, the refusal for a standard
 * topic.
 */
function fifoOnly(
  name: string,
  get: (fifo: FifoMemory) => string | undefined,
  assign: (fifo: FifoMemory, value: string, refuse: Refuse) => void,
): TopicAttribute {
  return {
    get: ({ fifo }) => fifo && get(fifo),
    set: ({ fifo }, value, refuse) => {
      if (fifo) assign(fifo, value, refuse);
      else if (value !== 'false') throw refuse(`${name}: only FIFO topics have this attribute`);
    },
  };
}

function readOneOf<Value extends string>(name: string, values: readonly Value[], text: string, refuse: Refuse): Value {
  const value = values.find(known => known === text);
  if (value === undefined) throw refuse(`${name}: Invalid value [${text}]. Must be one of ${values.join(', ')}.`);
  return value;
}

function oneOf<Value extends string>(
  name: string,
  values: readonly Value[],
  get: (topic: Topic) => string | undefined,
  assign: (topic: Topic, value: Value) => void,
): TopicAttribute {
  return {
    get,
    set: (topic, text, refuse) => assign(topic, readOneOf(name, values, text, refuse)),
  };
}

const countOf = (topic: Topic, pending: boolean): string =>
  String(topic.subscriptions.filter(subscription => subscription.pending === pending).length);

const OWN_ATTRIBUTES: Readonly<Record<string, TopicAttribute>> = {
  Policy: {
    get: topic => JSON.stringify(topic.policy),
    set: (topic, value, refuse) => {
      topic.policy = value === '' ? defaultTopicPolicy(topic.arn, topic.account) : readTopicPolicy(value, refuse);
    },
  },
  Owner: { get: topic => topic.account },
  SubscriptionsPending: { get: topic => countOf(topic, true) },
  TopicArn: { get: topic => topic.arn },
  EffectiveDeliveryPolicy: { get: topicEffectivePolicyText },
  SubscriptionsConfirmed: { get: topic => countOf(topic, false) },
  DisplayName: {
    get: topic => topic.displayName,
    set: (topic, value, refuse) => {
      if (value.length > MAX_DISPLAY_NAME) throw refuse(`DisplayName: must be at most ${MAX_DISPLAY_NAME} characters`);
      topic.displayName = value;
    },
  },
  SubscriptionsDeleted: { get: topic => String(topic.subscriptionsDeleted) },
  DeliveryPolicy: {
    get: topicDeliveryPolicyText,
    set: (topic, value, refuse) => {
      topic.deliveryPolicy = value === '' ? undefined : readDeliveryPolicy(value, { level: 'topic' }, refuse);
    },
  },
  KmsMasterKeyId: {
    get: topic => topic.kmsMasterKeyId,
    set: (topic, value) => {
      topic.kmsMasterKeyId = value === '' ? undefined : value;
    },
  },
  SignatureVersion: oneOf(
    'SignatureVersion',
    ['1', '2'] as const,
    topic => topic.signatureVersion,
    (topic, value) => {
      topic.signatureVersion = value;
    },
  ),
  TracingConfig: oneOf(
    'TracingConfig',
    ['PassThrough', 'Active'] as const,
    topic => topic.tracingConfig,
    (topic, value) => {
      topic.tracingConfig = value;
    },
  ),
  // Read-only: the type of a topic cannot change.
  FifoTopic: { get: ({ fifo }) => fifo && 'true' },
  ContentBasedDeduplication: fifoOnly(
    'ContentBasedDeduplication',
    fifo => String(fifo.contentBasedDeduplication),
    (fifo, value, refuse) => {
      fifo.contentBasedDeduplication = readBoolean('ContentBasedDeduplication', value, refuse);
    },
  ),
  FifoThroughputScope: fifoOnly(
    'FifoThroughputScope',
    fifo => fifo.throughputScope,
    (fifo, value, refuse) => {
      fifo.throughputScope = readOneOf('FifoThroughputScope', FIFO_THROUGHPUT_SCOPES, value, refuse);
    },
  ),
  ArchivePolicy: {
    get: () => undefined,
    set: () => {
      throw notImplemented('the topic attribute ArchivePolicy');
    },
  },
};

function feedback(name: string, isRate: boolean): TopicAttribute {
  return {
    get: topic => topic.feedback.get(name),
    set: (topic, value, refuse) => {
      if (isRate && value !== '' && !withinPercent(value)) {
        throw refuse(`${name}: Invalid value [${value}]. Must be an integer from 0 to 100.`);
      }
      if (value === '') topic.feedback.delete(name);
      else topic.feedback.set(name, value);
    },
  };
}

const FEEDBACK_ATTRIBUTES: Readonly<Record<string, TopicAttribute>> = Object.fromEntries(
  [...new Set(Object.values(FEEDBACK_PREFIXES))].flatMap(prefix =>
    ['SuccessFeedbackRoleArn', 'SuccessFeedbackSampleRate', 'FailureFeedbackRoleArn'].map(suffix => {
      const name = `${prefix}${suffix}`;
      return [name, feedback(name, suffix === 'SuccessFeedbackSampleRate')] as const;
    }),
  ),
);

/** @see https://docs.aws.amazon.com/sns/latest/api/API_SetTopicAttributes.html */
const TOPIC_ATTRIBUTES: ReadonlyMap<string, TopicAttribute> = new Map(
  Object.entries({ ...OWN_ATTRIBUTES, ...FEEDBACK_ATTRIBUTES }),
);

export function topicAttributes(topic: Topic): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [name, { get }] of TOPIC_ATTRIBUTES) {
    const value = get(topic);
    if (value !== undefined) attributes[name] = value;
  }
  return attributes;
}
