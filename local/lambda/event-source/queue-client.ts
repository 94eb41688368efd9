import type { Message } from '@aws-sdk/client-sqs';
import { AwsError } from '../../kernel/aws-error';
import { type Caller, type Latency, roleCaller } from '../../kernel/caller';
import type { Queues } from '../ports';

/** Most messages one call receives or deletes. */
export const MOST_MESSAGES = 10;

/** A queue as a mapping uses it: with the permissions of the function's role. */
export class QueueClient {
  private readonly latency: Latency = { ms: 0 };

  constructor(
    private readonly sqs: Queues,
    readonly queueArn: string,
    private readonly roleArn: () => string,
  ) {}

  /** How long the queue took to answer the last `receive`, in milliseconds; its messages are there only then. */
  get receivedAfterMs(): number {
    return this.latency.ms;
  }

  /** @throws AwsError as SQS answers */
  receive(count: number, visibilitySeconds: number | undefined): readonly Message[] {
    this.latency.ms = 0;
    const answer = this.sqs.call(
      'ReceiveMessage',
      { ...this.caller, latency: this.latency },
      {
        QueueUrl: this.url,
        MaxNumberOfMessages: count,
        WaitTimeSeconds: 0,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
        ...(visibilitySeconds !== undefined && { VisibilityTimeout: visibilitySeconds }),
      },
    );
    if ('then' in answer) throw new Error('a short poll is answered at once');
    return answer.Messages ?? [];
  }

  /**
   * Answers how many were deleted; a message that somebody else has received meanwhile, from a FIFO queue, is not.
   *
   * @throws AwsError as SQS answers
   */
  delete(messages: readonly Message[]): number {
    let deleted = 0;
    for (let from = 0; from < messages.length; from += MOST_MESSAGES) {
      const entries = messages.slice(from, from + MOST_MESSAGES);
      const { Successful = [] } = this.sqs.call('DeleteMessageBatch', this.caller, {
        QueueUrl: this.url,
        Entries: entries.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })),
      });
      deleted += Successful.length;
    }
    return deleted;
  }

  /** @throws AwsError as SQS answers */
  visibilitySeconds(): number {
    const { Attributes } = this.sqs.call('GetQueueAttributes', this.caller, {
      QueueUrl: this.url,
      AttributeNames: ['VisibilityTimeout'],
    });
    return Number(Attributes?.VisibilityTimeout);
  }

  private get caller(): Caller {
    return roleCaller(this.roleArn());
  }

  private get url(): string {
    const queue = this.sqs.queueByArn(this.queueArn);
    if (queue) return queue.url;
    throw new AwsError('AWS.SimpleQueueService.NonExistentQueue', 'The specified queue does not exist.');
  }
}
