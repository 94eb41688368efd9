/**
 * Another team's topic, of which this team knows the ARN. Its stack would be in another repository; here it stands beside
 * ours so that the example runs. What is subscribed has its dead-letter queues and its alarms here, and asks nothing of the
 * topic's owner.
 */
import { App, Stack } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { ImportedTopic, OpsTopic, ProcessingQueue } from 'dead-letter-office';

const app = new App();

// The other team's.
export const shop = new Stack(app, 'Shop');
new Topic(shop, 'OrdersTopic', { topicName: 'orders', enforceSSL: true });

// Ours.
export const warehouse = new Stack(app, 'Warehouse');
warehouse.addStackDependency(shop);
const alarmActions = [new OpsTopic(warehouse, 'Ops', { email: 'warehouse-ops@example.com' })];

const orders = new ImportedTopic(warehouse, 'Orders', {
  topic: Topic.fromTopicArn(warehouse, 'OrdersTopic', 'arn:aws:sns:us-east-1:123456789012:orders'),
  alarmActions,
});

const fulfilment = new ProcessingQueue(warehouse, 'Fulfilment', { alarmActions });
orders.deliverToQueue('ToFulfilment', fulfilment);
orders.deliverToEndpoint('ToCarrier', 'https://carrier.example.com/orders');
