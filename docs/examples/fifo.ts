/**
 * Orders of one customer in their order. A FIFO topic delivers to queues alone; the dead-letter queues of its deliveries
 * to FIFO queues, and of these queues, are FIFO themselves. To a standard queue it delivers too, in any order.
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
