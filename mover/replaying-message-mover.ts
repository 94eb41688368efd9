import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { FunctionDestination } from '../policy/redrive/redrive-settings';
import { isReplayed, readReplay } from '../policy/redrive/replay-event';
import { awsFailureOf, hasResponse } from './aws-calls';
import type { DeadLetter } from './dead-letter-receiver';
import type { DestinationClosed, MessageMover, Movable, MoveResult, Remaining, Unmovable } from './message-mover';

/** Lambda's answer to an event it has taken in. */
const ACCEPTED = 202;

/** By which attribute Lambda names the invocation a dead letter is of. */
const REQUEST_ID = 'RequestID';

/** Our choice: some megabytes of a small function, beside which the mark knows every replay. */
const MAX_REQUEST_IDS = 20_000;

const RETURNED: Unmovable = {
  kind: 'unfit',
  cause: 'came-back',
  reason: 'was replayed, and the function failed again',
};

/** What Lambda refuses of an event, by the names of its errors: no other event would fare so. */
const REFUSED_EVENTS: readonly RegExp[] = [
  /^InvalidRequestContent/,
  /^RequestTooLarge|^RequestEntityTooLarge/,
  /^UnsupportedMediaType/,
];

/** What is over in a moment: the function is being made, changed or woken. */
const IN_TRANSITION = /^ResourceConflict|^ResourceNotReady|^SnapStartNotReady/;

/**
 * Replays letters: invokes a function with the events they hold, as SNS or Lambda would have. Lambda has an event once it
 * answers 202, and whatever becomes of it then is Lambda's: it tries again, and in the end puts it where the function's
 * failures go.
 *
 * An event that had its replay is known by its mark, and by the ids of the requests that were made here.
 */
export class ReplayingMessageMover implements MessageMover {
  private readonly requestIds = new Set<string>();

  /** @param client makes no second attempt by itself: each has its turn */
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

  /** Each by itself. */
  readonly batchesInOrder: MessageMover['batchesInOrder'] = deadLetters =>
    deadLetters.map(deadLetter => [[deadLetter]]);

  readonly move = async (lot: readonly DeadLetter[]): Promise<readonly MoveResult[] | DestinationClosed> => {
    const fates: MoveResult[] = [];
    for (const deadLetter of lot) {
      const fate = await this.invoke(deadLetter);
      if (fate.kind === 'closed') return fate;
      fates.push(fate);
    }
    return fates;
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
  const refusal = awsFailureOf(error, 'Invoke');
  if (!refusal) throw error;
  const { outcome, code, reason } = refusal;
  if (!hasResponse(error)) return { kind: 'unknown', reason };
  if (REFUSED_EVENTS.some(refused => refused.test(code))) return { kind: 'unfit', cause: 'refused', reason };
  const isPassing = outcome === 'throttled' || outcome === 'unavailable' || IN_TRANSITION.test(code);
  return { kind: isPassing ? 'again' : 'closed', reason };
}
