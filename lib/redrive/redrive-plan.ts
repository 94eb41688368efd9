import { Duration, Token } from 'aws-cdk-lib';
import { CfnQueue, type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import type { RedriveSettings, RedriveStep } from '../../policy/redrive/redrive-settings';
import { timeoutSeconds, visibleSeconds } from '../queue/function-consumers';
import { isRelayQueue } from '../queue/queue-checks';
import { mentions } from '../shared/construct-tree';
import type { IRedriveDestination } from './i-redrive-destination';
import type { RedriveProps } from './redrive-props';

/** What a redrive has that nobody has said anything of. Our choices. */
export const REDRIVE_DEFAULTS = {
  healthyFor: Duration.minutes(5),
  maxMessagesPerSecond: 50,
  maxReturnedPercent: 25,
  restAfterReturn: Duration.hours(12),
  runsPerDay: 6,
  messagesPerDay: 100_000,
} as const;

/** The steps before the last, each where the last is faster. */
const FIRST_STEPS: readonly RedriveStep[] = [
  { messagesPerSecond: 1, messages: 10 },
  { messagesPerSecond: 10, messages: 100 },
];

/** How often the function runs. */
export const TICK = Duration.minutes(1);

/** As long as metrics may take to tell what a step did: what copies or replays is known by nothing else. */
export const LEAST_SETTLE_SECONDS = 180;

/** For what goes on trying, and for what nobody knows. Our choice. */
const USUAL_SETTLE_SECONDS = 900;

/** Lambda tries an event again after one minute, and after two more. */
const RETRIES_SECONDS = 180;

/** And runs the function three times for that. */
const RUNS_OF_AN_EVENT = 3;

/** The longest Lambda lets a function run: what copies or replays moves that long. */
const LONGEST_RUN = Duration.minutes(15);

/** To look, decide and call SQS, with retries; the next look comes in a minute in any case. */
const LOOK = Duration.minutes(1);

/** What looks, and what copies or replays a few, needs no more of: in megabytes. */
const USUAL_MEMORY = 256;

/** Up to which rate, in letters a second, that is so; with twice as much Lambda gives twice the processor. Our choice. */
const SLOW_RATE = 100;

/** How a redrive goes about it, as it follows from its properties. */
export interface RedrivePlan {
  readonly carrier: RedriveSettings['carrier'];
  /** Whether the function itself may have to move letters. */
  readonly mayCarry: boolean;
  readonly makesAnchor: boolean;
  readonly steps: readonly RedriveStep[];
  readonly settle: Duration;
  readonly timeout: Duration;
  /** In megabytes. */
  readonly memorySize: number;
}

/** Whether a queue of the app names this one as its dead-letter queue by now. */
function isNamed(deadLetterQueue: IQueue): boolean {
  const all = deadLetterQueue.node.root.node.findAll();
  return all.some(it => it instanceof CfnQueue && mentions(it, it.redrivePolicy, deadLetterQueue.queueArn));
}

/** Who moves the letters. */
export function carrierOf({ destination }: RedriveProps): RedrivePlan['carrier'] {
  return destination.handler ? 'replay' : 'task';
}

/** The steps that were stated, or ours. */
export function stepsOf({ steps, maxMessagesPerSecond }: RedriveProps): readonly RedriveStep[] {
  if (steps) return steps;
  const messagesPerSecond = maxMessagesPerSecond ?? REDRIVE_DEFAULTS.maxMessagesPerSecond;
  const isSlower = (step: RedriveStep) =>
    Token.isUnresolved(messagesPerSecond) || step.messagesPerSecond < messagesPerSecond;
  return [...FIRST_STEPS.filter(isSlower), { messagesPerSecond }];
}

/** How long a queue takes to give a message up; undefined where that is not known, or is too long to wait for. */
function receivesSeconds(queue: IQueue): number | undefined {
  const receives = queue instanceof Queue ? queue.deadLetterQueue?.maxReceiveCount : undefined;
  const visible = visibleSeconds(queue);
  if (receives === undefined || Token.isUnresolved(receives) || visible === undefined || isRelayQueue(queue)) {
    return undefined;
  }
  return receives * visible;
}

/** How long the destination takes to give up what it fails on; undefined where that is not known. */
export function neededSeconds({ targetQueue: queue, handler }: IRedriveDestination): number | undefined {
  if (queue) return receivesSeconds(queue);
  const timeout = handler && timeoutSeconds(handler);
  return timeout === undefined ? undefined : RUNS_OF_AN_EVENT * timeout + RETRIES_SECONDS;
}

/** How long what fails may take to come back. */
function settleOf({ settle, destination }: RedriveProps): Duration {
  const seconds = neededSeconds(destination) ?? USUAL_SETTLE_SECONDS;
  return settle ?? Duration.seconds(Math.max(LEAST_SETTLE_SECONDS, seconds));
}

/** Letters go through the function's own hands, the faster of them through more of a processor. */
function memoryOf(mayCarry: boolean, steps: readonly RedriveStep[]): number {
  const isSlow = ({ messagesPerSecond: rate }: RedriveStep) => !Token.isUnresolved(rate) && rate <= SLOW_RATE;
  return mayCarry && !steps.every(isSlow) ? 2 * USUAL_MEMORY : USUAL_MEMORY;
}

/** What follows from properties that have been judged. */
export function redrivePlanOf(props: RedriveProps): RedrivePlan {
  const carrier = carrierOf(props);
  const mayCarry = carrier === 'replay' || !isNamed(props.deadLetterQueue);
  const steps = stepsOf(props);
  return {
    carrier,
    mayCarry,
    makesAnchor: carrier === 'task' && (props.anchor ?? mayCarry),
    steps,
    settle: settleOf(props),
    timeout: mayCarry ? LONGEST_RUN : LOOK,
    memorySize: memoryOf(mayCarry, steps),
  };
}
