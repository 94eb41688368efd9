import { type Subscription, SubscriptionProtocol } from 'aws-cdk-lib/aws-sns';
import { warn } from './checks';

interface Warning {
  readonly id: string;
  readonly message: string;
}

const KEEPS_NOTHING: Warning = {
  id: 'no-dead-letter-queue',
  message: 'What cannot be delivered is thrown away: use deliverTo…, or give the subscription a dead-letter queue.',
};

/** SNS can keep undeliverable SMS, but `SmsSubscription` drops the queue it is given, without a word. */
const SMS: Warning = {
  id: 'sms-without-dead-letter-queue',
  message: [
    'What cannot be delivered is thrown away: SmsSubscription drops the deadLetterQueue you may have given it.',
    'Make a Subscription with protocol SMS and deadLetterQueue instead, and call fedByTopic on that DeadLetterQueue.',
  ].join(' '),
};

/** Warns of a subscription that keeps nothing, and says what to do about it. */
export function warnOfNoDeadLetterQueue(subscription: Subscription, protocol: string): void {
  const { id, message } = protocol === SubscriptionProtocol.SMS ? SMS : KEEPS_NOTHING;
  warn(subscription, id, message);
}
