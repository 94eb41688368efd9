import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type ListenOptions, LocalAws } from '../../../../local';

const KEYS = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'secret' };

/** An empty account behind a port of this machine, as clients of other processes see it. */
export class ServedAws {
  private readonly open: (() => Promise<void> | void)[] = [];

  async start(options: ListenOptions = {}) {
    const aws = LocalAws.start();
    const errors: unknown[] = [];
    const { url, port } = await aws.listen({ onError: error => errors.push(error), ...options });
    const settings = { endpoint: url, region: 'us-east-1', credentials: KEYS, maxAttempts: 1 };
    const sqs = new SQSClient(settings);
    this.open.push(
      () => sqs.destroy(),
      () => aws.close(),
    );
    return { aws, url, port, settings, sqs, errors };
  }

  /** Makes a queue, and answers its URL. */
  async createQueue(sqs: SQSClient, QueueName: string): Promise<string> {
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName }));
    if (QueueUrl === undefined) throw new Error(`${QueueName} has no URL`);
    return QueueUrl;
  }

  /** Ends everything that was started. */
  async close(): Promise<void> {
    for (const end of this.open.splice(0)) await end();
  }
}

/** Comes once it is so: what a socket brings takes turns of node's event loop, and nobody says how many. */
export async function eventually(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(resolve => setImmediate(resolve));
}
