import { Stack, Token, TokenComparison } from 'aws-cdk-lib';
import { type CfnSubscription, type ITopic, type Subscription, SubscriptionProtocol } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { isOptIn } from '../shared/access/key';
import { type Warning, type WarningId, warn } from '../shared/checks';
import { protocolFacts } from './protocol-facts';
import type { Recipient } from './recipients';

const KEEPS_NOTHING: Warning = {
  id: 'no-dead-letter-queue',
  message:
    'SNS discards messages it cannot deliver to this subscription. Use a deliverTo... method, or give the subscription a dead-letter queue.',
};

/** SNS supports dead-letter queues for SMS, but `SmsSubscription` ignores the one it is given. */
const SMS: Warning = {
  id: 'sms-without-dead-letter-queue',
  message:
    'SNS discards messages it cannot deliver to this subscription: SmsSubscription ignores deadLetterQueue. Use deliverToSms.',
};

/** Warns about a subscription without a dead-letter queue. */
export function warnOfNoDeadLetterQueue(subscription: Subscription, protocol: string): void {
  const { id, message } = protocol === SubscriptionProtocol.SMS ? SMS : KEEPS_NOTHING;
  warn(subscription, id, message);
}

/**
 * AWS says that a FIFO topic may have FIFO dead-letter queues. For deliveries to a standard queue its examples show
 * standard ones.
 */
export function pairingWarnings({ fifo = false }: Recipient, deadLetterQueue: IQueue): Warning[] {
  if (deadLetterQueue.fifo === fifo) return [];
  const message = `${deadLetterQueue.node.path} is FIFO and the subscribed queue is not: test it before you rely on it, or use a standard dead-letter queue.`;
  return [{ id: 'dead-letter-queue-of-another-type', message }];
}

/** Warns that the subscription's deliveryPolicy has no effect, because its topic sets disableSubscriptionOverrides. */
export function warnOfOverriddenPolicy(scope: IConstruct): void {
  const message =
    'Its deliveryPolicy has no effect, because the topic has disableSubscriptionOverrides: leave one of the two out.';
  warn(scope, 'delivery-policy-overridden', message);
}

interface AccountAndRegion {
  readonly account: string;
  readonly region: string;
}

/** The account and Region in the ARN, if it is known: a construct that was imported by an ARN may state others. */
function accountAndRegionOf({ protocol, endpoint, consumer }: Recipient): AccountAndRegion | undefined {
  const hasArn = protocolFacts(protocol).arn !== undefined && !Token.isUnresolved(endpoint);
  const [, , , region, account] = hasArn ? endpoint.split(':') : [];
  return region && account ? { account, region } : consumer?.env;
}

function differs(one: string, other: string): boolean {
  return Token.compareStrings(one, other) === TokenComparison.DIFFERENT;
}

function whyUnreachable(from: string, to: string, protocol: string): string | undefined {
  const { crossRegion, toOptIn } = protocolFacts(protocol);
  if (!differs(from, to)) return undefined;
  if (!crossRegion) return `SNS delivers by ${protocol} only within one Region`;
  if (isOptIn(from) && isOptIn(to)) return 'SNS does not deliver from one opt-in Region to another';
  return isOptIn(to) && !toOptIn ? `SNS does not deliver by ${protocol} to an opt-in Region` : undefined;
}

/** Warns about a subscriber that SNS cannot reach, or not before its owner has confirmed the subscription. */
export function distanceWarnings(scope: IConstruct, topic: ITopic, recipient: Recipient): Warning[] {
  const there = accountAndRegionOf(recipient);
  if (!there) return [];
  const { value } = recipient.named;
  const reason = whyUnreachable(topic.env.region, there.region, recipient.protocol);
  const warnings: Warning[] = [];
  if (reason) {
    const message = `${value} is in ${there.region}, the topic is in ${topic.env.region}. ${reason}: its messages become dead letters.`;
    warnings.push({ id: 'cross-region-unsupported', message });
  }
  if (differs(Stack.of(scope).account, there.account)) {
    const message = `${value} is in account ${there.account}, which must confirm the subscription. Until then SNS discards its messages. If you create the subscription in a stack of that account, no confirmation is needed.`;
    warnings.push({ id: 'confirmation-needed', message });
  }
  return warnings;
}

/** A quota per topic, which AWS raises on request. */
interface Quota {
  readonly id: WarningId;
  readonly most: number;
  readonly of: string;
  readonly counts: (subscription: CfnSubscription, topic: ITopic) => boolean;
}

/** @see https://docs.aws.amazon.com/general/latest/gr/sns.html#limits_sns */
const QUOTAS: readonly Quota[] = [
  {
    id: 'fifo-subscriptions-quota',
    most: 100,
    of: 'subscriptions of a FIFO topic',
    counts: (_, { fifo }) => fifo,
  },
  {
    id: 'filter-policies-quota',
    most: 200,
    of: 'subscriptions with a filter policy',
    counts: ({ filterPolicy }) => filterPolicy !== undefined,
  },
];

/** Counts a topic's subscriptions and warns about the first one beyond a default quota. */
export class SubscriptionQuotas {
  private readonly counted = new Map<string, number>();

  constructor(private readonly topic: ITopic & IConstruct) {}

  public count(subscription: CfnSubscription): void {
    for (const { id, most, of, counts } of QUOTAS) {
      if (!counts(subscription, this.topic)) continue;
      const number = (this.counted.get(id) ?? 0) + 1;
      this.counted.set(id, number);
      if (number !== most + 1) continue;
      const message = `SNS allows ${most} ${of} unless AWS has raised the quota of the account. Otherwise the deployment fails.`;
      warn(this.topic, id, message);
    }
  }
}
