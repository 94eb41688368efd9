import { awsFailureOf, backoffMs, isCertainlyRefused, isTransient } from './aws/aws-calls';
import type { NowMs, Wait } from './aws/clock';
import type { DeadLetter, DeadLetterReceiver, SendToQuarantine } from './dead-letter-receiver';
import type { MessageMover, MoveResult, Unmovable } from './message-mover';
import { messagesPerCall, Pace, Quota } from './pace';
import {
  PassCounter,
  type PassCounts,
  type PassEnd,
  PassGuard,
  RESERVE_MS,
  type RemainingMessages,
} from './pass-progress';
import { MovedBefore, RemainingDeadLetters } from './remaining-messages';

/** Attempts to move a message within a pass while the destination rejects it for a transient reason. */
const MAX_ATTEMPTS = 5;

/** One worker receives, sends and deletes this many messages a second with calls of ten, even if SQS is slow. */
const MESSAGES_PER_SECOND_PER_WORKER = 25;

const MAX_WORKERS = 20;

/** The shortest long poll: it asks all servers of SQS. A short poll asks only some, and can miss messages. */
const POLL_SECONDS = 1;

/** The reason why a pass leaves messages that were sent later than `MovePassOrder.sentUntilMs`. */
export const SENT_AFTER_RUN_BEGAN = 'was sent after the run began';

const BEHIND_REMAINING = 'waits behind a message of its group that remains';

export interface MovePassPorts {
  readonly deadLetters: DeadLetterReceiver;
  /** @default - a message that cannot be moved remains in the dead-letter queue */
  readonly quarantine?: SendToQuarantine;
  readonly nowMs: NowMs;
  readonly wait: Wait;
  /**
   * Receives what the pass has done since the last call: about every second, and before the pass resolves. A caller that may die at
   * any time stores it at once.
   */
  readonly onCounted: (added: PassCounts) => void;
  /** Messages that earlier passes have sent, or tried to send. No pass sends them again, and each adds its own. @default - none */
  readonly movedBefore?: MovedBefore;
}

export interface MovePassOrder {
  readonly messagesPerSecond: number;
  /** The pass moves at most this many messages. */
  readonly messages: number;
  /** Messages that were sent later, in milliseconds since 1970, remain in the queue. */
  readonly sentUntilMs: number;
  /** Time until the pass must have ended. */
  readonly remainingMs: () => number;
  /**
   * Checks whether the pass may continue.
   * @returns why it must stop; undefined if it may continue
   */
  readonly check: (counts: PassCounts) => Promise<string | undefined>;
  /** How often to check. @default 30 s */
  readonly checkEveryMs?: number;
  /** The pass ends when this many messages remain in the queue: they stay hidden until then. @default 5,000 */
  readonly maxRemaining?: number;
}

export interface MovePassResult extends PassEnd, Pick<PassCounts, 'moved'>, Partial<Omit<PassCounts, 'moved'>> {
  /** The messages that remain in the dead-letter queue. @default - none */
  readonly left?: readonly RemainingMessages[];
}

/**
 * Runs a pass, and resolves when it has ended. An error of AWS is a result.
 * @throws any other error, because it is a bug
 */
export function runMovePass(
  messageMover: MessageMover,
  ports: MovePassPorts,
  order: MovePassOrder,
): Promise<MovePassResult> {
  return new MovePass(messageMover, ports, order).run();
}

/**
 * Moves messages one by one: receives a message, lets a `MessageMover` send it, and then deletes it. If the function dies in
 * between, a message may be sent twice, but none is lost.
 *
 * A message that was sent after the run began remains in the queue: it is new, or it has returned. So a run moves each message
 * at most once.
 */
class MovePass {
  private readonly quota: Quota;
  private readonly pace: Pace;
  private readonly guard: PassGuard;
  private readonly counts: PassCounter;
  private readonly perCall: number;
  private readonly remaining: RemainingDeadLetters;
  private bug: { readonly error: unknown } | undefined;
  /** How many calls in a row left it unknown whether the destination has the messages. */
  private unsureCalls = 0;

  constructor(
    private readonly messageMover: MessageMover,
    private readonly ports: MovePassPorts,
    private readonly order: MovePassOrder,
  ) {
    const { deadLetters, nowMs, wait, onCounted, movedBefore = new MovedBefore() } = ports;
    const { messagesPerSecond, messages, check, remainingMs, checkEveryMs, maxRemaining } = order;
    this.counts = new PassCounter(nowMs, onCounted);
    this.guard = new PassGuard({
      nowMs,
      remainingMs,
      reserveMs: RESERVE_MS + (messageMover.callMs ?? 0),
      check: () => check(this.counts.totals),
      ...(checkEveryMs !== undefined && { checkEveryMs }),
    });
    this.remaining = new RemainingDeadLetters({
      deadLetters,
      counts: this.counts,
      guard: this.guard,
      movedBefore,
      remainingMs,
      ...(maxRemaining !== undefined && { maxRemaining }),
    });
    this.quota = new Quota(messages);
    this.pace = new Pace(messagesPerSecond, nowMs, wait);
    this.perCall = messagesPerCall(messagesPerSecond);
  }

  async run(): Promise<MovePassResult> {
    await Promise.all(Array.from({ length: this.workers }, () => this.endOnError(() => this.moveAll())));
    const ending = this.guard.ending ?? this.completed();
    await this.endOnError(() => this.remaining.showAll());
    if (ending.status === 'PAUSED') await this.pace.idle();
    this.counts.report();
    if (this.bug) throw this.bug.error;
    const { left, totals } = this.counts;
    const { moved, quarantined, returned } = totals;
    return {
      ...ending,
      moved,
      ...(quarantined > 0 && { quarantined }),
      ...(returned > 0 && { returned }),
      ...(left.length > 0 && { left }),
    };
  }

  private get workers(): number {
    const { messagesPerSecond } = this.order;
    const each = this.messageMover.callMs === undefined ? MESSAGES_PER_SECOND_PER_WORKER : this.perCall;
    return Math.min(MAX_WORKERS, Math.ceil(messagesPerSecond / each));
  }

  private completed(): PassEnd {
    const reason = this.quota.isSpent ? 'it has moved as many messages as it should' : 'no message is visible any more';
    return { status: 'COMPLETED', reason };
  }

  /** Receives and moves until no message is visible, the quota is spent, or the pass ends. */
  private async moveAll(): Promise<void> {
    while (await this.guard.mayContinue()) if ((await this.receiveAndMove()) === 0) return;
  }

  private async receiveAndMove(): Promise<number> {
    const wanted = this.quota.take(this.perCall);
    if (wanted === 0) return 0;
    const deadLetters = await this.ports.deadLetters.receive(wanted, POLL_SECONDS);
    this.quota.giveBack(wanted - deadLetters.length);
    await this.sortAndMove(deadLetters);
    return deadLetters.length;
  }

  /** An error ends the pass. An error that AWS has no part in is a bug, and is thrown in the end. */
  private async endOnError(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      const failure = awsFailureOf(error, 'SQS');
      this.guard.end({ status: isTransient(error) ? 'PAUSED' : 'FAILED', reason: failure?.reason ?? String(error) });
      if (!failure) this.bug ??= { error };
    }
  }

  /** Moves the messages that may be moved. Deletes, quarantines or hides the others. */
  private async sortAndMove(deadLetters: readonly DeadLetter[]): Promise<void> {
    const moved = deadLetters.filter(deadLetter => this.remaining.isMoved(deadLetter));
    await this.remaining.remove(moved);
    const tried = deadLetters.filter(deadLetter => this.remaining.isTried(deadLetter));
    await this.remaining.hideTriedAgain(tried);
    this.quota.giveBack(moved.length + tried.length);
    const blockedGroups = new Set(tried.flatMap(({ groupId }) => groupId ?? []));
    const movable: DeadLetter[] = [];
    const remaining = new Map<string, DeadLetter[]>();
    const leave = (deadLetter: DeadLetter, reason: string) =>
      remaining.set(reason, [...(remaining.get(reason) ?? []), deadLetter]);
    for (const deadLetter of deadLetters) {
      if (moved.includes(deadLetter) || tried.includes(deadLetter)) continue;
      const { groupId } = deadLetter;
      const inspected = this.messageMover.inspect(deadLetter);
      if (inspected.kind === 'unfit') await this.quarantine(deadLetter, inspected);
      else if (inspected.kind === 'left') leave(deadLetter, inspected.reason);
      else if (this.isSentAfterRunBegan(deadLetter)) leave(deadLetter, SENT_AFTER_RUN_BEGAN);
      else if (groupId !== undefined && blockedGroups.has(groupId)) leave(deadLetter, BEHIND_REMAINING);
      else movable.push(deadLetter);
    }
    for (const [reason, those] of remaining) await this.leave(those, reason);
    await Promise.all(this.messageMover.batchesInOrder(movable).map(batches => this.moveInOrder(batches)));
  }

  private isSentAfterRunBegan({ sentAtMs }: DeadLetter): boolean {
    return sentAtMs > this.order.sentUntilMs;
  }

  private async moveInOrder(batches: readonly (readonly DeadLetter[])[]): Promise<void> {
    for (const [index, batch] of batches.entries()) {
      if (await this.moveBatch(batch)) continue;
      const behind = batches.slice(index + 1).flat();
      await this.leave(behind, BEHIND_REMAINING);
      return;
    }
  }

  /** Returns false if a message of the batch remains in the queue. */
  private async moveBatch(batch: readonly DeadLetter[]): Promise<boolean> {
    let toMove = batch;
    let isAllGone = true;
    const unsure = new Map<DeadLetter, string>();
    for (let attempt = 1; toMove.length > 0; attempt += 1) {
      const results = await this.attempt(toMove);
      if (!results) {
        await this.stop(toMove, unsure);
        return false;
      }
      this.slowDownIfUnsure(results);
      const moved = results.flatMap(([deadLetter, { kind }]) => (kind === 'moved' ? [deadLetter] : []));
      this.counts.count('moved', moved.length);
      await this.remaining.remove(moved);
      const again: DeadLetter[] = [];
      const ends = results.map(([deadLetter, result]) => [deadLetter, endOf(result, unsure.get(deadLetter))] as const);
      this.noteUnsure(ends);
      for (const [deadLetter, result] of ends) {
        if (result.kind === 'again') {
          again.push(deadLetter);
          if (result.isUnsure) unsure.set(deadLetter, result.reason);
          this.backOff(attempt, result.reason);
        } else {
          isAllGone = (await this.settle(deadLetter, result)) && isAllGone;
        }
      }
      toMove = again;
    }
    return isAllGone;
  }

  /** Gives back messages that are not sent any more, except those that the destination may have. */
  private async stop(batch: readonly DeadLetter[], unsure: ReadonlyMap<DeadLetter, string>): Promise<void> {
    const certain = batch.filter(deadLetter => !unsure.has(deadLetter));
    this.quota.giveBack(certain.length);
    this.remaining.showAtEnd(certain);
    const ends = batch.flatMap(deadLetter => {
      const reason = unsure.get(deadLetter);
      return reason === undefined ? [] : [[deadLetter, { kind: 'unknown', reason }] as const];
    });
    this.noteUnsure(ends);
    for (const [deadLetter, end] of ends) await this.settle(deadLetter, end);
  }

  /** Counts messages that may have moved as moved: they use up the quota. All of a call are noted before a later call can fail. */
  private noteUnsure(ends: readonly (readonly [DeadLetter, MoveResult])[]): void {
    for (const [deadLetter, end] of ends) {
      if (end.kind !== 'unknown') continue;
      this.counts.count('moved');
      this.remaining.noteUnsure(deadLetter, end.reason);
    }
  }

  /** Without this, a pass would send every message of the queue once to a destination that answers none. */
  private slowDownIfUnsure(results: readonly (readonly [DeadLetter, MoveResult])[]): void {
    const unsure = results.flatMap(([, result]) => (result.kind === 'unknown' ? [result.reason] : []));
    this.unsureCalls = unsure.length === results.length ? this.unsureCalls + 1 : 0;
    if (this.unsureCalls > 0) this.backOff(this.unsureCalls, unsure[0] ?? '');
  }

  private backOff(attempt: number, reason: string): void {
    if (attempt >= MAX_ATTEMPTS) this.guard.end({ status: 'PAUSED', reason });
    else this.pace.pause(backoffMs(attempt));
  }

  /** Waits for its turn and makes one call. Resolves with undefined if the pass ends before. */
  private async attempt(
    batch: readonly DeadLetter[],
  ): Promise<readonly (readonly [DeadLetter, MoveResult])[] | undefined> {
    if (await this.guard.mayContinue()) {
      const answered = await this.pace.turn(batch.length);
      const results = this.guard.hasTime() ? await this.messageMover.move(batch).finally(answered) : undefined;
      if (results && !('kind' in results)) {
        const missing: MoveResult = { kind: 'unknown', reason: 'no result came back' };
        return batch.map((deadLetter, index) => [deadLetter, results[index] ?? missing]);
      }
      if (results) this.guard.end({ status: 'FAILED', reason: results.reason });
      else answered();
    }
    return undefined;
  }

  /** Returns false if the message remains in the queue. */
  private async settle(deadLetter: DeadLetter, result: Exclude<MoveResult, { kind: 'again' }>): Promise<boolean> {
    switch (result.kind) {
      case 'moved':
        return true;
      case 'unfit':
        return this.quarantine(deadLetter, result);
      case 'unknown':
        await this.remaining.hideTriedAgain([deadLetter]);
        return false;
      case 'failed':
        // The function has run, so the message counts as moved and uses up the quota.
        this.counts.count('moved');
        this.counts.count('returned');
        return this.keepFailed(deadLetter, result.reason);
      case 'left':
        await this.leave([deadLetter], result.reason);
        return false;
    }
  }

  /** Keeps a message on which the function failed. Returns false if it remains in the queue. */
  private async keepFailed(deadLetter: DeadLetter, reason: string): Promise<boolean> {
    const remainsBecause = await this.sendToQuarantine(deadLetter, { cause: 'came-back', reason });
    if (remainsBecause !== undefined) await this.remaining.hideFailed(deadLetter, remainsBecause);
    return remainsBecause === undefined;
  }

  /** Returns false if the message remains in the queue. */
  private async quarantine(deadLetter: DeadLetter, unmovable: Unmovable): Promise<boolean> {
    const remainsBecause = await this.sendToQuarantine(deadLetter, unmovable);
    if (remainsBecause !== undefined) await this.leave([deadLetter], remainsBecause);
    else this.quota.giveBack(1);
    return remainsBecause === undefined;
  }

  /** Sends a message to the quarantine, and deletes it. Returns why it remains in the queue; undefined if it does not. */
  private async sendToQuarantine(
    deadLetter: DeadLetter,
    { cause, reason }: Omit<Unmovable, 'kind'>,
  ): Promise<string | undefined> {
    const { quarantine } = this.ports;
    if (!quarantine) return reason;
    try {
      await quarantine(deadLetter, cause, reason);
    } catch (error) {
      const says = isCertainlyRefused(error) ? 'did not take it' : 'may have it too';
      const failure = awsFailureOf(error, `the quarantine queue ${says}`);
      if (!failure) throw error;
      return failure.reason;
    }
    this.counts.count('quarantined');
    await this.remaining.remove([deadLetter]);
    return undefined;
  }

  /** Leaves messages in the queue. Others may be moved instead. */
  private async leave(deadLetters: readonly DeadLetter[], reason: string): Promise<void> {
    this.quota.giveBack(deadLetters.length);
    await this.remaining.hide(deadLetters, reason);
  }
}

/** @param unsureBecause why an earlier call of the pass left it unknown whether the message moved */
function endOf(result: MoveResult, unsureBecause: string | undefined): MoveResult {
  const isOpen = result.kind === 'moved' || result.kind === 'again';
  return isOpen || unsureBecause === undefined ? result : { kind: 'unknown', reason: unsureBecause };
}
