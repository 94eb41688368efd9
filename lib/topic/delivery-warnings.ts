import { Stack, Token, TokenComparison } from 'aws-cdk-lib';
import { type CfnSubscription, type ITopic, type Subscription, SubscriptionProtocol } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { isOptIn } from '../shared/access/key';
import { type Warning, type WarningId, warn } from '../shared/checks';
import { protocolFacts, type Recipient } from './recipient';

const KEEPS_NOTHING: Warning = {
  id: 'no-dead-letter-queue',
  message: 'What cannot be delivered is thrown away: use deliverTo…, or give the subscription a dead-letter queue.',
};

/** SNS can keep undeliverable SMS, but `SmsSubscription` drops the queue it is given, without a word. */
const SMS: Warning = {
  id: 'sms-without-dead-letter-queue',
  message:
    'What cannot be delivered is thrown away: SmsSubscription drops the deadLetterQueue you may have given it. Use deliverToSms.',
};

/** Warns of a subscription that keeps nothing, and says what to do about it. */
export function warnOfNoDeadLetterQueue(subscription: Subscription, protocol: string): void {
  const { id, message } = protocol === SubscriptionProtocol.SMS ? SMS : KEEPS_NOTHING;
  warn(subscription, id, message);
}

/** SNS takes a number without its country code, and guesses. */
export const LOCAL_NUMBER: Warning = {
  id: 'phone-number-without-country-code',
  message: 'The phone number has no + and country code before it, as in +15550100: a text may reach nobody.',
};

/** SNS delivers from the internet, and nothing to a subscription that was not confirmed. */
export const PRIVATE_ENDPOINT: Warning = {
  id: 'endpoint-unreachable',
  message:
    'SNS cannot reach a private address, so nobody confirms the subscription: nothing is delivered, and nothing kept.',
};

/** A FIFO topic may have FIFO dead-letter queues, AWS says; for what it sends to a standard queue, it has shown standard ones. */
export function pairingWarnings({ fifo = false }: Recipient, deadLetterQueue: IQueue): Warning[] {
  if (deadLetterQueue.fifo === fifo) return [];
  const message = `${deadLetterQueue.node.path} is FIFO and the queue delivered to is not: try it before you rely on it, or use a standard dead-letter queue.`;
  return [{ id: 'dead-letter-queue-of-another-type', message }];
}

/** The topic's policy stands, whatever a subscription says. */
export function warnOfOverriddenPolicy(scope: IConstruct): void {
  const message =
    'Its deliveryPolicy has no effect, for the topic has disableSubscriptionOverrides: leave one of both out.';
  warn(scope, 'delivery-policy-overridden', message);
}

interface Whereabouts {
  readonly account: string;
  readonly region: string;
}

/** An ARN that is known says it best: not every construct that was imported by one does. */
function whereaboutsOf({ protocol, endpoint, consumer }: Recipient): Whereabouts | undefined {
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
  if (!crossRegion) return `SNS delivers by ${protocol} within its own Region`;
  if (isOptIn(from) && isOptIn(to)) return 'SNS does not deliver from one opt-in Region to another';
  return isOptIn(to) && !toOptIn ? `SNS does not deliver by ${protocol} to an opt-in Region` : undefined;
}

/** What is to be said of a recipient SNS does not reach, or not before its owner has confirmed. */
export function distanceWarnings(scope: IConstruct, topic: ITopic, recipient: Recipient): Warning[] {
  const there = whereaboutsOf(recipient);
  if (!there) return [];
  const { value } = recipient.named;
  const reason = whyUnreachable(topic.env.region, there.region, recipient.protocol);
  const warnings: Warning[] = [];
  if (reason) {
    const message = `${value} is in ${there.region}, the topic in ${topic.env.region}. ${reason}: its messages become dead letters.`;
    warnings.push({ id: 'cross-region-unsupported', message });
  }
  if (differs(Stack.of(scope).account, there.account)) {
    const message = `${value} is of account ${there.account}, which must confirm the subscription: until then nothing is delivered, and nothing kept. Subscribe it from a stack of that account, and it need not.`;
    warnings.push({ id: 'confirmation-needed', message });
  }
  return warnings;
}

/** How many of something SNS lets one topic have; AWS raises it when asked. */
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

/** Counts a topic's subscriptions, and warns of the first that SNS refuses unless its quota has been raised. */
export class SubscriptionQuotas {
  private readonly counted = new Map<string, number>();

  constructor(private readonly topic: ITopic & IConstruct) {}

  public count(subscription: CfnSubscription): void {
    for (const { id, most, of, counts } of QUOTAS) {
      if (!counts(subscription, this.topic)) continue;
      const number = (this.counted.get(id) ?? 0) + 1;
      this.counted.set(id, number);
      if (number !== most + 1) continue;
      const message = `SNS allows ${most} ${of} unless AWS has raised the quota for the account: the deployment fails.`;
      warn(this.topic, id, message);
    }
  }
}
