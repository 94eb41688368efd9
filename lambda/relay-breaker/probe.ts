import {
  InvokeCommand,
  type LambdaClient,
  LambdaServiceException,
  TooManyRequestsException,
} from '@aws-sdk/client-lambda';
import { DeleteMessageCommand, type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import type { ProbeResult } from '../../lib/policy/relay/breaker';
import type { BreakerSettings } from '../../lib/policy/relay/breaker-settings';
import { sqsEvent } from './sqs-event';

type ProbeSettings = Pick<BreakerSettings, 'queueUrl' | 'queueArn' | 'functionName'>;

/** As long as SQS waits: a short look asks only some of its servers, and may miss the one message there is. */
const LONG_POLL_SECONDS = 20;

/** What the relay's function answers of a batch. */
interface RelayAnswer {
  readonly batchItemFailures: readonly unknown[];
  readonly attempts: number;
  readonly failedAttempts: number;
}

function readAnswer(payload: string): RelayAnswer {
  const answer = JSON.parse(payload) as Partial<RelayAnswer>;
  const { batchItemFailures, attempts, failedAttempts } = answer;
  if (!batchItemFailures || attempts === undefined || failedAttempts === undefined) {
    throw new Error(`the relay's function answered ${payload}`);
  }
  return { batchItemFailures, attempts, failedAttempts };
}

async function receiveOne(client: SQSClient, queueUrl: string): Promise<Message | undefined> {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: 1,
      WaitTimeSeconds: LONG_POLL_SECONDS,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    }),
  );
  return Messages[0];
}

/** What the relay's function answered, or what kept it from answering. */
type Asked = { readonly answer: RelayAnswer } | { readonly broken: string };

/** What is no fault of ours, and gone at the next probe. */
function isPassing(error: LambdaServiceException): boolean {
  return error.$fault === 'server' || error instanceof TooManyRequestsException;
}

async function ask(client: LambdaClient, FunctionName: string, event: SQSEvent): Promise<Asked> {
  try {
    const command = new InvokeCommand({ FunctionName, Payload: JSON.stringify(event) });
    const { FunctionError, Payload } = await client.send(command);
    const payload = Buffer.from(Payload ?? []).toString('utf8');
    return FunctionError ? { broken: `the relay's function failed: ${payload}` } : { answer: readAnswer(payload) };
  } catch (error) {
    if (!(error instanceof LambdaServiceException) || !isPassing(error)) throw error;
    return { broken: `Lambda did not invoke the relay's function: ${error.name}` };
  }
}

/**
 * Has the relay's own function try one message of its queue, by the event Lambda would have invoked it with: what it does
 * with a message it cannot deliver is then done already. A message whose probe breaks off comes back by itself.
 */
export function probing(sqs: SQSClient, lambda: LambdaClient, settings: ProbeSettings): () => Promise<ProbeResult> {
  const { queueUrl, queueArn, functionName } = settings;
  return async () => {
    const message = await receiveOne(sqs, queueUrl);
    if (!message) return { kind: 'no-message' };
    const asked = await ask(lambda, functionName, sqsEvent(message, queueArn));
    if ('broken' in asked) return { kind: 'broken', reason: asked.broken };
    const { batchItemFailures, attempts, failedAttempts } = asked.answer;
    if (batchItemFailures.length === 0) {
      await sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle: message.ReceiptHandle }));
    }
    return { kind: 'answered', attempts, failedAttempts };
  };
}
