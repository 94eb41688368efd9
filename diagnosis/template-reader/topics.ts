import type { PolicyDocument } from '../../template/access/policy-document';
import { allKnown, isKnown, knownValue, type MaybeKnown, thenKnown } from '../../template/maybe-known';
import type { PropertyValue } from '../../template/property-values';
import type { Resource, StatusLogging, SubscriptionFacts, TopicFacts } from '../inventory/inventory';
import type { AppReading, ResourceReading } from './app-reading';
import { type Attached, onlyGiven } from './attached';
import { isFifoType } from './queues';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sns-topic.html */
const PROPERTIES: ReadonlySet<string> = new Set([
  'ArchivePolicy',
  'ContentBasedDeduplication',
  'DataProtectionPolicy',
  'DeliveryStatusLogging',
  'DisplayName',
  'FifoThroughputScope',
  'FifoTopic',
  'KmsMasterKeyId',
  'SignatureVersion',
  'Subscription',
  'Tags',
  'TopicName',
  'TracingConfig',
]);

/** Protocols by their spelling in CloudFormation, which is that of the topic's attributes. */
const LOGGED_PROTOCOLS: ReadonlyMap<string, string> = new Map([
  ['http/s', 'HTTP'],
  ['sqs', 'SQS'],
  ['lambda', 'Lambda'],
  ['firehose', 'Firehose'],
  ['application', 'Application'],
]);

function topicPolicies(app: AppReading): Attached<MaybeKnown<PolicyDocument | undefined>>[] {
  return [
    ...app.resources('AWS::SNS::TopicPolicy').map(by => ({ by, to: by.given('Topics').texts() })),
    ...app.resources('AWS::SNS::TopicInlinePolicy').map(by => ({ by, to: by.given('TopicArn').texts() })),
  ].map(({ by, to }) => ({ by, to, value: by.given('PolicyDocument').policy() }));
}

/** The policies that `TopicDeliveryPolicy` resources give topics. CloudFormation has no property for them. */
function deliveryPolicies(app: AppReading): Attached<MaybeKnown<unknown>>[] {
  return app
    .resources('Custom::TopicDeliveryPolicy')
    .map(by => ({ by, to: by.given('TopicArn').texts(), value: by.given('DeliveryPolicy').json() }));
}

function loggingEntry(it: PropertyValue): MaybeKnown<StatusLogging> {
  const successRoleArn = it.at('SuccessFeedbackRoleArn').text(undefined);
  const failureRoleArn = it.at('FailureFeedbackRoleArn').text(undefined);
  return thenKnown(it.at('Protocol').requiredText(), protocol =>
    thenKnown(allKnown([successRoleArn, failureRoleArn]), ([success, failure]) => ({
      protocol: LOGGED_PROTOCOLS.get(protocol.toLowerCase()) ?? protocol,
      ...(success !== undefined && { successRoleArn: success }),
      ...(failure !== undefined && { failureRoleArn: failure }),
    })),
  );
}

function loggingOf(given: PropertyValue): MaybeKnown<readonly StatusLogging[]> {
  return thenKnown(given.list(), list => allKnown(list.map(loggingEntry)));
}

export function readTopics(app: AppReading): TopicFacts[] {
  const policies = topicPolicies(app);
  const delivery = deliveryPolicies(app);
  return app.resources('AWS::SNS::Topic').map(topic => {
    const arn = topic.ref;
    return {
      ...topic.as(arn),
      isFifo: isFifoType(topic.given('FifoTopic'), arn),
      keyId: topic.given('KmsMasterKeyId').text(undefined),
      policy: onlyGiven(policies, arn),
      deliveryPolicy: onlyGiven(delivery, arn),
      unknownProperties: topic.properties.filter(it => !PROPERTIES.has(it)),
      logging: loggingOf(topic.given('DeliveryStatusLogging')),
    };
  });
}

/** Settings of a subscription that its facts do not contain. */
const OTHER_SETTINGS = ['ReplayPolicy', 'SubscriptionRoleArn'] as const;

function subscription(
  { stack }: ResourceReading,
  resource: Resource,
  topicArn: MaybeKnown<string>,
  given: (name: string) => PropertyValue,
): SubscriptionFacts {
  const filterPolicy = given('FilterPolicy').json();
  return {
    ...resource,
    topicArn,
    owner: stack.environment.account,
    protocol: knownValue(given('Protocol').requiredText()) ?? 'unknown',
    endpoint: given('Endpoint').requiredText(),
    deadLetterTargetArn: given('RedrivePolicy').parsed().at('deadLetterTargetArn').text(undefined),
    roleArn: given('SubscriptionRoleArn').text(undefined),
    isRaw: given('RawMessageDelivery').flag(false),
    deliveryPolicy: given('DeliveryPolicy').json(),
    filterPolicy,
    filterPolicyScope: filterPolicy === undefined ? undefined : given('FilterPolicyScope').text('MessageAttributes'),
    otherSettings: OTHER_SETTINGS.filter(name => given(name).json() !== undefined),
  };
}

function inlineSubscriptions(topic: ResourceReading): SubscriptionFacts[] {
  const list = topic.given('Subscription').list();
  if (!isKnown(list)) return [];
  return list.map((it, index) => {
    const part = `Subscription[${index}]`;
    const arn = `${knownValue(topic.ref) ?? ''}:<${part}>`;
    return subscription(topic, topic.as(arn, ` ${part}`), topic.ref, name => it.at(name));
  });
}

export function readSubscriptions(app: AppReading): SubscriptionFacts[] {
  const own = app
    .resources('AWS::SNS::Subscription')
    .map(it => subscription(it, it.as(it.ref), it.given('TopicArn').requiredText(), name => it.given(name)));
  return [...own, ...app.resources('AWS::SNS::Topic').flatMap(inlineSubscriptions)];
}
