import { type Subscription, SubscriptionProtocol } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { warn } from '../../shared/checks';
import type { Warning } from '../../shared/warnings';
import type { Recipient } from './recipient';

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
