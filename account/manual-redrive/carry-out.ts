import { SQSClient } from '@aws-sdk/client-sqs';
import type { ManualRedrivePlan } from '../../diagnosis/manual-redrive/manual-redrive-plan';
import type { Canary } from '../../diagnosis/manual-redrive/planned-moves';
import type { Depths, ManualRedriveVerdict } from '../../diagnosis/manual-redrive/verdict';
import type { NowMs, Wait } from '../../mover/aws/clock';
import { totalOf } from '../../policy/redrive/budget';
import type { Connection } from '../connection/connection';
import { OneAttemptSqs } from '../connection/one-attempt';
import { messageOf } from '../errors';
import type { ProgressListener } from '../ports';
import type { MoveStep, MoveStepEnd, MoveStepPorts, StayingMessages } from './manual-step';
import { moveByTask } from './move-by-task';
import { MessagesMover } from './move-messages';
import type { RedriveInput } from './read-and-plan';
import { type DepthReader, depthReader, judged } from './watch-queues';

type ManualRedriveOutcomeKind =
  /** All messages that should move have moved. */
  | 'moved'
  /** Some of them stay, each for its own reason. */
  | 'partly'
  /** Messages returned to the dead-letter queue, of the canary or of the rest. */
  | 'returned'
  /** The canary was not consumed. */
  | 'not-consumed'
  | 'interrupted'
  | 'failed'
  /** The task of SQS continues, but its state can no longer be read. */
  | 'unseen';

/** Messages in flight that no caller knows. */
interface HiddenMessages {
  /** At most so many: others may have arrived, or be in flight elsewhere. */
  readonly atMost: number;
  /** When SQS shows the last of them again. */
  readonly untilMs: number;
}

export interface ManualRedriveOutcome {
  readonly kind: ManualRedriveOutcomeKind;
  /** Messages that certainly moved. */
  readonly moved: number;
  /** Messages sent without a response: the destination may have them, and they are still in the dead-letter queue. */
  readonly unsure: number;
  /** Messages that moved but are still in the dead-letter queue, because SQS has not deleted them. */
  readonly undeleted: number;
  /** What became of the messages of the last step. @default - the last step was not watched */
  readonly verdict?: ManualRedriveVerdict;
  /** Messages in the dead-letter queue now. @default - the queue could not be read */
  readonly inQueue?: number;
  /** Messages that SQS hid when it returned them in answers that were lost. @default - none */
  readonly hidden?: HiddenMessages;
  readonly left: readonly StayingMessages[];
  /** Why the redrive ended, in words. */
  readonly reason: string;
}

export type ManualRedriveEvent =
  | { readonly kind: 'canary-starts'; readonly canary: Canary }
  | {
      readonly kind: 'canary-passed';
      readonly verdict: Extract<ManualRedriveVerdict, { kind: 'succeeded' | 'unknown' }>;
    }
  | { readonly kind: 'rest-starts'; readonly messagesPerSecond: number }
  | { readonly kind: 'watch-starts'; readonly moved: number; readonly watchMs: number }
  | { readonly kind: 'read-failed'; readonly reason: string };

/** What a redrive needs besides AWS. */
export interface ManualRedrivePorts {
  readonly nowMs: NowMs;
  readonly wait: Wait;
  readonly isInterrupted: () => boolean;
  /** How long a receive waits while the queue has no visible message, in seconds. */
  readonly pollSeconds: number;
  readonly report: (event: ManualRedriveEvent) => void;
  readonly warn: (text: string) => void;
  /**
   * Begins to show how many messages a step has moved.
   * @param total how many it will move. @default - unknown
   */
  readonly showProgress: (total?: number) => ProgressListener & { clear(): void };
}

type Move = (step: MoveStep) => Promise<MoveStepEnd>;

/** The outcome of the redrive when a step ends this way. */
const FAILED_STEPS: Readonly<Partial<Record<MoveStepEnd['ending'], ManualRedriveOutcomeKind>>> = {
  interrupted: 'interrupted',
  failed: 'failed',
  unseen: 'unseen',
};

const STOPPED = 'stopped after the canary';

/** Runs one redrive: the canary, a watch on it, the rest, and a watch on the rest. */
class ManualRedriveRun {
  private moved = 0;
  /** From the last step. */
  private rest: Pick<ManualRedriveOutcome, 'left' | 'unsure' | 'undeleted'> = { left: [], unsure: 0, undeleted: 0 };
  private lostUntilMs: number | undefined;
  private verdict: ManualRedriveVerdict | undefined;
  private readonly move: Move;
  private progress: ProgressListener = { at: () => {} };

  constructor(
    private readonly ports: ManualRedrivePorts,
    private readonly plan: ManualRedrivePlan,
    private readonly read: DepthReader,
    private readonly before: Depths,
    mover: (ports: MoveStepPorts) => Move,
  ) {
    const { nowMs, wait, isInterrupted } = ports;
    this.move = mover({ nowMs, wait, isInterrupted, progress: moved => this.progress.at(moved) });
  }

  /** Once a message has moved, an error becomes an outcome, so that the caller learns what moved. */
  async run(): Promise<ManualRedriveOutcome> {
    const { canary } = this.plan;
    try {
      return (canary && (await this.moveCanary(canary))) ?? (await this.moveRest());
    } catch (error) {
      if (this.moved + this.rest.unsure === 0) throw error;
      return this.outcome('failed', messageOf(error));
    }
  }

  /** @returns undefined when the other messages may follow */
  private async moveCanary(canary: Canary): Promise<ManualRedriveOutcome | undefined> {
    this.ports.report({ kind: 'canary-starts', canary });
    const end = await this.runStep(canary, canary.messages);
    const failed = FAILED_STEPS[end.ending];
    if (failed) return this.outcome(failed, end.reason);
    await this.judge();
    const { verdict } = this;
    if (!verdict) return this.outcome('interrupted', 'interrupted while the canary was watched');
    if (verdict.kind === 'returned') return this.outcome(verdict.kind, STOPPED);
    if (end.ending === 'empty' || (await this.inQueue()) === 0) return this.outcome('moved', 'no message is left');
    if (verdict.kind === 'not-consumed') return this.outcome(verdict.kind, STOPPED);
    this.ports.report({ kind: 'canary-passed', verdict });
    return undefined;
  }

  private async moveRest(): Promise<ManualRedriveOutcome> {
    const { messagesPerSecond, deadLetters } = this.plan;
    this.ports.report({ kind: 'rest-starts', messagesPerSecond });
    const seen = Math.max(totalOf(deadLetters.depth) - this.moved, 0);
    // Moving more than the queue held would move returned messages again, without end.
    const end = await this.runStep({ messagesPerSecond, messages: seen + 1 }, seen);
    const failed = FAILED_STEPS[end.ending];
    if (failed) return this.outcome(failed, end.reason);
    await this.judge();
    if (this.verdict?.kind === 'returned') return this.outcome('returned', 'finished');
    return this.outcome('moved', end.reason);
  }

  private async runStep(step: MoveStep, total: number): Promise<MoveStepEnd> {
    const { filter, selection } = this.plan;
    const isTotalKnown = filter === undefined && !selection && total > 0;
    const progress = this.ports.showProgress(isTotalKnown ? total : undefined);
    this.progress = progress;
    try {
      const end = await this.move(step);
      this.moved += end.moved;
      const { left = [], unsure = 0, undeleted = 0 } = end;
      this.lostUntilMs = end.lostUntilMs;
      this.rest = { left, unsure, undeleted };
      return end;
    } finally {
      progress.clear();
    }
  }

  private async judge(): Promise<void> {
    this.verdict = undefined;
    if (this.moved === 0) {
      this.verdict = { kind: 'succeeded' };
      return;
    }
    this.ports.report({ kind: 'watch-starts', moved: this.moved, watchMs: this.plan.watchMs });
    // An undeleted message is still in the dead-letter queue. It has not returned to it.
    const gone = this.moved - this.rest.undeleted;
    try {
      this.verdict = await judged(this.plan, this.read, this.before, gone, this.ports);
    } catch (error) {
      throw new Error(`could not watch for returning messages: ${messageOf(error)}`, { cause: error });
    }
  }

  private async outcome(kind: ManualRedriveOutcomeKind, reason: string): Promise<ManualRedriveOutcome> {
    const { moved, verdict, rest } = this;
    const inQueue = await this.inQueue();
    const hidden = this.hiddenOf(inQueue);
    const isPartly = kind === 'moved' && (hidden !== undefined || rest.left.some(({ isMeant }) => isMeant));
    return {
      kind: isPartly ? 'partly' : kind,
      moved,
      ...rest,
      reason,
      ...(verdict && { verdict }),
      ...(inQueue !== undefined && { inQueue }),
      ...(hidden && { hidden }),
    };
  }

  /** SQS counts messages of lost answers in the queue, but they are not among those that are known to stay. */
  private hiddenOf(inQueue = totalOf(this.plan.deadLetters.depth) - this.moved): HiddenMessages | undefined {
    const staying = this.rest.left.reduce((sum, { messages }) => sum + messages, 0);
    if (this.lostUntilMs === undefined || inQueue <= staying) return undefined;
    return { atMost: inQueue - staying, untilMs: this.lostUntilMs };
  }

  /** An error here must not hide how many messages moved. */
  private async inQueue(): Promise<number | undefined> {
    try {
      return await this.read.deadLetters();
    } catch (error) {
      this.ports.report({ kind: 'read-failed', reason: messageOf(error) });
      return undefined;
    }
  }
}

/**
 * Moves messages as planned: the canary, a watch on what becomes of it, and the rest. An interrupt ends the current step and
 * returns how far it came.
 *
 * @throws Error with which AWS refused a call, when no message has moved
 */
export async function runManualRedrive(
  aws: Connection,
  plan: ManualRedrivePlan,
  { matches }: Pick<RedriveInput, 'matches'>,
  ports: ManualRedrivePorts,
): Promise<ManualRedriveOutcome> {
  const { deadLetters, destination, carrier } = plan;
  const sqs = aws.client(SQSClient);
  const read = await depthReader(aws, sqs, plan, ports);
  const before = await read.all();
  const mover = (stepPorts: MoveStepPorts): Move => {
    if (carrier === 'task') {
      const route = { sourceArn: deadLetters.arn, destinationArn: destination.arn };
      const clients = { sqs, once: aws.client(OneAttemptSqs) };
      return step => moveByTask(clients, route, step, { ...stepPorts, remaining: read.deadLetters });
    }
    const messages = new MessagesMover(aws, plan, matches, ports.pollSeconds, stepPorts);
    return step => messages.move(step);
  };
  return new ManualRedriveRun(ports, plan, read, before, mover).run();
}
