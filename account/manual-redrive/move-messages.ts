import type { Form } from '../../diagnosis/manual-redrive/destination';
import { inForm } from '../../diagnosis/manual-redrive/destination';
import type { ManualRedrivePlan } from '../../diagnosis/manual-redrive/manual-redrive-plan';
import { whyNotSelected } from '../../diagnosis/manual-redrive/selection';
import type { NowMs } from '../../mover/aws/clock';
import { type DeadLetter, type DeadLetterReceiver, deadLetterReceiver } from '../../mover/dead-letter-receiver';
import { CopyingMessageMover, type MessageMover, type MoveResult } from '../../mover/message-mover';
import { type MovePassResult, runMovePass, SENT_AFTER_RUN_BEGAN } from '../../mover/move-pass';
import { RESERVE_MS, type RemainingMessages } from '../../mover/pass-progress';
import { MovedBefore, undeletedText, unsureText } from '../../mover/remaining-messages';
import { ReplayingMessageMover, replayHoldSeconds } from '../../mover/replaying-message-mover';
import { MAX_FUNCTION_TIMEOUT_SECONDS } from '../../policy/aws-limits';
import type { QueueMessage } from '../../policy/messages/decode-message';
import { MINUTE_MS, SECOND_MS } from '../../policy/time-units';
import type { Connection } from '../connection/connection';
import { OneAttemptLambda, OneAttemptSqs } from '../connection/one-attempt';
import { messageOf } from '../errors';
import { checkMayDelete, checkMayGiveBack, HOLD_SECONDS } from '../messages/message-hold';
import type { Match } from './filter';
import type { MoveStep, MoveStepEnd, MoveStepPorts, StayingMessages } from './manual-step';

/** How long messages that stay are hidden at most, before they are given back and received again. */
const MOVE_PASS_MS = 15 * MINUTE_MS;

/**
 * How many messages may stay hidden. SQS allows 120,000 in flight in a queue, some of which are left for other consumers.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
 */
const MAX_HIDDEN = 100_000;

const NOTHING_FOUND = 'no message that can move was found within 15 minutes';

/** The clocks of SQS's servers may differ by this much, and a timer may fire early. */
const CLOCK_TOLERANCE_MS = 100;

/** Moves messages step by step: it receives, sends and deletes each one. */
export class MessagesMover {
  private readonly sqs: OneAttemptSqs;
  private readonly deadLetters: DeadLetterReceiver;
  private readonly messageMover: ManualMover;
  /** How long the longest call of a pass takes. */
  private readonly callMs: number;
  /** Messages that were sent in any step. No step sends them again. */
  private readonly movedBefore = new MovedBefore();
  /** When the run began, by SQS's clock, in milliseconds since the Unix epoch. Undefined until then. */
  private runStartedAtMs: number | undefined;
  private deadlineMs = 0;
  /** Sent in this step, including those without a response. */
  private sent = 0;
  /** Until when messages stay hidden whose answer to `ReceiveMessage` was lost. @default - no answer was lost */
  private lostUntilMs: number | undefined;

  /** @param pollSeconds how long a receive waits while the queue has no visible message */
  constructor(
    aws: Connection,
    private readonly plan: ManualRedrivePlan,
    matches: ((deadLetter: QueueMessage) => Match) | undefined,
    pollSeconds: number,
    private readonly ports: MoveStepPorts,
  ) {
    const { deadLetters, form, selection } = plan;
    this.sqs = aws.client(OneAttemptSqs);
    const inner = innerMover(aws, this.sqs, plan);
    this.callMs = inner.callMs ?? 0;
    const hiddenSeconds = inner.callMs === undefined ? HOLD_SECONDS : replayHoldSeconds(inner.callMs);
    const receiver = deadLetterReceiver(this.sqs, deadLetters.url, ports.wait, hiddenSeconds, () => {
      this.lostUntilMs = ports.nowMs() + hiddenSeconds * SECOND_MS;
    });
    const receive: DeadLetterReceiver['receive'] = (max, waitSeconds) =>
      receiver.receive(max, Math.min(waitSeconds, pollSeconds));
    this.deadLetters = new RenewingReceiver({ ...receiver, receive }, ports.nowMs);
    const whyStays = (message: QueueMessage) => {
      const other = selection && whyNotSelected(message, selection);
      const match = other === undefined ? matches?.(message) : undefined;
      return match?.kind === 'differs' ? match.reason : other;
    };
    this.messageMover = new ManualMover(inner, { form, whyStays });
  }

  /**
   * Moves the messages of a step. After an interrupt or an error, it finishes the current batch and gives the other messages back.
   * @throws Error when a permission is missing. Then nothing has been sent.
   */
  async move(step: MoveStep): Promise<MoveStepEnd> {
    this.runStartedAtMs ??= await this.begin();
    this.messageMover.begin(step.messages);
    this.sent = 0;
    const { unsure, undeleted } = this.movedBefore;
    const unsureBefore = unsure.size;
    const end = await this.movePasses(step, this.runStartedAtMs);
    const moved = this.sent - (unsure.size - unsureBefore);
    const { lostUntilMs } = this;
    return { ...end, moved, unsure: unsure.size, undeleted: undeleted.size, ...(lostUntilMs && { lostUntilMs }) };
  }

  /**
   * Checks the permissions, and waits until new messages can be distinguished from existing ones by their send time. SQS reports
   * its own time in whole seconds, and the send time of a message in milliseconds. The local clock is not used.
   */
  private async begin(): Promise<number> {
    const { deadLetters, filter, selection } = this.plan;
    if (filter !== undefined || selection) await checkMayGiveBack(this.sqs, deadLetters.url);
    await checkMayDelete(this.sqs, deadLetters.url);
    const { answeredAtMs } = this.sqs;
    if (answeredAtMs === undefined) throw new Error('nothing has been moved: the responses of SQS have no Date header');
    await this.ports.wait(SECOND_MS + CLOCK_TOLERANCE_MS);
    return answeredAtMs + SECOND_MS - 1;
  }

  private async movePasses(step: MoveStep, runStartedAtMs: number): Promise<Omit<MoveStepEnd, 'moved'>> {
    for (;;) {
      const sentBefore = this.sent;
      try {
        const result = await this.movePass(step, runStartedAtMs);
        if (result.status !== 'PAUSED' || !this.isTimeOver) return this.endOf(result, step);
        if (this.sent === sentBefore) return { ...this.endOf(result, step), reason: NOTHING_FOUND };
      } catch (error) {
        return { ending: 'failed', reason: messageOf(error), left: this.staying(leftOf(this.movedBefore)) };
      }
    }
  }

  private get isTimeOver(): boolean {
    return this.deadlineMs - this.ports.nowMs() < RESERVE_MS + this.callMs;
  }

  private movePass(step: MoveStep, runStartedAtMs: number): Promise<MovePassResult> {
    const { messagesPerSecond, messages = Number.MAX_SAFE_INTEGER } = step;
    const { ports, deadLetters, movedBefore } = this;
    const { nowMs, wait } = ports;
    this.deadlineMs = nowMs() + MOVE_PASS_MS + this.callMs;
    const order = {
      messagesPerSecond,
      messages: messages - this.sent,
      sentUntilMs: runStartedAtMs,
      remainingMs: () => this.deadlineMs - nowMs(),
      check: async () => (ports.isInterrupted() ? 'the command was interrupted' : undefined),
      checkEveryMs: 0,
      maxRemaining: MAX_HIDDEN,
    };
    const onCounted = ({ moved }: Pick<MovePassResult, 'moved'>) => {
      this.sent += moved;
      ports.progress(this.sent);
    };
    ports.progress(this.sent);
    return runMovePass(this.messageMover, { deadLetters, nowMs, wait, onCounted, movedBefore }, order);
  }

  private endOf({ status, reason, left = [] }: MovePassResult, { messages }: MoveStep): Omit<MoveStepEnd, 'moved'> {
    const isDone = messages !== undefined && this.sent >= messages;
    const endings = {
      COMPLETED: isDone ? 'done' : 'empty',
      CANCELLED: 'interrupted',
      PAUSED: 'failed',
      FAILED: 'failed',
    } as const;
    return { ending: endings[status], reason: withoutCallName(reason), left: this.staying(left) };
  }

  private staying(left: readonly RemainingMessages[]): readonly StayingMessages[] {
    const { differences } = this.messageMover;
    return left.map(group => ({
      ...group,
      isMeant: group.reason !== SENT_AFTER_RUN_BEGAN && !differences.has(group.reason),
    }));
  }
}

function innerMover(
  aws: Connection,
  sqs: OneAttemptSqs,
  { destination, functionTimeoutSeconds }: ManualRedrivePlan,
): MessageMover {
  if (destination.kind === 'queue') return new CopyingMessageMover(sqs, destination);
  const timeoutSeconds = functionTimeoutSeconds ?? MAX_FUNCTION_TIMEOUT_SECONDS;
  return new ReplayingMessageMover(aws.client(OneAttemptLambda), destination, timeoutSeconds);
}

/** Groups the messages that were sent but not deleted, for a step that ended before it counted them. */
function leftOf({ undeleted, unsure, failed }: MovedBefore): readonly RemainingMessages[] {
  const texts = [
    ...[...undeleted].map(([example, reason]) => [example, undeletedText(reason)] as const),
    ...[...unsure].map(([example, reason]) => [example, unsureText(reason)] as const),
    ...failed,
  ];
  const byReason = new Map<string, RemainingMessages>();
  for (const [example, reason] of texts) {
    const known = byReason.get(reason) ?? { reason, messages: 0, example };
    byReason.set(reason, { ...known, messages: known.messages + 1 });
  }
  return [...byReason.values()];
}

function withoutCallName(reason: string): string {
  return reason.replace(/^\w+: [\w.]+: (?=[a-z]+:[A-Z]\w+ )/, '');
}

interface Selected {
  readonly form: Form;
  /** Why a message is not among those that move; undefined if it is. */
  readonly whyStays: (message: DeadLetter) => string | undefined;
}

/** Moves only the selected messages, each in the required form. */
class ManualMover implements MessageMover {
  /** The reasons why messages are not among those that move. */
  readonly differences = new Set<string>();
  readonly callMs?: number;
  private refused: readonly string[] = [];
  private maxRefused = Number.POSITIVE_INFINITY;

  constructor(
    private readonly messageMover: MessageMover,
    private readonly selection: Selected,
  ) {
    if (messageMover.callMs !== undefined) this.callMs = messageMover.callMs;
  }

  /** Begins a step. After the destination has refused this many messages, no others are sent. */
  begin(maxRefused = Number.POSITIVE_INFINITY): void {
    this.refused = [];
    this.maxRefused = maxRefused;
  }

  readonly inspect: MessageMover['inspect'] = message => {
    const { form, whyStays } = this.selection;
    const reason = whyStays(message);
    if (reason !== undefined) {
      this.differences.add(reason);
      return { kind: 'left', reason };
    }
    return this.messageMover.inspect(inForm(message, form));
  };

  readonly batchesInOrder: MessageMover['batchesInOrder'] = messages => this.messageMover.batchesInOrder(messages);

  readonly move: MessageMover['move'] = async batch => {
    if (this.refused.length >= this.maxRefused) {
      return { kind: 'closed', reason: `the destination has refused ${this.refused.length}: ${this.refused.at(-1)}` };
    }
    const results = await this.messageMover.move(batch.map(message => inForm(message, this.selection.form)));
    if (!('kind' in results)) this.refused = [...this.refused, ...results.flatMap(refusalIn)];
    return results;
  };
}

function refusalIn(result: MoveResult): readonly string[] {
  return result.kind === 'left' || result.kind === 'unfit' ? [result.reason] : [];
}

/** A message that stays in the queue is hidden again this long before it would become visible. */
const RENEWED_BEFORE_MS = MINUTE_MS;

/** Hiding more messages again every minute would take as long as moving them. */
const MAX_RENEWED = 10_000;

interface Held {
  readonly message: DeadLetter;
  readonly untilMs: number;
}

/**
 * Hides messages that stay for a short time only, and again while the command runs. So a killed command leaves nothing hidden for
 * long. Beyond 10,000 messages, it hides them for as long as requested.
 */
export class RenewingReceiver implements DeadLetterReceiver {
  /** By message id, ordered by when they become visible again. */
  private readonly held = new Map<string, Held>();
  private renewing: Promise<void> | undefined;

  constructor(
    private readonly receiver: DeadLetterReceiver,
    private readonly nowMs: NowMs,
  ) {}

  readonly remove: DeadLetterReceiver['remove'] = messages => this.receiver.remove(messages);

  readonly receive: DeadLetterReceiver['receive'] = async (max, waitSeconds) => {
    this.renewing ??= this.renew().finally(() => {
      this.renewing = undefined;
    });
    await this.renewing;
    return this.receiver.receive(max, waitSeconds);
  };

  readonly hide: DeadLetterReceiver['hide'] = async (messages, seconds) => {
    if (seconds === 0) {
      for (const { messageId } of messages) this.held.delete(messageId);
      await this.receiver.hide(messages, 0);
    } else if (this.held.size >= MAX_RENEWED) await this.receiver.hide(messages, seconds);
    else await this.hold(messages);
  };

  private async hold(messages: readonly DeadLetter[]): Promise<void> {
    const untilMs = this.nowMs() + HOLD_SECONDS * 1_000;
    await this.receiver.hide(messages, HOLD_SECONDS);
    for (const message of messages) {
      this.held.delete(message.messageId);
      this.held.set(message.messageId, { message, untilMs });
    }
  }

  private async renew(): Promise<void> {
    const soonMs = this.nowMs() + RENEWED_BEFORE_MS;
    const due: DeadLetter[] = [];
    for (const { message, untilMs } of this.held.values()) {
      if (untilMs > soonMs) break;
      due.push(message);
    }
    if (due.length > 0) await this.hold(due);
  }
}
