import { SQSClient } from '@aws-sdk/client-sqs';
import type { DlqContext } from '../../bin/dlq/command';
import { interruptOf } from '../../bin/dlq/looking';
import type { RedriveInput } from '../../bin/dlq/redrive/options';
import { canaryText, type Outcome, type OutcomeKind, STOPPED } from '../../bin/dlq/redrive/outcome-text';
import { progressOn } from '../../bin/progress';
import { stepText } from '../../bin/redrive/text';
import type { Canary } from '../../diagnosis/manual-redrive/facts';
import type { ManualRedrivePlan } from '../../diagnosis/manual-redrive/plan';
import type { Depths, Verdict } from '../../diagnosis/manual-redrive/verdict';
import { formatDuration, messagesText } from '../../policy/format-text';
import { totalOf } from '../../policy/redrive/budget';
import type { Connection } from '../connection/connection';
import { OneAttemptSqs } from '../connection/one-attempt';
import { messageOf } from '../errors';
import { moveByTask } from './move-by-task';
import { MessagesMover } from './move-messages';
import type { MoveStep, MoveStepEnd, MoveStepPorts } from './move-step';
import { type DepthReader, depthReader, judged } from './watch';

type Move = (stage: MoveStep) => Promise<MoveStepEnd>;

/** What a stage that went wrong makes of the whole. */
const WENT_WRONG: Readonly<Partial<Record<MoveStepEnd['ending'], OutcomeKind>>> = {
  interrupted: 'interrupted',
  failed: 'failed',
  unseen: 'unseen',
};

/** One redrive by hand, from the canary to what came back of it. */
class Redrive {
  private moved = 0;
  /** As the last stage left it. */
  private rest: Pick<Outcome, 'left' | 'unsure' | 'undeleted'> = { left: [], unsure: 0, undeleted: 0 };
  private verdict: Verdict | undefined;
  private readonly ports: MoveStepPorts;
  private readonly move: Move;
  private tell: (moved: number) => void = () => {};

  constructor(
    private readonly world: DlqContext,
    private readonly plan: ManualRedrivePlan,
    private readonly read: DepthReader,
    private readonly before: Depths,
    mover: (ports: MoveStepPorts) => Move,
  ) {
    const interrupt = interruptOf(world.io);
    const { nowMs, wait } = world;
    this.ports = { nowMs, wait, isInterrupted: () => interrupt.isAsked, progress: moved => this.tell(moved) };
    this.move = mover(this.ports);
  }

  /** What fails after something was moved is an end, and no error any more. */
  async run(): Promise<Outcome> {
    const { canary } = this.plan;
    try {
      return (canary && (await this.sendAhead(canary))) ?? (await this.sendRest());
    } catch (error) {
      if (this.moved + this.rest.unsure === 0) throw error;
      return this.outcome('failed', messageOf(error));
    }
  }

  /** The canary, and what becomes of it. Undefined where the others may follow. */
  private async sendAhead(canary: Canary): Promise<Outcome | undefined> {
    this.say(`Canary: ${stepText(canary)}.`);
    const end = await this.stage(canary, canary.messages);
    const wrong = WENT_WRONG[end.ending];
    if (wrong) return this.outcome(wrong, end.reason);
    await this.judge();
    const { verdict } = this;
    if (!verdict) return this.outcome('interrupted', 'it was interrupted while the canary was watched');
    if (verdict.kind === 'came-back') return this.outcome(verdict.kind, STOPPED[verdict.kind]);
    if (end.ending === 'empty' || (await this.inQueue()) === 0) return this.outcome('moved', 'no letter is left');
    if (verdict.kind === 'untaken') return this.outcome(verdict.kind, STOPPED[verdict.kind]);
    this.say(canaryText(verdict));
    return undefined;
  }

  private async sendRest(): Promise<Outcome> {
    const { messagesPerSecond, deadLetters } = this.plan;
    this.say(`Now ${stepText({ messagesPerSecond })}.`);
    const seen = Math.max(totalOf(deadLetters.depth) - this.moved, 0);
    // What moves more than there were goes round with what comes back, and would never end.
    const end = await this.stage({ messagesPerSecond, messages: seen + 1 }, seen);
    const wrong = WENT_WRONG[end.ending];
    if (wrong) return this.outcome(wrong, end.reason);
    await this.judge();
    if (this.verdict?.kind === 'came-back') return this.outcome('came-back', 'it is over');
    return this.outcome('moved', end.reason);
  }

  /** Moves so many at once. */
  private async stage(stage: MoveStep, total: number): Promise<MoveStepEnd> {
    const { io, nowMs } = this.world;
    const what = this.plan.carrier === 'task' ? 'letters moved, as far as SQS tells' : 'letters moved';
    const isTotalKnown = this.plan.filter === undefined && total > 0;
    const progress = progressOn(io.stderr, { what, ...(isTotalKnown && { total }) }, nowMs);
    this.tell = moved => progress.at(moved);
    try {
      const end = await this.move(stage);
      this.moved += end.moved;
      const { left = [], unsure = 0, undeleted = 0 } = end;
      this.rest = { left, unsure, undeleted };
      return end;
    } finally {
      progress.clear();
    }
  }

  private async judge(): Promise<void> {
    this.verdict = undefined;
    if (this.moved === 0) {
      this.verdict = { kind: 'well' };
      return;
    }
    const atMost = formatDuration(this.plan.watchMs / 1_000);
    this.say(`${messagesText(this.moved)} moved. Watching for about ${atMost} what comes back; Ctrl-C ends it.`);
    // What was not deleted lies there still, and has not come back.
    const gone = this.moved - this.rest.undeleted;
    try {
      this.verdict = await judged(this.plan, this.read, this.before, gone, this.ports);
    } catch (error) {
      throw new Error(`what comes back could not be watched any more: ${messageOf(error)}`, { cause: error });
    }
  }

  private async outcome(kind: OutcomeKind, reason: string): Promise<Outcome> {
    const { moved, verdict, rest } = this;
    const inQueue = await this.inQueue();
    const isPartly = kind === 'moved' && rest.left.some(({ isMeant }) => isMeant);
    return {
      kind: isPartly ? 'partly' : kind,
      moved,
      ...rest,
      reason,
      ...(verdict && { verdict }),
      ...(inQueue !== undefined && { inQueue }),
    };
  }

  /** How many lie among the dead letters: what was moved is to be told whatever cannot be read any more. */
  private async inQueue(): Promise<number | undefined> {
    try {
      return await this.read.deadLetters();
    } catch (error) {
      this.say(messageOf(error));
      return undefined;
    }
  }

  private say(text: string): void {
    this.world.io.stderr.write(`${text}\n`);
  }
}

/**
 * Moves letters as planned: the canary, a look at what becomes of it, and the rest. From here on an interrupt ends what is
 * begun, and tells how far it came.
 *
 * @throws what AWS refuses, where nothing has been moved
 */
export async function carryOut(
  aws: Connection,
  world: DlqContext,
  plan: ManualRedrivePlan,
  { matches }: Pick<RedriveInput, 'matches'>,
): Promise<Outcome> {
  const { deadLetters, destination, carrier } = plan;
  const sqs = aws.client(SQSClient);
  const read = await depthReader(aws, sqs, plan, world);
  const before = await read.all();
  const mover = (ports: MoveStepPorts): Move => {
    if (carrier === 'task') {
      const route = { sourceArn: deadLetters.arn, destinationArn: destination.arn };
      const clients = { sqs, once: aws.client(OneAttemptSqs) };
      return stage => moveByTask(clients, route, stage, ports);
    }
    const messages = new MessagesMover(aws, plan, matches, world.pollSeconds ?? 1, ports);
    return stage => messages.move(stage);
  };
  return new Redrive(world, plan, read, before, mover).run();
}
