import {
  InvokeCommand,
  type LambdaClient,
  LambdaServiceException,
  TooManyRequestsException,
} from '@aws-sdk/client-lambda';
import type { SQSBatchItemFailure, SQSEvent } from 'aws-lambda';

/** What the relay's function answers of a batch. */
export interface RelayAnswer {
  readonly batchItemFailures: readonly SQSBatchItemFailure[];
  readonly attempts: number;
  readonly delivered: number;
  readonly failedAttempts: number;
}

/** What the relay's function answered, or what kept it from answering. */
export type RelayResponse = { readonly answer: RelayAnswer } | { readonly broken: string };

/** Has the relay's own function attend to messages; with `expiring` it gives them up untried. */
export type InvokeRelay = (event: SQSEvent & { readonly expiring?: boolean }) => Promise<RelayResponse>;

function readAnswer(payload: string): RelayAnswer {
  const answer = JSON.parse(payload) as Partial<RelayAnswer>;
  const { batchItemFailures, attempts, delivered, failedAttempts } = answer;
  if (!batchItemFailures || attempts === undefined || delivered === undefined || failedAttempts === undefined) {
    throw new Error(`the relay's function answered ${payload}`);
  }
  return { batchItemFailures, attempts, delivered, failedAttempts };
}

/** What is no fault of ours, and gone at the next run. */
function isTransient(error: LambdaServiceException): boolean {
  return error.$fault === 'server' || error instanceof TooManyRequestsException;
}

/**
 * @param client tries once: a second try would find the messages with the first one
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
export function relayInvoker(client: LambdaClient, FunctionName: string): InvokeRelay {
  return async event => {
    try {
      const command = new InvokeCommand({ FunctionName, Payload: JSON.stringify(event) });
      const { FunctionError, Payload } = await client.send(command);
      const payload = Buffer.from(Payload ?? []).toString('utf8');
      return FunctionError ? { broken: `the relay's function failed: ${payload}` } : { answer: readAnswer(payload) };
    } catch (error) {
      if (!(error instanceof LambdaServiceException) || !isTransient(error)) throw error;
      return { broken: `Lambda did not invoke the relay's function: ${error.name}` };
    }
  };
}
