/**
 * Subscribes to a topic of another team, by its ARN. That team's stack would be in another repository; it is here only
 * so that the example runs. The subscriptions have their dead-letter queues and alarms in this team's stack, and the
 * owner of the topic has to do nothing.
 */
import { App, Stack } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { ImportedTopic, OpsTopic, ProcessingQueue } from 'dead-letter-office';

const app = new App();

// The stack of the other team.
export const shop = new Stack(app, 'Shop');
new Topic(shop, 'OrdersTopic', { topicName: 'orders', enforceSSL: true });

// The stack of this team.
export const warehouse = new Stack(app, 'Warehouse');
warehouse.node.addDependency(shop);
const alarmActions = [new OpsTopic(warehouse, 'Ops', { email: 'warehouse-ops@example.com' })];

const orders = new ImportedTopic(warehouse, 'Orders', {
  topic: Topic.fromTopicArn(warehouse, 'OrdersTopic', 'arn:aws:sns:us-east-1:123456789012:orders'),
  alarmActions,
});

const fulfilment = new ProcessingQueue(warehouse, 'Fulfilment', { alarmActions });
orders.deliverToQueue('ToFulfilment', fulfilment);
orders.deliverToEndpoint('ToCarrier', 'https://carrier.example.com/orders');
