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
import { type AccountReader, type InventoryQuestion, itemsOf, jsonOf, policyOf, unlessEmpty } from './account-reader';

type Attributes = Readonly<Partial<Record<string, string>>>;

const TOPICS: InventoryQuestion = { action: 'sns:ListTopics', tells: 'the topics', hides: ['topics'] };

const ATTRIBUTES: InventoryQuestion = {
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

/** Reads every topic of the Region. It needs the permissions `sns:ListTopics` and `sns:GetTopicAttributes`. */
export async function readTopics(reader: AccountReader): Promise<readonly TopicFacts[]> {
  const sns = reader.aws.client(SNSClient);
  const pages = paginateListTopics({ client: sns }, {});
  const arns = await reader.list(
    TOPICS,
    itemsOf(pages, ({ Topics }) => Topics?.flatMap(({ TopicArn }) => TopicArn ?? [])),
  );
  return reader.each(arns, async TopicArn => {
    const read = async () => (await sns.send(new GetTopicAttributesCommand({ TopicArn }))).Attributes ?? {};
    return topicFacts(TopicArn, await reader.ask(ATTRIBUTES, nameInArn(TopicArn), read));
  });
}

type SubscriptionAttributes = Readonly<Partial<Record<string, string>>>;

const SUBSCRIPTIONS: InventoryQuestion = {
  action: 'sns:ListSubscriptions',
  tells: 'the subscriptions',
  hides: ['subscriptions', 'feeders'],
};

const SUBSCRIPTION_ATTRIBUTES: InventoryQuestion = {
  action: 'sns:GetSubscriptionAttributes',
  of: ['subscription', 'subscriptions'],
  tells: 'the attributes',
  hides: ['feeders'],
};

/** Attributes that every subscription has, or that its facts include. All others were set by the user. */
const KNOWN_ATTRIBUTES: ReadonlySet<string> = new Set([
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

/** SNS lists these in place of an ARN, before the confirmation and after the deletion. */
const PENDING = 'PendingConfirmation';
const DELETED = 'Deleted';

/** Names an endpoint without what may be a credential: user, password and query. */
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

/** @returns undefined when the filter matches everything */
function filterOf(text: string | undefined): MaybeKnown<unknown> {
  return text === '{}' ? undefined : jsonOf(text);
}

function isSet([name, value]: readonly [string, string | undefined]): boolean {
  return !KNOWN_ATTRIBUTES.has(name) && unlessEmpty(value) !== undefined;
}

function subscriptionFacts(listed: Subscription, attributes: MaybeKnown<SubscriptionAttributes>): SubscriptionFacts {
  const {
    SubscriptionArn: arn = '',
    TopicArn: topicArn = '',
    Protocol: protocol = '',
    Endpoint: endpoint = '',
    Owner: owner = { unknownBecause: 'is not reported by SNS' },
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
    roleArn: mapKnown(attributes, ({ SubscriptionRoleArn }) => unlessEmpty(SubscriptionRoleArn)),
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
 * Reads every subscription of the Region. SNS returns no attributes of a subscription that is not confirmed. It needs the
 * permissions `sns:ListSubscriptions` and `sns:GetSubscriptionAttributes`.
 */
export async function readSubscriptions(reader: AccountReader): Promise<readonly SubscriptionFacts[]> {
  const sns = reader.aws.client(SNSClient);
  const pages = paginateListSubscriptions({ client: sns }, {});
  const listed = await reader.list(
    SUBSCRIPTIONS,
    itemsOf(pages, ({ Subscriptions }) => Subscriptions),
  );
  const there = listed.filter(({ SubscriptionArn }) => SubscriptionArn !== DELETED);
  return reader.each(there, async it => {
    const { SubscriptionArn = '' } = it;
    if (SubscriptionArn === PENDING)
      return subscriptionFacts(it, { unknownBecause: 'is not reported before the confirmation' });
    const read = async () =>
      (await sns.send(new GetSubscriptionAttributesCommand({ SubscriptionArn }))).Attributes ?? {};
    return subscriptionFacts(it, await reader.ask(SUBSCRIPTION_ATTRIBUTES, SubscriptionArn, read));
  });
}
