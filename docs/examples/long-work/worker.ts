import { SQS } from '@aws-sdk/client-sqs';
import { withHeartbeat } from 'dead-letter-office/consumer';

const sqs = new SQS();

/** The time after which another worker receives the message if this one dies. */
const visibilitySeconds = 60;

/** Receives a message, processes it for as long as necessary, and deletes it. Returns whether there was one. */
export async function takeOne(
  queueUrl: string,
  work: (body: string, signal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const { Messages = [] } = await sqs.receiveMessage({
    QueueUrl: queueUrl,
    VisibilityTimeout: visibilitySeconds,
    WaitTimeSeconds: 20,
  });
  const { Body = '', ReceiptHandle: receiptHandle } = Messages[0] ?? {};
  if (receiptHandle === undefined) return false;
  const options = { client: sqs, queueUrl, receiptHandle, visibilitySeconds };
  await withHeartbeat(options, signal => work(Body, signal));
  await sqs.deleteMessage({ QueueUrl: queueUrl, ReceiptHandle: receiptHandle });
  return true;
}
