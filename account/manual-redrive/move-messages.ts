import { inForm } from '../../diagnosis/manual-redrive/destination';
import type { Form } from '../../diagnosis/manual-redrive/facts';
import type { ManualRedrivePlan } from '../../diagnosis/manual-redrive/plan';
import type { NowMs } from '../../mover/clock';
import { type DeadLetter, type DeadLetterReceiver, deadLetterReceiver } from '../../mover/dead-letter-receiver';
import { CopyingMessageMover, type MessageMover, type MoveResult } from '../../mover/message-mover';
import { runMovePass, SENT_AFTER_RUN_BEGAN } from '../../mover/move-pass';
import type { RemainingMessages, StepOrder, StepResult } from '../../mover/move-step';
import { RESERVE_MS } from '../../mover/pass-progress';
import { MovedBefore, undeletedText, unsureText } from '../../mover/remaining-messages';
import { ReplayingMessageMover } from '../../mover/replaying-message-mover';
import type { QueueMessage } from '../../policy/messages/decode-message';
import type { Connection } from '../connection/connection';
import { OneAttemptLambda, OneAttemptSqs } from '../connection/one-attempt';
import { messageOf } from '../errors';
import { checkMayDelete, checkMayGiveBack, HOLD_SECONDS } from '../messages/message-hold';
import type { Match } from './filter';
import type { MoveStep, MoveStepEnd, MoveStepPorts, StayingMessages } from './move-step';

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
        if (came.outcome !== 'move-pass') throw new Error(`the pass came to ${came.outcome}`);
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
    return runMovePass(
      this.messageMover,
      { deadLetters, nowMs, wait, writeMetrics: tell, movedBefore: carried },
      order,
    );
  }

  private endOf(
    came: Extract<StepResult, { outcome: 'move-pass' }>,
    { messages }: MoveStep,
  ): Omit<MoveStepEnd, 'moved'> {
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

/** Which letters a courier takes, and in what form. */
export interface Choice {
  readonly form: Form;
  /** @default - all */
  readonly matches?: (message: DeadLetter) => Match;
}

/** Takes only letters that match, and sends each on in the form it should have. */
export class ManualMover implements MessageMover {
  /** Why letters stay that a filter leaves. */
  readonly differences = new Set<string>();
  private refused: readonly string[] = [];
  private mostRefused = Number.POSITIVE_INFINITY;

  constructor(
    private readonly messageMover: MessageMover,
    private readonly choice: Choice,
  ) {}

  /** From now on, where the destination refuses so many letters, it is tried with no others. */
  begin(mostRefused = Number.POSITIVE_INFINITY): void {
    this.refused = [];
    this.mostRefused = mostRefused;
  }

  readonly inspect: MessageMover['inspect'] = message => {
    const { form, matches } = this.choice;
    const match = matches?.(message);
    if (match?.kind === 'differs') {
      this.differences.add(match.reason);
      return { kind: 'left', reason: match.reason };
    }
    return this.messageMover.inspect(inForm(message, form));
  };

  readonly batchesInOrder: MessageMover['batchesInOrder'] = messages => this.messageMover.batchesInOrder(messages);

  readonly move: MessageMover['move'] = async lot => {
    if (this.refused.length >= this.mostRefused) {
      return { kind: 'closed', reason: `the destination has refused ${this.refused.length}: ${this.refused.at(-1)}` };
    }
    const carried = await this.messageMover.move(lot.map(message => inForm(message, this.choice.form)));
    if (!('kind' in carried)) this.refused = [...this.refused, ...carried.flatMap(refusalIn)];
    return carried;
  };
}

function refusalIn(fate: MoveResult): readonly string[] {
  return fate.kind === 'left' || fate.kind === 'unfit' ? [fate.reason] : [];
}

/** Our choice: a letter that stays is hidden anew when so little is left. */
const RENEWED_BEFORE_MS = 60_000;

/** Our choice: beyond so many, hiding them anew every minute would take the time that moving does. */
const MOST_RENEWED = 10_000;

interface Held {
  readonly message: DeadLetter;
  readonly untilMs: number;
}

/**
 * Hides letters that stay briefly, and anew while somebody receives, so that a command that is killed leaves nothing hidden for
 * long. Of more than 10,000, those beyond stay hidden as long as was asked for.
 */
export class RenewingBox implements DeadLetterReceiver {
  /** By their ids, the one that comes back first before others. */
  private readonly held = new Map<string, Held>();
  private renewing: Promise<void> | undefined;

  constructor(
    private readonly box: DeadLetterReceiver,
    private readonly nowMs: NowMs,
  ) {}

  readonly remove: DeadLetterReceiver['remove'] = messages => this.box.remove(messages);

  readonly receive: DeadLetterReceiver['receive'] = async (most, waitSeconds) => {
    this.renewing ??= this.renew().finally(() => {
      this.renewing = undefined;
    });
    await this.renewing;
    return this.box.receive(most, waitSeconds);
  };

  readonly hide: DeadLetterReceiver['hide'] = async (messages, seconds) => {
    if (seconds === 0) {
      for (const { messageId } of messages) this.held.delete(messageId);
      await this.box.hide(messages, 0);
    } else if (this.held.size >= MOST_RENEWED) await this.box.hide(messages, seconds);
    else await this.hold(messages);
  };

  private async hold(messages: readonly DeadLetter[]): Promise<void> {
    const untilMs = this.nowMs() + HOLD_SECONDS * 1_000;
    await this.box.hide(messages, HOLD_SECONDS);
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
