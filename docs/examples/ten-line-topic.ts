/**
 * A topic that loses no messages, in ten lines. It delivers to a queue and to a partner's server, and sends alarms to
 * an email address.
 */
import { App, Stack } from 'aws-cdk-lib';
import { DurableTopic, OpsTopic, ProcessingQueue } from 'dead-letter-office';

export const stack = new Stack(new App(), 'Orders');
const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];

const orders = new DurableTopic(stack, 'OrdersTopic', { alarmActions });
const fulfilment = new ProcessingQueue(stack, 'Fulfilment', { alarmActions });
orders.deliverToQueue('ToFulfilment', fulfilment);
orders.deliverToEndpoint('ToPartner', 'https://partner.example.com/orders');
