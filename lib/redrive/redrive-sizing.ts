import { Duration, Stack, Token } from 'aws-cdk-lib';
import { CfnFunction, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnQueue, type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { MAX_FUNCTION_TIMEOUT_SECONDS, METRIC_POINTS_LATE_MS } from '../../policy/aws-limits';
import { ownMember } from '../../policy/json-members';
import type { Problem } from '../../policy/problem';
import type { RedriveSettings, RedriveStep } from '../../policy/redrive/redrive-settings';
import { visibleSeconds } from '../queue/function-consumers';
import { isRelayQueue } from '../queue/queue-checks';
import { mentions } from '../shared/construct-tree';
import type { IRedriveDestination } from './i-redrive-destination';
import type { RedriveProps } from './redrive-props';

/**
 * The size of all environment variables of a function.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const MAX_BYTES = 4_096;

/** The characters that CloudFormation appends to a name that it generates. */
const GENERATED_CHARACTERS = 12;

const PSEUDO: Readonly<Record<string, number>> = { 'AWS::AccountId': 12, 'AWS::Partition': 3, 'AWS::Region': 9 };

/**
 * The problem of a redrive whose settings do not fit into the environment of its function. What is not known before
 * deployment is counted with the length that it has at least: a generated name has the name of the stack, the logical
 * id and a suffix. An ARN counts as nothing.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-name.html
 */
export function settingsSizeProblems(handler: IFunction): Problem[] {
  const resource = handler.node.defaultChild;
  if (!(resource instanceof CfnFunction)) return [];
  const stack = Stack.of(resource);
  const { variables = {} } = Object(stack.resolve(resource.environment)) as { readonly variables?: object };
  const sizes = Object.entries(variables).map(([name, value]) => name.length + leastBytes(stack, value));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes <= MAX_BYTES) return [];
  const rule =
    "must have names that fit, with the other settings, into the 4,096 bytes of a function's environment; combine alarms in a composite alarm";
  return [{ property: 'healthAlarms', rule, value: `at least ${bytes.toLocaleString('en-US')} bytes` }];
}

function leastBytes(stack: Stack, value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  const { 'Fn::Join': join, Ref: reference } = Object(value) as Readonly<Record<string, unknown>>;
  if (Array.isArray(join) && Array.isArray(join[1])) {
    return join[1].reduce((sum: number, part: unknown) => sum + leastBytes(stack, part), 0);
  }
  if (typeof reference !== 'string') return 0;
  return ownMember(PSEUDO, reference) ?? `${stack.stackName}-${reference}-`.length + GENERATED_CHARACTERS;
}

export const REDRIVE_DEFAULTS = {
  healthyFor: Duration.minutes(5),
  maxMessagesPerSecond: 50,
  maxReturnedPercent: 25,
  restAfterReturn: Duration.hours(12),
  runsPerDay: 6,
  messagesPerDay: 100_000,
} as const;

/** The steps before the last, if they are slower than it. */
const FIRST_STEPS: readonly RedriveStep[] = [
  { messagesPerSecond: 1, messages: 10 },
  { messagesPerSecond: 10, messages: 100 },
];

/** How often the function runs. */
export const TICK = Duration.minutes(1);

/** The maximum delay of the metrics that show what a step did. Copies and replays have no other evidence. */
export const MIN_SETTLE_SECONDS = METRIC_POINTS_LATE_MS / 1_000;

/** For destinations that retry for long, or whose duration is unknown. */
const USUAL_SETTLE_SECONDS = 900;

/** Copying and replaying use all the time that Lambda allows. */
const MAX_RUN = Duration.seconds(MAX_FUNCTION_TIMEOUT_SECONDS);

/** The time to read the state, decide and call SQS, with retries. The next check follows within a minute. */
const CHECK = Duration.minutes(1);

/** The memory in megabytes for checks, and for copying or replaying at a low rate. */
const USUAL_MEMORY = 256;

/**
 * The highest rate in messages per second for which that is enough. Above it the memory is doubled, which doubles the
 * CPU.
 */
const SLOW_RATE = 100;

/** How a redrive moves messages, in which steps, and for how long its function may run. */
export interface RedriveSizing {
  readonly carrier: RedriveSettings['carrier'];
  /** Whether the function itself may have to move messages. */
  readonly mayMoveMessages: boolean;
  readonly makesAnchor: boolean;
  readonly steps: readonly RedriveStep[];
  readonly settle: Duration;
  readonly timeout: Duration;
  /** In megabytes. */
  readonly memorySize: number;
}

function isNamed(deadLetterQueue: IQueue): boolean {
  const all = deadLetterQueue.node.root.node.findAll();
  return all.some(it => it instanceof CfnQueue && mentions(it, it.redrivePolicy, deadLetterQueue.queueArn));
}

/** What moves the messages: SQS or the function. */
export function carrierOf({ destination }: RedriveProps): RedriveSizing['carrier'] {
  return destination.handler ? 'replay' : 'task';
}

export function stepsOf({ steps, maxMessagesPerSecond }: RedriveProps): readonly RedriveStep[] {
  if (steps) return steps;
  const messagesPerSecond = maxMessagesPerSecond ?? REDRIVE_DEFAULTS.maxMessagesPerSecond;
  const isSlower = (step: RedriveStep) =>
    Token.isUnresolved(messagesPerSecond) || step.messagesPerSecond < messagesPerSecond;
  return [...FIRST_STEPS.filter(isSlower), { messagesPerSecond }];
}

/**
 * The time until a queue moves a failing message to its dead-letter queue; undefined if it is unknown or too long to
 * wait for.
 */
function receivesSeconds(queue: IQueue): number | undefined {
  const receives = queue instanceof Queue ? queue.deadLetterQueue?.maxReceiveCount : undefined;
  const visible = visibleSeconds(queue);
  if (receives === undefined || Token.isUnresolved(receives) || visible === undefined || isRelayQueue(queue)) {
    return undefined;
  }
  return receives * visible;
}

/** The time until the destination gives up on a failing message; undefined if it is not known. */
export function neededSeconds({ targetQueue: queue, handler }: IRedriveDestination): number | undefined {
  if (queue) return receivesSeconds(queue);
  // A replay waits for the function's result.
  return handler ? 0 : undefined;
}

/** How long to wait for messages that fail again. */
function settleOf({ settle, destination }: RedriveProps): Duration {
  const seconds = neededSeconds(destination) ?? USUAL_SETTLE_SECONDS;
  return settle ?? Duration.seconds(Math.max(MIN_SETTLE_SECONDS, seconds));
}

/** The function itself moves messages, and needs more CPU for a high rate. */
function memoryOf(mayMoveMessages: boolean, steps: readonly RedriveStep[]): number {
  const isSlow = ({ messagesPerSecond: rate }: RedriveStep) => !Token.isUnresolved(rate) && rate <= SLOW_RATE;
  return mayMoveMessages && !steps.every(isSlow) ? 2 * USUAL_MEMORY : USUAL_MEMORY;
}

/** Derives the plan from checked properties. */
export function redriveSizingOf(props: RedriveProps): RedriveSizing {
  const carrier = carrierOf(props);
  const mayMoveMessages = carrier === 'replay' || !isNamed(props.deadLetterQueue);
  const steps = stepsOf(props);
  return {
    carrier,
    mayMoveMessages,
    makesAnchor: carrier === 'task' && (props.anchor ?? mayMoveMessages),
    steps,
    settle: settleOf(props),
    timeout: mayMoveMessages ? MAX_RUN : CHECK,
    memorySize: memoryOf(mayMoveMessages, steps),
  };
}
