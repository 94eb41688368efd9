import { Random } from '../../../local/kernel/random';
import { planRedrive, settledAtMsOf } from '../../../policy/redrive/plan-redrive';
import type { RedrivePlan } from '../../../policy/redrive/redrive-decision';
import type { RedriveFacts, RedriveTrigger } from '../../../policy/redrive/redrive-facts';
import type { RedriveSettings, RedriveStep } from '../../../policy/redrive/redrive-settings';
import { SECOND_MS } from '../../../policy/time-units';
import { ADMIN, START_MS } from '../../local/sqs/sqs-fixture';
import { SETTINGS } from '../../policy/redrive/fixtures';
import { RedriveModel } from './model';

/** This many more messages if tasks are slow, so that a task takes longer than failed messages take to return. */
const SLOW_HAS_MORE = 300;

/** How SQS behaves, in one game after the other. */
const SQS_IS = ['exact', 'slow', 'exact', 'exact', 'late', 'exact', 'exact'] as const;

/** What may happen to ticks: all run, single ones are lost, or the function is sometimes down for a while. */
const REGIMES = ['every tick runs', 'single ticks are lost', 'the function is down at times'] as const;
export type Regime = (typeof REGIMES)[number];

/** Slow enough that failed messages return while the step continues. */
const SLOW: readonly RedriveStep[] = [{ messagesPerSecond: 1 }];

const PLANS: readonly (readonly RedriveStep[])[] = [
  [{ messagesPerSecond: 1, messages: 5 }, { messagesPerSecond: 10 }],
  [{ messagesPerSecond: 1, messages: 10 }, { messagesPerSecond: 3, messages: 60 }, { messagesPerSecond: 20 }],
  [
    { messagesPerSecond: 1, messages: 3 },
    { messagesPerSecond: 2, messages: 20 },
    { messagesPerSecond: 3, messages: 200 },
    { messagesPerSecond: 5 },
  ],
];

/** Conditions that last for a while. */
const LASTING = ['broken', 'hung', 'flapping', 'stopped', 'switchedOff', 'denied'] as const;

/** The probability of an additional invocation at a tick, by trigger. */
const TRIGGERED = { tick: 1 / 30, schedule: 1 / 10, operator: 1 / 30, recovery: 1 / 60 } as const;

/** Most games tick each minute, as deployed. A few tick so rarely that a day of the budget passes. */
const OFTEN = { tickMs: 60_000, length: 32 };
const SELDOM = { tickMs: 1_200_000, length: 110 };

/** The redrive counts as idle after this many ticks without a run. */
const RESTS_AFTER = 15;

/** The facts of a check, the decision, and its tick. */
export interface Look {
  readonly facts: RedriveFacts;
  readonly plan: RedrivePlan;
  /** The time of its event. */
  readonly tickAtMs: number;
}

/** One game: a model, a redrive that checks it each minute, and random faults. */
export class ModelGame {
  readonly world: RedriveModel;
  readonly settings: RedriveSettings;
  readonly regime: Regime;
  readonly looks: Look[] = [];
  /** The tasks that the redrive started, and when. */
  readonly begun: { readonly atMs: number; readonly step: number }[] = [];
  private readonly random: Random;
  private ticks = 0;
  private deafUntilTick = 0;
  private wasTickLost = false;
  private readonly lastsTicks: number;
  private readonly untilMs = { broken: 0, hung: 0, flapping: 0, stopped: 0, switchedOff: 0, denied: 0 };
  private readonly isAlarmBlind: boolean;

  constructor(seed: number) {
    this.random = new Random(`redrive model ${seed}`);
    const random = this.random;
    const topology = this.chance(1 / 3) ? 'lane' : 'source';
    const { tickMs, length } = this.chance(1 / 20) ? SELDOM : OFTEN;
    this.lastsTicks = length;
    this.world = new RedriveModel(topology, tickMs, SQS_IS[seed % SQS_IS.length]);
    this.regime = this.oneOf(REGIMES);
    this.isAlarmBlind = this.chance(1 / 3);
    const steps = this.chance(1 / 5) ? SLOW : this.oneOf(PLANS);
    const { world } = this;
    const destination = { url: world.destination, arn: world.arnOf(world.destination) };
    const failures = topology === 'lane' ? world.quarantine : world.dlq;
    this.settings = {
      ...SETTINGS,
      deadLetters: { url: world.dlq, arn: world.arnOf(world.dlq) },
      destination: { kind: 'queue', ...destination },
      failures: { url: failures, arn: world.arnOf(failures) },
      steps,
      tickMs,
      maxBacklog: this.chance(1 / 4) ? 30 : 2_000,
      healthyForMs: random.integer(0, 3) * tickMs,
      settleMs: random.integer(1, 4) * tickMs,
      restMs: random.integer(0, 60) * tickMs,
      proofOfHealth: this.chance(1 / 2),
      maxReturnedPercent: this.oneOf([0, 25, 50, 100]),
      runsPerDay: random.integer(1, Math.floor(10 / steps.length)),
      messagesPerDay: random.integer(135, 900),
    };
    for (const name of ['orders-failing', 'orders-late']) world.setAlarm(name, 'OK');
    world.deadLetterMessage(random.integer(0, 250) + (world.sqsIs === 'slow' ? SLOW_HAS_MORE : 0));
  }

  /** Plays a period in which anything may happen. */
  async play(): Promise<void> {
    for (let i = 0; i < this.lastsTicks; i += 1) {
      this.chaos();
      await this.pass(this.isTickLost(), TRIGGERED);
    }
  }

  /**
   * Ends all faults and triggers. Returns whether the redrive becomes idle. It must do so
   * within two runs, the current one and one by a recovery. Each may move all messages at the slowest rate.
   */
  async comesToRest(): Promise<boolean> {
    const { world, settings } = this;
    for (const what of LASTING) this.untilMs[what] = 0;
    world.isBroken = false;
    const { tickMs, steps, settleMs } = settings;
    const slowest = Math.min(...steps.map(({ messagesPerSecond }) => messagesPerSecond));
    const stepMs = (world.sent / slowest) * SECOND_MS + 3 * tickMs + settleMs + Math.max(10 * tickMs, 2 * settleMs);
    const most = 2 * steps.length * Math.ceil(stepMs / tickMs) + RESTS_AFTER;
    for (let quiet = 0, ticks = 0; ticks < most; ticks += 1) {
      this.heal();
      await this.pass(false, {});
      const state = this.looks.at(-1)?.plan.state;
      quiet = state === 'idle' || state === 'stopped' ? quiet + 1 : 0;
      if (quiet === RESTS_AFTER) return true;
    }
    return false;
  }

  private chance(probability: number): boolean {
    return this.random.fraction() < probability;
  }

  private oneOf<T>(values: readonly T[]): T {
    const value = values[this.random.integer(0, values.length - 1)];
    if (value === undefined) throw new Error('there is nothing to choose from');
    return value;
  }

  /** Advances to the next tick: runs the consumer, updates CloudWatch, and makes one or several checks. */
  private async pass(isLost: boolean, triggered: Partial<Record<RedriveTrigger, number>>): Promise<void> {
    const { world, ticks } = this;
    const { tickMs } = this.settings;
    const startMs = START_MS + ticks * tickMs;
    world.measure();
    for (const part of [0, 1, 2]) world.timeline.at(startMs + (part * tickMs) / 3, () => world.consume());
    if (!isLost) this.invoke('tick', startMs);
    for (const trigger of ['tick', 'schedule', 'operator', 'recovery'] as const) {
      if (ticks >= this.deafUntilTick && this.chance(triggered[trigger] ?? 0)) this.invoke(trigger, startMs);
    }
    this.ticks += 1;
    await world.timeline.advanceTo(startMs + tickMs);
  }

  /** Runs the function: it reads the facts, and acts a moment later. */
  private invoke(trigger: RedriveTrigger, tickAtMs: number): void {
    const { world, settings } = this;
    const atMs = tickAtMs + this.random.integer(0, 3 * SECOND_MS);
    const delayMs = this.random.integer(0, 3 * SECOND_MS);
    world.timeline.at(atMs, () => {
      const facts = world.facts(settings, trigger, moves => settledAtMsOf(settings, moves));
      const plan = planRedrive(settings, facts);
      this.looks.push({ facts, plan, tickAtMs });
      if (plan.state === 'moving') world.seeMoving();
      world.timeline.after(delayMs, () => this.act(plan));
    });
  }

  private act({ decision }: RedrivePlan): void {
    const { world, settings } = this;
    if (decision.kind === 'cancel') {
      world.attempt(() => world.sqs.call('CancelMessageMoveTask', ADMIN, { TaskHandle: decision.handle }));
    }
    if (decision.kind !== 'start') return;
    const isBegun = world.startMoving(settings.destination.arn, decision.messagesPerSecond);
    if (isBegun) this.begun.push({ atMs: world.nowMs, step: decision.step });
  }

  /** Whether the tick is lost, because the function ends before it acts. */
  private isTickLost(): boolean {
    if (this.regime === 'every tick runs') return false;
    if (this.regime === 'the function is down at times' && this.chance(1 / 40)) {
      this.deafUntilTick = this.ticks + this.random.integer(2, 25);
    }
    const isSingle = !this.wasTickLost && this.chance(1 / 5);
    this.wasTickLost = isSingle || this.ticks < this.deafUntilTick;
    return this.wasTickLost;
  }

  private chaos(): void {
    const { world, random, untilMs } = this;
    const lasting = (what: (typeof LASTING)[number], probability: number, mostTicks: number) => {
      if (this.chance(probability)) untilMs[what] = world.nowMs + random.integer(1, mostTicks) * this.settings.tickMs;
    };
    lasting('broken', 1 / 50, 40);
    lasting('hung', 1 / 60, 20);
    lasting('flapping', 1 / 60, 4);
    lasting('stopped', 1 / 80, 10);
    lasting('switchedOff', 1 / 80, 12);
    lasting('denied', 1 / 100, 4);
    if (this.chance(1 / 6)) world.arrive(random.integer(1, 30), 'good');
    if (this.chance(1 / 25)) world.arrive(random.integer(1, 15), 'poison');
    if (this.chance(1 / 40)) world.peek();
    if (this.chance(1 / 60)) this.moveByHand();
    if (this.chance(1 / 60)) this.cancelByHand();
    world.isBroken = world.nowMs < untilMs.broken;
    this.heal();
    if (this.chance(1 / 40)) world.setAlarm('orders-late', this.oneOf(['ALARM', 'INSUFFICIENT_DATA', 'missing']));
  }

  /** Makes the alarm and the mapping show the actual state. */
  private heal(): void {
    const { world, untilMs } = this;
    const isFailing = (world.isBroken && !this.isAlarmBlind) || world.nowMs < untilMs.flapping;
    world.setAlarm('orders-failing', isFailing ? 'ALARM' : 'OK');
    if (world.nowMs >= untilMs.flapping) world.setAlarm('orders-late', 'OK');
    world.isHung = world.nowMs < untilMs.hung;
    world.isMappingEnabled = world.nowMs >= untilMs.stopped;
    if (world.nowMs >= untilMs.switchedOff) world.killSwitch = 'on';
    else if (world.killSwitch === 'on') world.killSwitch = this.oneOf(['off', 'unknown']);
    world.isDenied = world.nowMs < untilMs.denied;
  }

  /** Starts a foreign task: to another queue, at SQS's highest rate, or back to the source of each message. */
  private moveByHand(): void {
    const { world, settings } = this;
    const destinations = [world.arnOf(world.other), settings.destination.arn, undefined];
    const DestinationArn = this.oneOf([0, 1, 2].map(index => ({ arn: destinations[index] }))).arn;
    world.attempt(() =>
      world.sqs.call('StartMessageMoveTask', ADMIN, { SourceArn: settings.deadLetters.arn, DestinationArn }),
    );
  }

  private cancelByHand(): void {
    const { world } = this;
    const TaskHandle = world.moves()[0]?.handle;
    if (TaskHandle !== undefined) world.attempt(() => world.sqs.call('CancelMessageMoveTask', ADMIN, { TaskHandle }));
  }
}
