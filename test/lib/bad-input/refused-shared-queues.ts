import { Stack } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DurableTopic, ImportedTopic } from '../../../lib';
import {
  APP_ENV,
  arn,
  LEGAL,
  ONE_PLACE,
  OTHER_ACCOUNT_ENV,
  OTHER_REGION_ENV,
  OURS,
  type Refused,
  URL,
} from './refused';

const SHARED = { sharedDeadLetterQueue: true, logDeliveryStatus: false };
const WHERE = 'where the topic has sharedDeadLetterQueue';
const DUPLICATE =
  'sharedDeadLetterQueue must be absent where fifo is true, because SQS would drop the dead letter of a second subscription as a duplicate, got true';

const imported = (stack: Stack, name: string, place = APP_ENV): ImportedTopic =>
  new ImportedTopic(stack, 'It', {
    topic: Topic.fromTopicArn(stack, 'Theirs', arn('sns', name, place)),
    sharedDeadLetterQueue: true,
  });

/** What does not fit with one dead-letter queue for all deliveries of a topic. */
export const REFUSED_SHARED_QUEUES: readonly Refused[] = [
  {
    what: 'DurableTopic that is FIFO, with one dead-letter queue',
    act: stack => new DurableTopic(stack, 'It', { ...SHARED, fifo: true }),
    line: DUPLICATE,
    aws: LEGAL,
  },
  {
    what: 'ImportedTopic that is FIFO, with one dead-letter queue',
    act: stack => imported(stack, 'orders.fifo'),
    line: DUPLICATE,
    aws: LEGAL,
  },
  {
    what: 'A raw delivery of a topic with one dead-letter queue',
    act: stack =>
      new DurableTopic(stack, 'Topic', SHARED).deliverToQueue('X', new Queue(stack, 'Q'), { rawMessageDelivery: true }),
    line: `rawMessageDelivery must be false ${WHERE}, because nothing in a raw dead letter names its subscription: pass a deadLetterQueue, got true`,
    aws: LEGAL,
  },
  {
    what: 'A delivery with alarm actions, of a topic with one dead-letter queue',
    act: stack => new DurableTopic(stack, 'Topic', SHARED).deliverToEndpoint('X', URL, { alarmActions: [] }),
    line: `alarmActions must be absent ${WHERE}: it has the actions of the topic, got []`,
    aws: OURS,
  },
  {
    what: 'A delivery to another account, of a topic with one dead-letter queue',
    act: stack => {
      const other = new Stack(stack.node.scope, 'Other', { env: OTHER_ACCOUNT_ENV });
      const queue = new Queue(other, 'Q', { queueName: 'theirs' });
      return new DurableTopic(stack, 'Topic', { ...SHARED, topicName: 'orders' }).deliverToQueue('X', queue);
    },
    line: 'deadLetterQueue must be passed for a delivery outside the account of sharedDeadLetterQueue, 123456789012, got "999999999999"',
    aws: ONE_PLACE,
  },
  {
    what: 'A delivery of a topic of another Region, with one dead-letter queue',
    act: stack => imported(stack, 'orders', OTHER_REGION_ENV).deliverToEndpoint('X', URL),
    line: 'deadLetterQueue must be passed for a topic outside the Region of sharedDeadLetterQueue, us-east-1, got "eu-west-1"',
    aws: ONE_PLACE,
  },
];
