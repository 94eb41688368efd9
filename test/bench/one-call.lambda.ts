import { GetQueueUrlCommand, SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';

/** The event of the handler, or the request of the benchmark without a function. */
export interface OneCall {
  /** @default - from the environment */
  readonly client?: SQSClientConfig;
  /** No call is made without a queue. */
  readonly queueName?: string;
}

let sqs: SQSClient | undefined;

/** Makes one call of SQS, or none. */
export async function handler({ client = {}, queueName }: OneCall): Promise<void> {
  if (queueName === undefined) return;
  sqs ??= new SQSClient(client);
  await sqs.send(new GetQueueUrlCommand({ QueueName: queueName }));
}
