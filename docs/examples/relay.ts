/**
 * A partner whose server may be down for a weekend. SNS tries a server for an hour at most; a relay tries for three days and
 * a half unless told otherwise: `npx dlo policy explain --relay` shows when. It never sends faster than the partner bears,
 * stops while nothing gets through, and once one message does it starts again, gently.
 */
import { App, Duration, Stack } from 'aws-cdk-lib';
import { BackoffFunction } from 'aws-cdk-lib/aws-sns';
import { DurableTopic, OpsTopic } from 'dead-letter-office';

export const stack = new Stack(new App(), 'Orders');
const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
const orders = new DurableTopic(stack, 'OrdersTopic', { alarmActions });

// 20 requests a second at most, all invocations together.
orders.relayToEndpoint('ToPartner', 'https://partner.example.com/orders', {
  maxReceivesPerSecond: 20,
});

// Wants the order alone, without SNS's envelope, and is tried for a day: at once, ever rarer, and then each half an hour.
orders.relayToEndpoint('ToArchive', 'https://archive.example.com/orders', {
  rawMessageDelivery: true,
  contentType: 'application/json',
  retryPolicy: {
    numRetries: 56,
    numNoDelayRetries: 1,
    numMaxDelayRetries: 46,
    minDelayTarget: Duration.seconds(10),
    maxDelayTarget: Duration.minutes(30),
    backoffFunction: BackoffFunction.EXPONENTIAL,
  },
});
