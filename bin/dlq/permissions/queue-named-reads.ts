/** What `queueNamed` needs. To say which names are near one that is not there it also lists queues, where it may. */
export const QUEUE_NAMED_READS = ['sqs:GetQueueUrl', 'sqs:GetQueueAttributes'] as const;
