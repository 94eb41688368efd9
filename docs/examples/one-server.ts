/**
 * One server behind all subscriptions, and one retry policy for it, on the topic. `disableSubscriptionOverrides`
 * prevents subscriptions from having their own. CloudFormation has no property for this, so a Lambda function sets it,
 * which may do nothing else.
 */
import { App, Duration, Stack } from 'aws-cdk-lib';
import { BackoffFunction } from 'aws-cdk-lib/aws-sns';
import { DurableTopic, OpsTopic } from 'dead-letter-office';

export const stack = new Stack(new App(), 'Orders');
const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];

// At most 10 messages per second, and after a failure 12 retries with growing delays, for ten minutes.
const orders = new DurableTopic(stack, 'OrdersTopic', {
  alarmActions,
  deliveryPolicy: {
    healthyRetryPolicy: {
      numRetries: 12,
      numNoDelayRetries: 1,
      minDelayTarget: Duration.seconds(5),
      maxDelayTarget: Duration.minutes(5),
      backoffFunction: BackoffFunction.EXPONENTIAL,
    },
    throttlePolicy: { maxReceivesPerSecond: 10 },
  },
  disableSubscriptionOverrides: true,
});

orders.deliverToEndpoint('ToWarehouse', 'https://partner.example.com/warehouse');
orders.deliverToEndpoint('ToBookkeeping', 'https://partner.example.com/bookkeeping');
