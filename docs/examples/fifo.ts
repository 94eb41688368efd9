/**
 * Delivers the orders of each customer in order. A FIFO topic delivers only to queues. The dead-letter queues of FIFO
 * queues, and of deliveries to them, are FIFO themselves. The topic also delivers to a standard queue, without order.
 */
import { App, Stack } from 'aws-cdk-lib';
import { DurableTopic, OpsTopic, ProcessingQueue } from 'dead-letter-office';

export const stack = new Stack(new App(), 'Orders');
const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];

const orders = new DurableTopic(stack, 'OrdersTopic', { fifo: true, contentBasedDeduplication: true, alarmActions });

const fulfilment = new ProcessingQueue(stack, 'Fulfilment', { fifo: true, alarmActions });
orders.deliverToQueue('ToFulfilment', fulfilment);

const statistics = new ProcessingQueue(stack, 'Statistics', { alarmActions });
orders.deliverToQueue('ToStatistics', statistics);
