import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { FunctionDestination } from '../policy/redrive/redrive-settings';
import { isReplayed, readReplay } from '../policy/redrive/replay-event';
import { awsFailureOf, hasResponse } from './aws-calls';
import type { DeadLetter } from './dead-letter-receiver';
import type { DestinationClosed, MessageMover, Movable, MoveResult, Remaining, Unmovable } from './message-mover';

/** Lambda's status code for an accepted asynchronous invocation. */
const ACCEPTED = 202;

/** The message attribute in which Lambda names the invocation that failed. */
const REQUEST_ID = 'RequestID';

/** Takes a few megabytes. An older replay is still recognized by its mark. */
const MAX_REQUEST_IDS = 20_000;

const RETURNED: Unmovable = {
  kind: 'unfit',
  cause: 'came-back',
  reason: 'was replayed, and the function failed again',
};

/** Names of errors by which Lambda rejects the event itself. It may accept other events. */
const REFUSED_EVENTS: readonly RegExp[] = [
  /^InvalidRequestContent/,
  /^RequestTooLarge|^RequestEntityTooLarge/,
  /^UnsupportedMediaType/,
];

/** The function is being created, updated or started: transient. */
const IN_TRANSITION = /^ResourceConflict|^ResourceNotReady|^SnapStartNotReady/;

/**
 * Replays dead letters: invokes a function with the events they contain, as SNS or Lambda did. Once Lambda has answered 202 it
 * owns the event: it retries, and in the end sends the event to the function's dead-letter queue or failure destination.
 *
 * An event that was replayed before is recognized by its mark, or by the request id of an invocation made here.
 */
export class ReplayingMessageMover implements MessageMover {
  private readonly requestIds = new Set<string>();

  /** @param client must not retry: see `MOVE_CLIENT_CONFIG` */
  constructor(
    private readonly client: LambdaClient,
    private readonly destination: FunctionDestination,
    readonly returnsWithinMs?: number,
  ) {}

  readonly inspect = (deadLetter: DeadLetter): Movable | Unmovable | Remaining => {
    const requestId = deadLetter.attributes[REQUEST_ID]?.StringValue;
    if (isReplayed(deadLetter.body) || (requestId !== undefined && this.requestIds.has(requestId))) return RETURNED;
    const reading = readReplay(deadLetter.body, this.destination);
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
      const command = new InvokeCommand({ FunctionName, InvocationType: 'Event', Payload: reading.event });
      const { StatusCode, $metadata } = await this.client.send(command);
      if (StatusCode !== ACCEPTED) return { kind: 'unknown', reason: `Invoke: the answer was ${StatusCode}` };
      if ($metadata.requestId !== undefined) this.remember($metadata.requestId);
      return { kind: 'moved' };
    } catch (error) {
      return resultOfError(error);
    }
  }

  private remember(requestId: string): void {
    this.requestIds.add(requestId);
    const [oldest] = this.requestIds;
    if (oldest !== undefined && this.requestIds.size > MAX_REQUEST_IDS) this.requestIds.delete(oldest);
  }
}

function resultOfError(error: unknown): MoveResult | DestinationClosed {
  const failure = awsFailureOf(error, 'Invoke');
  if (!failure) throw error;
  const { outcome, code, reason } = failure;
  if (!hasResponse(error)) return { kind: 'unknown', reason };
  if (REFUSED_EVENTS.some(refused => refused.test(code))) return { kind: 'unfit', cause: 'refused', reason };
  const isPassing = outcome === 'throttled' || outcome === 'unavailable' || IN_TRANSITION.test(code);
  return { kind: isPassing ? 'again' : 'closed', reason };
}
