/**
 * A partner whose server may be down for a weekend. SNS retries for at most an hour. A relay retries for three and a
 * half days by default: `npx dlo policy explain --relay` shows when. It never exceeds the partner's rate limit, stops
 * while all deliveries fail, and restarts gradually after the first success.
 */
import { App, Duration, Stack } from 'aws-cdk-lib';
import { BackoffFunction } from 'aws-cdk-lib/aws-sns';
import { DurableTopic, OpsTopic } from 'dead-letter-office';

export const stack = new Stack(new App(), 'Orders');
const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
const orders = new DurableTopic(stack, 'OrdersTopic', { alarmActions });

// At most 20 requests per second, of all invocations together.
orders.relayToEndpoint('ToPartner', 'https://partner.example.com/orders', {
  maxReceivesPerSecond: 20,
});

// Gets the order without SNS's envelope. Failed deliveries are retried for half a day: at once, with growing delays, and
// then every half hour.
orders.relayToEndpoint('ToArchive', 'https://archive.example.com/orders', {
  rawMessageDelivery: true,
  contentType: 'application/json',
  retryPolicy: {
    numRetries: 32,
    numNoDelayRetries: 1,
    numMaxDelayRetries: 22,
    minDelayTarget: Duration.seconds(10),
    maxDelayTarget: Duration.minutes(30),
    backoffFunction: BackoffFunction.EXPONENTIAL,
  },
});
