import {
  GetFunctionConfigurationCommand,
  GetFunctionEventInvokeConfigCommand,
  InvokeCommand,
  type LambdaClient,
} from '@aws-sdk/client-lambda';
import { MAX_FUNCTION_TIMEOUT_SECONDS } from '../policy/aws-limits';
import { parseObject } from '../policy/json-members';
import type { FunctionDestination } from '../policy/redrive/redrive-settings';
import { invocationMs, type ReplayedFunction, readReplay } from '../policy/redrive/replay-event';
import { awsFailureOf, isCertainlyRefused, isNotFound, retryTransient } from './aws/aws-calls';
import type { Wait } from './aws/clock';
import { type DeadLetter, HOLD_SECONDS } from './dead-letter-receiver';
import type { DestinationClosed, MessageMover, Movable, MoveResult, Unmovable } from './message-mover';

/** Lambda's status code for a synchronous invocation, whether the function succeeded or failed. */
const INVOKED = 200;

/** Names of errors by which Lambda rejects the event itself. It may accept other events. */
const REFUSED_EVENTS: readonly RegExp[] = [
  /^InvalidRequestContent/,
  /^RequestTooLarge|^RequestEntityTooLarge/,
  /^UnsupportedMediaType/,
];

/** The function is being created, updated or started: transient. */
const IN_TRANSITION = /^ResourceConflict|^ResourceNotReady|^SnapStartNotReady/;

/**
 * Server errors by which Lambda says why it could not start the function.
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
const NOT_STARTED = /^(EC2|ENI|EFS|KMS|Subnet|InvalidSubnet|InvalidSecurityGroup|SnapStart)/;

/** Of an error message of the function: the reason becomes an attribute of the quarantined message. */
const MAX_REASON_CHARACTERS = 300;

/** Reads what decides whether, and how, a function can be replayed to. Rejects with the error of Lambda. */
export async function readReplayedFunction(client: LambdaClient, arn: string, wait: Wait): Promise<ReplayedFunction> {
  const FunctionName = arn;
  const [{ Timeout = MAX_FUNCTION_TIMEOUT_SECONDS }, onSuccessArn] = await Promise.all([
    retryTransient(wait, () => client.send(new GetFunctionConfigurationCommand({ FunctionName }))),
    retryTransient(wait, () => readOnSuccess(client, FunctionName)),
  ]);
  return { timeoutSeconds: Timeout, ...(onSuccessArn && { onSuccessArn }) };
}

/** Resolves with undefined if the function has no on-success destination. */
async function readOnSuccess(client: LambdaClient, FunctionName: string): Promise<string | undefined> {
  try {
    const { DestinationConfig } = await client.send(new GetFunctionEventInvokeConfigCommand({ FunctionName }));
    return DestinationConfig?.OnSuccess?.Destination;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/**
 * How long a message that is replayed must stay hidden: it may wait until other invocations of its pass have ended, and then until
 * its own has.
 */
export function replayHoldSeconds(callMs: number): number {
  return Math.ceil((2 * callMs) / 1_000) + HOLD_SECONDS;
}

/**
 * Replays dead letters: invokes a function with the events they contain, as SNS or Lambda did, and waits for the result. A
 * message has moved only if the function succeeded.
 *
 * The invocation is synchronous. With an asynchronous one, Lambda would own the event after a 202, and the message would be
 * gone if the function failed and its dead-letter queue refused the event.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-sync.html
 */
export class ReplayingMessageMover implements MessageMover {
  readonly callMs: number;

  /**
   * @param client must not retry: see `INVOKE_CLIENT_CONFIG`
   * @param timeoutSeconds of the function
   */
  constructor(
    private readonly client: LambdaClient,
    private readonly destination: FunctionDestination,
    timeoutSeconds: number,
  ) {
    this.callMs = invocationMs({ timeoutSeconds });
  }

  readonly inspect = ({ body }: DeadLetter): Movable | Unmovable => {
    const reading = readReplay(body, this.destination);
    return reading.kind === 'event' ? { kind: 'fit' } : { ...reading, kind: 'unfit' };
  };

  /** One event per call, in any order. */
  readonly batchesInOrder: MessageMover['batchesInOrder'] = deadLetters =>
    deadLetters.map(deadLetter => [[deadLetter]]);

  readonly move = async (batch: readonly DeadLetter[]): Promise<readonly MoveResult[] | DestinationClosed> => {
    const results: MoveResult[] = [];
    for (const deadLetter of batch) {
      const result = await this.invoke(deadLetter);
      if (result.kind === 'closed') return result;
      results.push(result);
    }
    return results;
  };

  private async invoke({ body }: DeadLetter): Promise<MoveResult | DestinationClosed> {
    const reading = readReplay(body, this.destination);
    if (reading.kind === 'none') return { ...reading, kind: 'unfit' };
    const FunctionName = this.destination.arn;
    try {
      const command = new InvokeCommand({ FunctionName, InvocationType: 'RequestResponse', Payload: reading.event });
      const { StatusCode, FunctionError, Payload } = await this.client.send(command, { requestTimeout: this.callMs });
      if (StatusCode !== INVOKED) return { kind: 'unknown', reason: `Invoke: the answer was ${StatusCode}` };
      return FunctionError === undefined ? { kind: 'moved' } : { kind: 'failed', reason: failureIn(Payload) };
    } catch (error) {
      return resultOfError(error);
    }
  }
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/nodejs-exceptions.html */
function failureIn(payload: Uint8Array = new Uint8Array()): string {
  // A runtime may answer anything: a text that is not a JSON object says nothing.
  const { errorType, errorMessage } = parseObject(Buffer.from(payload).toString('utf8')) ?? {};
  const texts = [errorType, errorMessage].filter(text => typeof text === 'string' && text !== '');
  const reason = ['was replayed, and the function failed again', ...texts].join(': ');
  return reason.length > MAX_REASON_CHARACTERS ? `${reason.slice(0, MAX_REASON_CHARACTERS)}…` : reason;
}

function resultOfError(error: unknown): MoveResult | DestinationClosed {
  const failure = awsFailureOf(error, 'Invoke');
  if (!failure) throw error;
  const { outcome, code, reason } = failure;
  if (!isCertainlyRefused(error) && !NOT_STARTED.test(code)) return { kind: 'unknown', reason };
  if (REFUSED_EVENTS.some(refused => refused.test(code))) return { kind: 'unfit', cause: 'refused', reason };
  const isPassing = outcome === 'throttled' || outcome === 'unavailable' || IN_TRANSITION.test(code);
  return { kind: isPassing ? 'again' : 'closed', reason };
}
