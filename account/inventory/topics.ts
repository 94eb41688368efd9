import {
  GetSubscriptionAttributesCommand,
  GetTopicAttributesCommand,
  paginateListSubscriptions,
  paginateListTopics,
  SNSClient,
  type Subscription,
} from '@aws-sdk/client-sns';
import type { StatusLogging, SubscriptionFacts, TopicFacts } from '../../diagnosis/inventory/inventory';
import { displayNameOf, nameInArn, parseArn } from '../../policy/arn';
import { isObject } from '../../policy/json-members';
import { type MaybeKnown, mapKnown } from '../../template/maybe-known';
import { type AccountReader, jsonOf, policyOf, type Question, unlessEmpty } from './account-reader';

type Attributes = Readonly<Partial<Record<string, string>>>;

const ATTRIBUTES: Question = {
  action: 'sns:GetTopicAttributes',
  of: ['topic', 'topics'],
  tells: 'the attributes',
};

const FEEDBACK_ROLE = /^([A-Za-z]+?)(Success|Failure)FeedbackRoleArn$/;

function loggingOf(attributes: Attributes): readonly StatusLogging[] {
  const byProtocol = new Map<string, StatusLogging>();
  for (const [name, roleArn] of Object.entries(attributes)) {
    const [, protocol, outcome] = FEEDBACK_ROLE.exec(name) ?? [];
    if (protocol === undefined || !roleArn) continue;
    const role = outcome === 'Success' ? { successRoleArn: roleArn } : { failureRoleArn: roleArn };
    byProtocol.set(protocol, { protocol, ...byProtocol.get(protocol), ...role });
  }
  return [...byProtocol.values()];
}

function topicFacts(arn: string, attributes: MaybeKnown<Attributes>): TopicFacts {
  const name = nameInArn(arn);
  return {
    arn,
    name,
    isFifo: name.endsWith('.fifo'),
    keyId: mapKnown(attributes, ({ KmsMasterKeyId }) => unlessEmpty(KmsMasterKeyId)),
    policy: mapKnown(attributes, ({ Policy }) => policyOf(Policy)),
    deliveryPolicy: mapKnown(attributes, ({ DeliveryPolicy }) => jsonOf(DeliveryPolicy)),
    logging: mapKnown(attributes, loggingOf),
  };
}

/** Every topic of the Region. It takes the permissions `sns:ListTopics` and `sns:GetTopicAttributes`. */
export async function readTopics(reader: AccountReader): Promise<readonly TopicFacts[]> {
  const sns = reader.aws.client(SNSClient);
  const arns: string[] = [];
  for await (const { Topics = [] } of paginateListTopics({ client: sns }, {})) {
    arns.push(...Topics.flatMap(({ TopicArn }) => TopicArn ?? []));
  }
  return reader.each(arns, async TopicArn => {
    const read = async () => (await sns.send(new GetTopicAttributesCommand({ TopicArn }))).Attributes ?? {};
    return topicFacts(TopicArn, await reader.ask(ATTRIBUTES, nameInArn(TopicArn), read));
  });
}

type SubscriptionAttributes = Readonly<Partial<Record<string, string>>>;

const SUBSCRIPTION_ATTRIBUTES: Question = {
  action: 'sns:GetSubscriptionAttributes',
  of: ['subscription', 'subscriptions'],
  tells: 'the attributes',
};

/** What SNS tells of every subscription, or what its facts hold. Whatever else it tells somebody has set. */
const REPORTED: ReadonlySet<string> = new Set([
  'ConfirmationWasAuthenticated',
  'DeliveryPolicy',
  'EffectiveDeliveryPolicy',
  'Endpoint',
  'FilterPolicy',
  'FilterPolicyScope',
  'Owner',
  'PendingConfirmation',
  'Protocol',
  'RawMessageDelivery',
  'RedrivePolicy',
  'SubscriptionArn',
  'SubscriptionPrincipal',
  'TopicArn',
]);

/** What SNS lists in place of an ARN for what has none yet, or no more. */
const PENDING = 'PendingConfirmation';
const DELETED = 'Deleted';

/** A URL without what is often secret in it: user, password and parameters. */
function endpointName(endpoint: string): string {
  if (parseArn(endpoint)) return displayNameOf(endpoint);
  if (!URL.canParse(endpoint)) return endpoint;
  const { host, pathname } = new URL(endpoint);
  return host === '' ? endpoint : `${host}${pathname}`;
}

function deadLetterTargetOf(redrivePolicy: string | undefined): MaybeKnown<string | undefined> {
  return mapKnown(jsonOf(redrivePolicy), policy => {
    const target = isObject(policy) ? policy['deadLetterTargetArn'] : undefined;
    return typeof target === 'string' ? unlessEmpty(target) : undefined;
  });
}

/** @returns undefined where the filter lets everything pass */
function filterOf(text: string | undefined): MaybeKnown<unknown> {
  return text === '{}' ? undefined : jsonOf(text);
}

function isSet([name, value]: readonly [string, string | undefined]): boolean {
  return !REPORTED.has(name) && unlessEmpty(value) !== undefined;
}

function subscriptionFacts(listed: Subscription, attributes: MaybeKnown<SubscriptionAttributes>): SubscriptionFacts {
  const {
    SubscriptionArn: arn = '',
    TopicArn: topicArn = '',
    Protocol: protocol = '',
    Endpoint: endpoint = '',
    Owner: owner = { unknownBecause: 'is not told by SNS' },
  } = listed;
  return {
    arn,
    name: `${displayNameOf(topicArn)} to ${endpointName(endpoint)}`,
    topicArn,
    owner,
    protocol,
    endpoint,
    isPending: arn === PENDING,
    deadLetterTargetArn: mapKnown(attributes, ({ RedrivePolicy }) => deadLetterTargetOf(RedrivePolicy)),
    isRaw: mapKnown(attributes, ({ RawMessageDelivery }) => RawMessageDelivery === 'true'),
    deliveryPolicy: mapKnown(attributes, ({ DeliveryPolicy }) => jsonOf(DeliveryPolicy)),
    filterPolicy: mapKnown(attributes, ({ FilterPolicy }) => filterOf(FilterPolicy)),
    filterPolicyScope: mapKnown(attributes, ({ FilterPolicy, FilterPolicyScope = 'MessageAttributes' }) =>
      filterOf(FilterPolicy) === undefined ? undefined : FilterPolicyScope,
    ),
    otherSettings: mapKnown(attributes, all =>
      Object.entries(all)
        .filter(isSet)
        .map(([name]) => name),
    ),
  };
}

/**
 * Every subscription of the account in the Region. Of one that waits to be confirmed SNS tells no attributes. It takes the
 * permissions `sns:ListSubscriptions` and `sns:GetSubscriptionAttributes`.
 */
export async function readSubscriptions(reader: AccountReader): Promise<readonly SubscriptionFacts[]> {
  const sns = reader.aws.client(SNSClient);
  const listed: Subscription[] = [];
  for await (const { Subscriptions = [] } of paginateListSubscriptions({ client: sns }, {})) {
    listed.push(...Subscriptions.filter(({ SubscriptionArn }) => SubscriptionArn !== DELETED));
  }
  return reader.each(listed, async it => {
    const { SubscriptionArn = '' } = it;
    if (SubscriptionArn === PENDING)
      return subscriptionFacts(it, { unknownBecause: 'is not told before it is confirmed' });
    const read = async () =>
      (await sns.send(new GetSubscriptionAttributesCommand({ SubscriptionArn }))).Attributes ?? {};
    return subscriptionFacts(it, await reader.ask(SUBSCRIPTION_ATTRIBUTES, SubscriptionArn, read));
  });
}
