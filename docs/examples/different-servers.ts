/**
 * Servers that want to be called differently: each delivery has a policy of its own. SNS retries for 3,600 seconds in all
 * at most; `npx dlo policy explain` draws when, and says what SNS would reject. So does synthesis.
 */
import { App, Duration, Stack } from 'aws-cdk-lib';
import { BackoffFunction } from 'aws-cdk-lib/aws-sns';
import { DurableTopic, OpsTopic } from 'dead-letter-office';

export const stack = new Stack(new App(), 'Orders');
const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
const orders = new DurableTopic(stack, 'OrdersTopic', { alarmActions });

// Falls over easily, and is slow to get up: 10 messages a second, and 50 retries, ever rarer, for half an hour.
orders.deliverToEndpoint('ToWarehouse', 'https://warehouse.example.com/orders', {
  deliveryPolicy: {
    healthyRetryPolicy: {
      numRetries: 50,
      numMinDelayRetries: 5,
      minDelayTarget: Duration.seconds(10),
      maxDelayTarget: Duration.seconds(60),
      backoffFunction: BackoffFunction.LINEAR,
    },
    throttlePolicy: { maxReceivesPerSecond: 10 },
  },
});

// Answers in no time or not at all: one look more, and the order is in the dead-letter queue five seconds later.
orders.deliverToEndpoint('ToFraudCheck', 'https://fraud.example.com/orders', {
  rawMessageDelivery: true,
  deliveryPolicy: {
    healthyRetryPolicy: { numRetries: 1, minDelayTarget: Duration.seconds(5), maxDelayTarget: Duration.seconds(5) },
    requestPolicy: { headerContentType: 'application/json' },
  },
});

// States nothing: three retries, twenty seconds apart, which is what SNS does by itself.
orders.deliverToEndpoint('ToPartner', 'https://partner.example.com/orders');
