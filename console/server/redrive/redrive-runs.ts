import { randomUUID } from 'node:crypto';
import type { LeasePorts } from '../../../account/changes/queue-lease';
import type { Connection } from '../../../account/connection/connection';
import type { ServerClock } from '../../../account/connection/server-clock';
import { BadInput } from '../../../account/errors';
import type { ManualRedriveEvent, ManualRedrivePorts } from '../../../account/manual-redrive/carry-out';
import { checkSame, executePlan } from '../../../account/manual-redrive/execute-plan';
import { eventText } from '../../../account/manual-redrive/manual-redrive-words';
import { planRedriveOf } from '../../../account/manual-redrive/read-and-plan';
import { redriveInputOf, typedRedrive } from '../../../account/manual-redrive/redrive-terms';
import { Redaction } from '../../../account/redaction/redaction';
import type { ManualRedrivePlan } from '../../../diagnosis/manual-redrive/manual-redrive-plan';
import { totalOf } from '../../../policy/redrive/budget';
import type { ExecuteRequest, RunDocument } from '../../api/redrive';
import type { ConsoleOptions } from '../options';
import { problemOf } from '../problem';
import { outcomeDocument, planDocument } from './plan-document';

/** How far back messages are counted. SQS updates the count of a task every few seconds. */
const WINDOW_MS = 20_000;

/** How many messages a second were moved lately. */
export class MovingRate {
  private samples: { readonly atMs: number; readonly moved: number }[] = [];

  /** @param moved so far */
  add(atMs: number, moved: number): void {
    if (this.samples.at(-1)?.moved === moved) return;
    this.samples.push({ atMs, moved });
    // The first sample outside of the window is where the window begins.
    const first = this.samples.findIndex(it => it.atMs > atMs - WINDOW_MS);
    if (first > 1) this.samples.splice(0, first - 1);
  }

  /** Null while it is unknown, or nothing moves. */
  at(nowMs: number): number | null {
    const [first] = this.samples;
    const last = this.samples.at(-1);
    if (!first || !last || last.moved <= first.moved || nowMs <= first.atMs) return null;
    return (1_000 * (last.moved - first.moved)) / (nowMs - first.atMs);
  }
}

/** The oldest events are forgotten: a page can be open for days. */
const MOST_EVENTS = 100;

class RedriveRun {
  private steps: Pick<RunDocument, 'step' | 'watchUntilMs'> = { step: 'starting', watchUntilMs: null };
  private movedBefore = 0;
  private movedInStep = 0;
  private end: Pick<RunDocument, 'outcome' | 'problem'> = { outcome: null, problem: null };
  private readonly events: { readonly atMs: number; readonly says: string }[] = [];
  private readonly rate = new MovingRate();
  private readonly startedAtMs: number;
  stopping: RunDocument['stopping'] = null;

  constructor(
    readonly plan: ManualRedrivePlan,
    private readonly shown: RunDocument['plan'],
    private readonly request: ExecuteRequest,
    private readonly clock: ServerClock,
    private readonly began: () => void,
  ) {
    this.startedAtMs = clock.nowMs();
  }

  get isOver(): boolean {
    return this.steps.step === 'ended';
  }

  get document(): RunDocument {
    const { plan, request, shown, startedAtMs, stopping, events, steps, end } = this;
    const { plan: _, steal: __, ...terms } = request;
    const moved = end.outcome?.moved ?? this.movedBefore + this.movedInStep;
    const isCounted = plan.filter === undefined && !plan.selection;
    const total = isCounted ? totalOf(plan.deadLetters.depth) : null;
    const isMoving = steps.step === 'canary' || steps.step === 'rest';
    const rate = isMoving ? this.rate.at(this.clock.nowMs()) : null;
    return {
      plan: shown,
      request: terms,
      startedAtMs,
      ...steps,
      stopping,
      moved,
      total,
      isCountLate: plan.carrier === 'task' && !this.isOver,
      rate,
      secondsLeft: total !== null && rate ? Math.ceil(Math.max(0, total - moved) / rate) : null,
      events,
      ...end,
    };
  }

  /** What the redrive needs besides AWS. */
  get ports(): ManualRedrivePorts & LeasePorts {
    const { nowMs, wait, pollSeconds } = this.clock;
    return {
      nowMs,
      wait,
      pollSeconds,
      newId: randomUUID,
      isInterrupted: () => this.stopping !== null,
      report: event => this.report(event),
      warn: text => this.tell(text),
      showProgress: () => ({
        at: moved => {
          this.movedInStep = moved;
          this.rate.add(nowMs(), this.movedBefore + moved);
        },
        clear: () => {
          this.movedBefore += this.movedInStep;
          this.movedInStep = 0;
        },
      }),
    };
  }

  finish(end: Pick<RunDocument, 'outcome' | 'problem'>): void {
    this.end = end;
    this.steps = { step: 'ended', watchUntilMs: null };
  }

  private report(event: ManualRedriveEvent): void {
    this.began();
    this.tell(eventText(event));
    if (event.kind === 'canary-starts') this.steps = { step: 'canary', watchUntilMs: null };
    if (event.kind === 'rest-starts') this.steps = { step: 'rest', watchUntilMs: null };
    if (event.kind === 'watch-starts')
      this.steps = { step: 'watching', watchUntilMs: this.clock.nowMs() + event.watchMs };
  }

  private tell(says: string): void {
    this.events.push({ atMs: this.clock.nowMs(), says });
    if (this.events.length > MOST_EVENTS) this.events.shift();
  }
}

/** The redrives that this console runs: one of a queue at a time, for all its pages. */
export class RedriveRuns {
  private readonly runs = new Map<string, RedriveRun>();
  /** Queues whose redrive is being prepared. */
  private readonly preparing = new Set<string>();
  private readonly working = new Set<Promise<void>>();

  constructor(private readonly options: Pick<ConsoleOptions, 'source' | 'auditLogGroup' | 'redact'>) {}

  of(queueArn: string): RunDocument | null {
    return this.runs.get(queueArn)?.document ?? null;
  }

  isRunning(queueArn: string): boolean {
    return this.runs.get(queueArn)?.isOver === false;
  }

  /**
   * Plans again, and carries the plan out if nothing has changed.
   * @returns as soon as it moves messages
   */
  async start(request: ExecuteRequest): Promise<void> {
    const { source } = this.options;
    const { queue } = request;
    if (this.preparing.has(queue)) throw new Error(`another page has just started a redrive of ${queue}`);
    this.preparing.add(queue);
    let work: Promise<void> | undefined;
    try {
      await new Promise<void>((began, failed) => {
        work = source.alone('change', (aws, clock) => this.carryOut(aws, clock, request, began)).then(began, failed);
        this.working.add(work);
      });
    } finally {
      this.preparing.delete(queue);
      const done = work;
      if (done) void done.then(() => this.working.delete(done));
    }
  }

  stop(queueArn: string, how: 'pause' | 'cancel'): void {
    const run = this.runs.get(queueArn);
    if (!run || run.isOver) throw new BadInput(['this console runs no redrive of the queue: it may have ended']);
    run.stopping ??= how;
  }

  /** Ends all redrives as Ctrl-C does: received messages are given back, tasks are cancelled. */
  async close(): Promise<void> {
    for (const run of this.runs.values()) if (!run.isOver) run.stopping ??= 'cancel';
    await this.settled();
  }

  /** Waits until all redrives have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.working);
  }

  private async carryOut(
    aws: Connection,
    clock: ServerClock,
    request: ExecuteRequest,
    began: () => void,
  ): Promise<void> {
    const { source, auditLogGroup, redact = [] } = this.options;
    const input = redriveInputOf(request);
    const { plan, facts } = await planRedriveOf(aws, request.queue, input, { at: () => {} });
    const { arn, name } = facts.deadLetters;
    const other = this.runs.get(arn);
    if (other && !other.isOver) throw new Error(`another page has already started a redrive of ${name}`);
    checkSame(request.plan, plan);
    const typed = typedRedrive(name, request, { options: source.options, region: aws.region });
    const shown = planDocument(plan, typed, aws.unread.texts);
    const run = new RedriveRun(plan, shown, request, clock, began);
    this.runs.set(arn, run);
    const manner = { redaction: new Redaction(redact), steals: request.steal ?? false, auditLogGroup };
    try {
      const outcome = await executePlan(aws, plan, input, manner, run.ports);
      run.finish({ outcome: outcomeDocument(outcome, plan, typed), problem: null });
    } catch (error) {
      run.finish({ outcome: null, problem: problemOf(error) });
      throw error;
    }
  }
}
