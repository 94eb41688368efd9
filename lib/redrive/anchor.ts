import { Duration } from 'aws-cdk-lib';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { QUEUE_LIMITS } from '../../policy/limits/queue-limits';
import { asDeadLetterQueue } from '../queue/dead-letters/letters-of';

/**
 * Makes a queue to which nobody sends, and which names `queue` as its dead-letter queue: SQS's move task refuses letters of any
 * other, and SNS and Lambda send theirs without there being one.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html
 */
export function addAnchor(scope: Construct, queue: IQueue): IQueue {
  const anchor = new Queue(scope, 'Anchor', {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.seconds(QUEUE_LIMITS.retentionSeconds.min),
    deadLetterQueue: { queue, maxReceiveCount: QUEUE_LIMITS.receiveCount.max },
    ...(queue.fifo && { fifo: true }),
  });
  asDeadLetterQueue(queue)?.anchoredBy(anchor);
  return anchor;
}
