import { FiveMinuteMemory } from '../../kernel/five-minutes';
import type { Message } from '../message';

/** A message as a receive left it. */
interface ReceivedByAttempt {
  readonly message: Message;
  readonly receiveCount: number;
  readonly visibleAtMs: number;
}

/**
 * Receives by their `ReceiveRequestAttemptId`: a caller who never saw the answer asks again, and is handed the same
 * messages with the same handles, hidden anew. It holds for five minutes, while none of the messages has been deleted or
 * had its visibility changed, or become visible; otherwise, and where AWS says nothing, a repeated receive is a new one.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html
 */
export class ReceiveAttempts {
  private readonly handed = new FiveMinuteMemory<readonly ReceivedByAttempt[]>();

  /** @param messages what the attempt was handed; one that came to nothing is not noted, and its next is a new receive */
  note(attemptId: string, messages: readonly Message[], nowMs: number): void {
    const handed = messages.map(message => {
      const { receiveCount, visibleAtMs } = message;
      return { message, receiveCount, visibleAtMs };
    });
    this.handed.remember(attemptId, handed, nowMs);
  }

  /**
   * The messages an earlier attempt of this id was handed.
   *
   * @param isHere whether a message is still in the queue
   */
  recall(attemptId: string, nowMs: number, isHere: (message: Message) => boolean): readonly Message[] | undefined {
    const handed = this.handed.recall(attemptId, nowMs);
    const isUntouched = handed?.every(
      ({ message, receiveCount, visibleAtMs }) =>
        isHere(message) &&
        message.place === 'in-flight' &&
        message.receiveCount === receiveCount &&
        message.visibleAtMs === visibleAtMs,
    );
    return isUntouched ? handed?.map(({ message }) => message) : undefined;
  }
}
