import { parseArn } from '../../kernel/arn';
import { AwsError } from '../../kernel/aws-error';
import type { Caller } from '../../kernel/caller';
import type { LambdaNeighbours } from '../ports';

type Attributes = Readonly<Record<string, { readonly DataType: string; readonly StringValue: string }>>;

/** Sends what Lambda sends itself, to a queue or a topic, as whom it is told to. */
export class PostOffice {
  constructor(private readonly neighbours: Pick<LambdaNeighbours, 'sqs' | 'sns'>) {}

  /** @throws AwsError as the queue or topic answers */
  send(targetArn: string, sender: Caller, body: string, attributes?: Attributes): void {
    const message = attributes && { MessageAttributes: { ...attributes } };
    if (parseArn(targetArn)?.service === 'sns') {
      this.neighbours.sns().call('Publish', sender, { TopicArn: targetArn, Message: body, ...message });
      return;
    }
    const queue = this.neighbours.sqs.queueByArn(targetArn);
    if (!queue) {
      throw new AwsError('AWS.SimpleQueueService.NonExistentQueue', 'The specified queue does not exist.');
    }
    this.neighbours.sqs.call('SendMessage', sender, { QueueUrl: queue.url, MessageBody: body, ...message });
  }
}
