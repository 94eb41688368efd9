import { errorOf } from '../lambda/shared/log';
import { awsFailureOf, backoffMs, isTransient } from './aws-calls';
import type { NowMs, Wait } from './clock';
import type { DeadLetter, DeadLetterReceiver, SendToQuarantine } from './dead-letter-receiver';
import type { MessageMover, MoveResult, Unmovable } from './message-mover';
import type { StepOrder, StepResult, WriteMetrics } from './move-step';
import { messagesACall, Pace, Quota } from './pace';
import { PassCounts, type PassEnd, PassGuard, RESERVE_MS } from './pass-progress';
import { MovedBefore, RemainingDeadLetters } from './remaining-messages';

/** Our choice: how often a letter is tried within a stint that the destination does not take just now. */
const MAX_ATTEMPTS = 5;

/** Messages a second one worker can do with calls of ten, slow as SQS may be: a receive, a send and a delete. */
const MESSAGES_PER_SECOND_PER_WORKER = 25;

const MAX_WORKERS = 20;

/** As short as a long poll can be: it asks all servers of SQS, where a short poll misses letters there are. */
const POLL_SECONDS = 1;

/** How long one look for what comes back waits for it. */
const RETURNS_POLL_SECONDS = 5;

/** What is said of letters that came back, or are new. */
export const SENT_AFTER_RUN_BEGAN = 'was sent after the run began';

const BEHIND_REMAINING = 'is behind one of its group that stays';

/** What a stint needs of the world. */
export interface MovePassPorts {
  readonly deadLetters: DeadLetterReceiver;
  /** @default - what can go nowhere stays among the dead letters */
  readonly quarantine?: SendToQuarantine;
  readonly nowMs: NowMs;
  readonly wait: Wait;
  readonly tell: WriteMetrics;
  /** What stints before it left among the dead letters, and it does. @default - it knows of none before it */
  readonly carried?: MovedBefore;
}

/**
 * One step of a run, by the function itself: it receives letters, has a courier carry them, and deletes what the destination
 * has. Only then, so wherever it breaks off a letter may be carried twice, and none is lost.
 *
 * Letters that were sent after the run began stay where they are: they came back, or are new. So each letter is moved once in
 * a run. What stays is hidden until the end, so that it is not received again and again, and then given back.
 */
class MovePass {
  private readonly quota: Quota;
  private readonly pace: Pace;
  private readonly guard: PassGuard;
  private readonly tally: PassCounts;
  private readonly size: number;
  private readonly remainingMessages: RemainingDeadLetters;
  private lastMovedAtMs = Number.NEGATIVE_INFINITY;
  private broke: { readonly error: unknown } | undefined;

  constructor(
    private readonly messageMover: MessageMover,
    private readonly ports: MovePassPorts,
    private readonly order: StepOrder,
  ) {
    const { nowMs, wait, tell, carried = new MovedBefore() } = ports;
    const { decision, facts, check, remainingMs, checkEveryMs, maxRemaining } = order;
    const { messagesPerSecond: rate, messages } = decision;
    this.tally = new PassCounts({ rate, toMove: facts.deadLetters?.visible ?? 0 }, nowMs, tell);
    this.guard = new PassGuard({
      nowMs,
      remainingMs,
      check: () => check(this.tally.soFar),
      ...(checkEveryMs !== undefined && { checkEveryMs: checkEveryMs }),
    });
    this.remainingMessages = new RemainingDeadLetters({
      deadLetters: ports.deadLetters,
      tally: this.tally,
      guard: this.guard,
      carried,
      remainingMs,
      ...(maxRemaining !== undefined && { mostLeft: maxRemaining }),
    });
    this.quota = new Quota(messages);
    this.pace = new Pace(rate, nowMs, wait);
    this.size = messagesACall(rate);
  }

  async run(): Promise<StepResult> {
    const workers = Math.min(
      MAX_WORKERS,
      Math.ceil(this.order.decision.messagesPerSecond / MESSAGES_PER_SECOND_PER_WORKER),
    );
    await Promise.all(Array.from({ length: workers }, () => this.safely(() => this.empty())));
    await this.safely(() => this.awaitReturns());
    const ending = this.guard.ending ?? this.itsOwnEnd();
    await this.safely(() => this.remainingMessages.giveBack());
    if (ending.status === 'PAUSED') await this.pace.quiet();
    this.tally.tellEnd(ending);
    if (this.broke) throw this.broke.error;
    const { moved, setAside, returned, left } = this.tally.totals;
    return {
      outcome: 'stint',
      ...ending,
      moved,
      ...(setAside > 0 && { quarantined: setAside }),
      ...(returned > 0 && { returned }),
      ...(this.tally.left > 0 && { left }),
    };
  }

  private itsOwnEnd(): PassEnd {
    const reason = this.quota.isSpent ? 'it has moved what it should' : 'no letter is visible any more';
    return { status: 'COMPLETED', reason };
  }

  /** Goes on until there is no letter, none may be moved, or the stint ends. */
  private async empty(): Promise<void> {
    while (await this.guard.mayContinue()) if ((await this.attendSome(POLL_SECONDS)) === 0) return;
  }

  /**
   * What the destination fails at again comes back to this very queue. Where that is empty, it is waited for as long as there
   * is time, so that it is known as what it is before the stint ends.
   */
  private async awaitReturns(): Promise<void> {
    const { returnsWithinMs } = this.messageMover;
    if (returnsWithinMs === undefined) return;
    const isAwaited = () => this.ports.nowMs() < this.lastMovedAtMs + returnsWithinMs;
    const hasTime = () => this.order.remainingMs() > RESERVE_MS + RETURNS_POLL_SECONDS * 1_000;
    while (isAwaited() && hasTime() && !this.quota.isSpent && (await this.guard.mayContinue())) {
      await this.attendSome(RETURNS_POLL_SECONDS);
    }
  }

  /** Receives letters of one call and does with them what is to be done. Answers how many there were. */
  private async attendSome(waitSeconds: number): Promise<number> {
    const wanted = this.quota.take(this.size);
    if (wanted === 0) return 0;
    const deadLetters = await this.ports.deadLetters.receive(wanted, waitSeconds);
    this.quota.giveBack(wanted - deadLetters.length);
    await this.attend(deadLetters);
    return deadLetters.length;
  }

  /** What breaks ends the stint. */
  private async safely(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      const { name, message } = errorOf(error);
      const reason = awsFailureOf(error, 'SQS')?.reason ?? `${name}: ${message}`;
      this.guard.end({ status: isTransient(error) ? 'PAUSED' : 'FAILED', reason });
      if (!awsFailureOf(error, 'SQS')) this.broke ??= { error };
    }
  }

  private async attend(deadLetters: readonly DeadLetter[]): Promise<void> {
    const fit: DeadLetter[] = [];
    const staying = new Map<string, DeadLetter[]>();
    const stay = (deadLetter: DeadLetter, reason: string) =>
      staying.set(reason, [...(staying.get(reason) ?? []), deadLetter]);
    const known = deadLetters.filter(deadLetter => this.remainingMessages.isDone(deadLetter));
    await this.remainingMessages.remove(known);
    const unsure = deadLetters.filter(deadLetter => this.remainingMessages.isUnsure(deadLetter));
    await this.remainingMessages.hideUnsureAgain(unsure);
    this.quota.giveBack(known.length + unsure.length);
    const shut = new Set(unsure.flatMap(({ groupId }) => groupId ?? []));
    for (const deadLetter of deadLetters) {
      if (known.includes(deadLetter) || unsure.includes(deadLetter)) continue;
      const screened = this.messageMover.inspect(deadLetter);
      if (screened.kind === 'unfit') await this.setAside(deadLetter, screened);
      else if (screened.kind === 'left') stay(deadLetter, screened.reason);
      else if (this.isOfThisRun(deadLetter)) stay(deadLetter, SENT_AFTER_RUN_BEGAN);
      else if (deadLetter.groupId !== undefined && shut.has(deadLetter.groupId)) stay(deadLetter, BEHIND_REMAINING);
      else fit.push(deadLetter);
    }
    for (const [reason, those] of staying) await this.leave(those, reason);
    await Promise.all(this.messageMover.batchesInOrder(fit).map(lane => this.carryLane(lane)));
  }

  private isOfThisRun({ sentAtMs }: DeadLetter): boolean {
    return sentAtMs > this.order.runStartedAtMs;
  }

  private async carryLane(lane: readonly (readonly DeadLetter[])[]): Promise<void> {
    for (const [index, lot] of lane.entries()) {
      if (await this.carryLot(lot)) continue;
      const behind = lane.slice(index + 1).flat();
      await this.leave(behind, BEHIND_REMAINING);
      return;
    }
  }

  /** Whether nothing of it stays. */
  private async carryLot(lot: readonly DeadLetter[]): Promise<boolean> {
    let rest = lot;
    let isAllGone = true;
    for (let attempt = 1; rest.length > 0; attempt += 1) {
      const carried = await this.attempt(rest);
      if (!carried) return false;
      const moved = carried.flatMap(([deadLetter, { kind }]) => (kind === 'moved' ? [deadLetter] : []));
      if (moved.length > 0) this.lastMovedAtMs = this.ports.nowMs();
      this.tally.count('moved', moved.length);
      await this.remainingMessages.remove(moved);
      const again: DeadLetter[] = [];
      for (const [deadLetter, fate] of carried) {
        if (fate.kind === 'again') {
          again.push(deadLetter);
          this.rest(attempt, fate.reason);
        } else isAllGone = (await this.settle(deadLetter, fate)) && isAllGone;
      }
      rest = again;
    }
    return isAllGone;
  }

  /** The destination takes nothing just now. */
  private rest(attempt: number, reason: string): void {
    if (attempt >= MAX_ATTEMPTS) this.guard.end({ status: 'PAUSED', reason });
    else this.pace.rest(backoffMs(attempt));
  }

  /** One call, when its turn has come. Undefined where the stint has ended before: the letters are given back. */
  private async attempt(
    lot: readonly DeadLetter[],
  ): Promise<readonly (readonly [DeadLetter, MoveResult])[] | undefined> {
    if (await this.guard.mayContinue()) {
      const answered = await this.pace.turn(lot.length);
      const carried = this.guard.ending ? undefined : await this.messageMover.move(lot).finally(answered);
      if (carried && !('kind' in carried)) {
        return lot.map((deadLetter, index) => [
          deadLetter,
          carried[index] ?? { kind: 'unknown', reason: 'nobody said' },
        ]);
      }
      if (carried) this.guard.end({ status: 'FAILED', reason: carried.reason });
      else answered();
    }
    this.quota.giveBack(lot.length);
    this.remainingMessages.hold(lot);
    return undefined;
  }

  /** Whether the letter is gone, or will be. */
  private async settle(deadLetter: DeadLetter, fate: Exclude<MoveResult, { kind: 'again' }>): Promise<boolean> {
    switch (fate.kind) {
      case 'moved':
        return true;
      case 'unfit':
        return this.setAside(deadLetter, fate);
      case 'unknown':
        // It may have moved, so it counts as moved, and nothing else takes its place.
        this.tally.count('moved');
        await this.remainingMessages.hideUnsure(deadLetter, fate.reason);
        return false;
      case 'left':
        await this.leave([deadLetter], fate.reason);
        return false;
    }
  }

  /** Whether the quarantine has it. */
  private async setAside(deadLetter: DeadLetter, { cause, reason }: Unmovable): Promise<boolean> {
    const { quarantine } = this.ports;
    if (!quarantine) {
      await this.leave([deadLetter], reason);
      return false;
    }
    try {
      await quarantine(deadLetter, cause, reason);
    } catch (error) {
      const refusal = awsFailureOf(error, 'the quarantine did not take it');
      if (!refusal) throw error;
      await this.leave([deadLetter], refusal.reason);
      return false;
    }
    this.quota.giveBack(1);
    this.tally.count('setAside');
    if (cause === 'came-back' && this.isOfThisRun(deadLetter)) this.tally.count('returned');
    await this.remainingMessages.remove([deadLetter]);
    return true;
  }

  /** They stay among the dead letters, and others may be moved in their place. */
  private async leave(deadLetters: readonly DeadLetter[], reason: string): Promise<void> {
    this.quota.giveBack(deadLetters.length);
    await this.remainingMessages.hide(deadLetters, reason);
  }
}

/** Moves the letters of one step, and answers what came of it when it has ended. */
export function runMovePass(messageMover: MessageMover, ports: MovePassPorts, order: StepOrder): Promise<StepResult> {
  return new MovePass(messageMover, ports, order).run();
}
