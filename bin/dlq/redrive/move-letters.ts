import type { Connection } from '../../../account/connection/connection';
import type { ManualRedrivePlan } from '../../../diagnosis/manual-redrive/hand-plan';
import type { RemainingMessages, StepOrder, StepResult } from '../../../lambda/redrive/ports';
import { MovedBefore, undeletedText, unsureText } from '../../../mover/carried';
import { CopyingMessageMover } from '../../../mover/copying-courier';
import { RESERVE_MS } from '../../../mover/guard';
import { type DeadLetterReceiver, deadLetterReceiver } from '../../../mover/letter-box';
import { ReplayingMessageMover } from '../../../mover/replaying-courier';
import { runMovePass, SENT_AFTER_RUN_BEGAN } from '../../../mover/stint';
import type { QueueMessage } from '../../../policy/messages/decoded-letter';
import { messageOf } from '../../errors';
import { checkMayDelete, checkMayGiveBack } from '../letters/trials';
import type { Match } from './filter';
import { ManualMover } from './hand-courier';
import { OneAttemptLambda, OneAttemptSqs } from './one-attempt';
import { RenewingBox } from './renewing-box';
import type { MoveStep, MoveStepEnd, MoveStepPorts, StayingMessages } from './stage';

/** Our choice: how long letters that stay are kept hidden at most, before they are given back and met again. */
const MOVE_PASS_MS = 15 * 60_000;

/**
 * So many letters of a queue may be in flight, of which some are left for others. Our choice of the rest.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
 */
const MOST_LEFT = 100_000;

const NOTHING_FOUND = 'in a quarter of an hour no letter was found that can go';

const SECOND_MS = 1_000;

/** Our choice: by how much the clocks of SQS may differ, and a timer be early. */
const CLOCKS_APART_MS = 100;

/** Moves letters stage by stage, each of which receives, sends on and deletes. */
export class MessagesMover {
  private readonly sqs: OneAttemptSqs;
  private readonly deadLetters: DeadLetterReceiver;
  private readonly messageMover: ManualMover;
  /** What no stage sends again, whichever sent it. */
  private readonly carried = new MovedBefore();
  /** By the clock of SQS. @default - it has not begun */
  private runStartedAtMs: number | undefined;
  private deadlineMs = 0;
  /** In this stage, with those that nobody answered. */
  private sent = 0;

  /** @param pollSeconds how long an empty queue is listened to */
  constructor(
    aws: Connection,
    private readonly plan: ManualRedrivePlan,
    matches: ((deadLetter: QueueMessage) => Match) | undefined,
    pollSeconds: number,
    private readonly ports: MoveStepPorts,
  ) {
    const { deadLetters, destination, form } = plan;
    this.sqs = aws.client(OneAttemptSqs);
    const box = deadLetterReceiver(this.sqs, deadLetters.url, ports.wait);
    const receive: DeadLetterReceiver['receive'] = (most, waitSeconds) =>
      box.receive(most, Math.min(waitSeconds, pollSeconds));
    this.deadLetters = new RenewingBox({ ...box, receive }, ports.nowMs);
    const inner =
      destination.kind === 'queue'
        ? new CopyingMessageMover(this.sqs, destination)
        : new ReplayingMessageMover(aws.client(OneAttemptLambda), destination);
    this.messageMover = new ManualMover(inner, { form, ...(matches && { matches }) });
  }

  /**
   * An interrupt ends it after the letters in hand, and gives the others back. So does what goes wrong.
   * @throws Error where whoever asks may not do all it takes: then nothing has been sent
   */
  async move(stage: MoveStep): Promise<MoveStepEnd> {
    this.runStartedAtMs ??= await this.begin();
    this.messageMover.begin(stage.messages);
    this.sent = 0;
    const { unsure, undeleted } = this.carried;
    const unsureBefore = unsure.size;
    const end = await this.movePasses(stage, this.runStartedAtMs);
    const moved = this.sent - (unsure.size - unsureBefore);
    return { ...end, moved, unsure: unsure.size, undeleted: undeleted.size };
  }

  /**
   * Tries what it takes, and waits until what is sent from now on can be told from what was there: SQS says what time it is by
   * whole seconds, and of a letter to the millisecond when it was sent. The clock of this machine has no part in it.
   */
  private async begin(): Promise<number> {
    const { deadLetters, filter } = this.plan;
    if (filter !== undefined) await checkMayGiveBack(this.sqs, deadLetters.url);
    await checkMayDelete(this.sqs, deadLetters.url);
    const { answeredAtMs } = this.sqs;
    if (answeredAtMs === undefined) throw new Error('nothing has been moved: SQS does not say what time it is');
    await this.ports.wait(SECOND_MS + CLOCKS_APART_MS);
    return answeredAtMs + SECOND_MS - 1;
  }

  private async movePasses(stage: MoveStep, runStartedAtMs: number): Promise<Omit<MoveStepEnd, 'moved'>> {
    for (;;) {
      const sentBefore = this.sent;
      try {
        const came = await this.movePass(stage, runStartedAtMs);
        if (came.outcome !== 'stint') throw new Error(`the stint came to ${came.outcome}`);
        if (came.status !== 'PAUSED' || !this.isTimeOver) return this.endOf(came, stage);
        if (this.sent === sentBefore) return { ...this.endOf(came, stage), reason: NOTHING_FOUND };
      } catch (error) {
        return { ending: 'failed', reason: messageOf(error), left: this.staying(leftOf(this.carried)) };
      }
    }
  }

  private get isTimeOver(): boolean {
    return this.deadlineMs - this.ports.nowMs() < RESERVE_MS;
  }

  private movePass(stage: MoveStep, runStartedAtMs: number): Promise<StepResult> {
    const { messagesPerSecond, messages = Number.MAX_SAFE_INTEGER } = stage;
    const { plan, ports, deadLetters, carried } = this;
    const { nowMs, wait } = ports;
    this.deadlineMs = nowMs() + MOVE_PASS_MS;
    const order: StepOrder = {
      decision: {
        kind: 'start',
        step: 0,
        carrier: plan.carrier,
        messagesPerSecond,
        messages: messages - this.sent,
        reason: 'somebody asked for it',
      },
      facts: { ...UNASKED, nowMs: nowMs(), deadLetters: plan.deadLetters.depth },
      runStartedAtMs,
      remainingMs: () => this.deadlineMs - nowMs(),
      check: async () => (ports.isInterrupted() ? { cause: 'cancelled', reason: 'it was interrupted' } : undefined),
      checkEveryMs: 0,
      maxRemaining: MOST_LEFT,
    };
    const tell = (_: number, { StintMoved = 0 }: { readonly StintMoved?: number }) => {
      this.sent += StintMoved;
      ports.progress(this.sent);
    };
    return runMovePass(this.messageMover, { deadLetters, nowMs, wait, tell, carried }, order);
  }

  private endOf(came: Extract<StepResult, { outcome: 'stint' }>, { messages }: MoveStep): Omit<MoveStepEnd, 'moved'> {
    const { status, reason, left = [] } = came;
    const isDone = messages !== undefined && this.sent >= messages;
    const endings = {
      COMPLETED: isDone ? 'done' : 'empty',
      CANCELLED: 'interrupted',
      PAUSED: 'failed',
      FAILED: 'failed',
    } as const;
    return { ending: endings[status], reason: inConnectionsWords(reason), left: this.staying(left) };
  }

  private staying(left: readonly RemainingMessages[]): readonly StayingMessages[] {
    const { differences } = this.messageMover;
    return left.map(group => ({
      ...group,
      isMeant: group.reason !== SENT_AFTER_RUN_BEGAN && !differences.has(group.reason),
    }));
  }
}

/** What was sent and not deleted, where nobody has counted what stays beside it. */
function leftOf({ undeleted, unsure }: MovedBefore): readonly RemainingMessages[] {
  const texts = [
    ...[...undeleted].map(([example, reason]) => [example, undeletedText(reason)] as const),
    ...[...unsure].map(([example, reason]) => [example, unsureText(reason)] as const),
  ];
  const byReason = new Map<string, RemainingMessages>();
  for (const [example, reason] of texts) {
    const known = byReason.get(reason) ?? { reason, messages: 0, example };
    byReason.set(reason, { ...known, messages: known.messages + 1 });
  }
  return [...byReason.values()];
}

/** What a stint by hand asks nobody for: it looks after nothing but the letters. */
const UNASKED = {
  trigger: 'operator',
  killSwitch: 'on',
  destination: undefined,
  moves: [],
  isMovesComplete: true,
  alarms: [],
  mappings: [],
} as const;

/** What the connection says of a failed call names the call already. */
function inConnectionsWords(reason: string): string {
  return reason.replace(/^\w+: [\w.]+: (?=[a-z]+:[A-Z]\w+ )/, '');
}
