import { parseArn } from '../../policy/arn';
import type { ServiceQuestion } from '../../template/access/access-question';
import { knownValue } from '../../template/maybe-known';
import { allowKeyUse, allowPublish, KEY_USES, keyGuard, topicGuard } from '../fixes/grant-access';
import { type Access, letIn, mayAccess } from '../fixes/let-in';
import { type AlarmFacts, type Inventory, mayLack, type TopicFacts } from '../inventory/inventory';
import { isAliasOfAws, keyOf, keyPolicyOf, topicOf, topicPolicyOf } from '../inventory/look-ups';
import type { Check, CheckResult } from './finding';
import { encryptTopicOtherwise } from './keys';

const CLOUDWATCH = 'cloudwatch.amazonaws.com';

/** A topic, and an alarm that publishes to it (the first, if there are several). */
interface TopicOfAlarms {
  readonly topic: TopicFacts;
  readonly alarm: AlarmFacts;
}

function topicsOfAlarms(inventory: Inventory): TopicOfAlarms[] {
  const spoken = new Map<TopicFacts, AlarmFacts>();
  for (const alarm of inventory.alarms) {
    for (const action of knownValue(alarm.alarmActions) ?? []) {
      const topic = topicOf(knownValue(action), inventory, alarm);
      if (topic && !spoken.has(topic)) spoken.set(topic, alarm);
    }
  }
  return [...spoken].map(([topic, alarm]) => ({ topic, alarm }));
}

/** A pattern for all alarms of the account and Region, because a topic usually serves several. */
function anyAlarm({ alarm }: TopicOfAlarms): string {
  const { partition, region, account } = parseArn(alarm.arn) ?? {};
  return `arn:${partition}:cloudwatch:${region}:${account}:alarm:*`;
}

/** Returns the question whether CloudWatch may do an action on the topic, or on its key, for the alarm. */
function asked({ alarm }: TopicOfAlarms, action: string, resource: string): ServiceQuestion {
  const sourceAccount = parseArn(alarm.arn)?.account;
  const keys = { 'aws:sourceowner': sourceAccount };
  return { service: CLOUDWATCH, action, resource, sourceArn: alarm.arn, sourceAccount, keys };
}

function publishing(spoken: TopicOfAlarms): Access {
  const { topic } = spoken;
  const grant = allowPublish(topic, { service: CLOUDWATCH, sourceArn: anyAlarm(spoken) });
  return {
    asked: [asked(spoken, 'sns:Publish', topic.arn)],
    guard: topicGuard(topic, topicPolicyOf(topic)),
    grant,
  };
}

/** @see https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html#compatibility-with-aws-services */
function closedByKey(spoken: TopicOfAlarms, inventory: Inventory): CheckResult[] {
  const { topic, alarm } = spoken;
  const keyId = knownValue(topic.keyId);
  const key = keyOf(keyId, inventory, topic);
  const shut = (why: string, fix: CheckResult['fix']): CheckResult => ({
    severity: 'unwatched',
    resource: topic,
    others: [alarm.arn],
    location: 'Properties/KmsMasterKeyId',
    says: `The alarm ${alarm.name} publishes to ${topic.name}, which is encrypted with ${why}: its notifications are lost.`,
    fix,
  });
  if (keyId !== undefined && (isAliasOfAws(keyId) || key?.isManagedByAws === true)) {
    return [shut(`${keyId}, an AWS managed key that no service can use`, encryptTopicOtherwise(CLOUDWATCH))];
  }
  if (key === undefined) return [];
  const access: Access = {
    asked: KEY_USES.map(action => asked(spoken, action, key.arn)),
    guard: keyGuard(key, keyPolicyOf(key)),
    grant: allowKeyUse(key, { service: CLOUDWATCH, sourceArn: anyAlarm(spoken) }),
  };
  if (mayAccess(access) !== 'no') return [];
  const fix = letIn(access);
  return [shut(`${key.name}, a key whose policy does not allow CloudWatch`, fix)];
}

function closed(inventory: Inventory): CheckResult[] {
  return topicsOfAlarms(inventory).flatMap((spoken): CheckResult[] => {
    const { topic, alarm } = spoken;
    const access = publishing(spoken);
    if (mayAccess(access) !== 'no') return closedByKey(spoken, inventory);
    return [
      {
        severity: 'unwatched',
        resource: topic,
        others: [alarm.arn],
        says: `The alarm ${alarm.name} publishes to ${topic.name}, whose policy does not allow CloudWatch to publish: its notifications are lost.`,
        fix: letIn(access),
      },
    ];
  });
}

/**
 * **Assumption CW-6:** The alarms may do without: the finding is a note.
 * @see https://docs.aws.amazon.com/sns/latest/dg/fifo-message-grouping.html
 */
function fifo(inventory: Inventory): CheckResult[] {
  return topicsOfAlarms(inventory)
    .filter(({ topic }) => topic.isFifo === true)
    .map(({ topic, alarm }) => ({
      severity: 'unwatched',
      resource: alarm,
      others: [topic.arn],
      location: 'Properties/AlarmActions',
      says: `The alarm ${alarm.name} publishes to the FIFO topic ${topic.name}: SNS refuses messages without a message group, and AWS does not say that CloudWatch sets one.`,
      fix: { says: 'Let alarms publish to a standard topic.' },
    }));
}

/**
 * Whether a topic has no confirmed subscription. For a template this is unknown: subscriptions can be made by other
 * means.
 */
function withoutSubscription(inventory: Inventory): CheckResult[] {
  if (!inventory.isComplete || mayLack(inventory, 'subscriptions')) return [];
  const heard = new Set(inventory.subscriptions.filter(it => it.isPending !== true).map(it => knownValue(it.topicArn)));
  return topicsOfAlarms(inventory)
    .filter(({ topic }) => !heard.has(topic.arn))
    .map(({ topic, alarm }) => ({
      severity: 'unwatched',
      resource: topic,
      others: [alarm.arn],
      says: `The alarm ${alarm.name} publishes to ${topic.name}, which has no confirmed subscription: its notifications reach no one.`,
      fix: { says: 'Subscribe an endpoint to the topic and confirm the subscription.' },
    }));
}

export const ALARM_TOPIC_CHECKS: readonly Check[] = [
  { id: 'alarm-topic-closed', severities: ['unwatched'], reportsMissing: 'configuration', find: closed },
  { id: 'alarm-topic-fifo', severities: ['unwatched'], find: fifo },
  { id: 'ops-topic-unheard', severities: ['unwatched'], find: withoutSubscription },
];
