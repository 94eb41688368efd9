/**
 * Servers that need different retry policies: each delivery has its own. SNS retries for at most 3,600 seconds. `npx
 * dlo policy explain` shows when, and what SNS would reject. Synthesis checks the same.
 */
import { App, Duration, Stack } from 'aws-cdk-lib';
import { BackoffFunction } from 'aws-cdk-lib/aws-sns';
import { DurableTopic, OpsTopic } from 'dead-letter-office';

export const stack = new Stack(new App(), 'Orders');
const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
const orders = new DurableTopic(stack, 'OrdersTopic', { alarmActions });

// Overloads easily and recovers slowly: 10 messages per second, and 50 retries with growing delays, for half an hour.
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

// Answers at once or not at all: one retry, and the order is in the dead-letter queue five seconds later.
orders.deliverToEndpoint('ToFraudCheck', 'https://fraud.example.com/orders', {
  rawMessageDelivery: true,
  deliveryPolicy: {
    healthyRetryPolicy: { numRetries: 1, minDelayTarget: Duration.seconds(5), maxDelayTarget: Duration.seconds(5) },
    requestPolicy: { headerContentType: 'application/json' },
  },
});

// Without a policy, SNS makes three retries, twenty seconds apart.
orders.deliverToEndpoint('ToPartner', 'https://partner.example.com/orders');
