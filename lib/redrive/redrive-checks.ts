import { Arn, ArnFormat, type ResourceEnvironment, Stack, Token } from 'aws-cdk-lib';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnEventInvokeConfig } from 'aws-cdk-lib/aws-lambda';
import { CfnSubscription } from 'aws-cdk-lib/aws-sns';
import { CfnQueue, type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { MOVE_TASK_LIMITS, QUEUE_LIMITS } from '../../policy/aws-limits';
import type { Problem } from '../../policy/problem';
import { runProblems } from '../../policy/redrive/redrive-settings';
import { MAX_REPLAYED_TIMEOUT_SECONDS } from '../../policy/redrive/replay-event';
import { DAY_SECONDS } from '../../policy/time-units';
import { isQuarantine } from '../queue/dead-letter-alarms';
import { monitorOf } from '../queue/feeder-registry';
import { timeoutSeconds } from '../queue/function-consumers';
import { type DeadLetterFeeder, DeadLetterFeederKind } from '../queue/i-dead-letter-queue';
import { isInvokeConfigOf } from '../queue/lossy-consumer-warnings';
import { isRelayQueue, ownedQueue, queueArnProblems, retentionSeconds } from '../queue/queue-checks';
import { absentProblems, integerProblems, knownSeconds, mismatchProblems, secondsProblems } from '../shared/checks';
import { mentions } from '../shared/construct-tree';
import { ReplayedForm } from './i-redrive-destination';
import type { RedriveProps } from './redrive-props';
import { carrierOf, MIN_SETTLE_SECONDS, REDRIVE_DEFAULTS, stepsOf, TICK } from './redrive-sizing';

const MAX_MESSAGES = 1_000_000_000;

type Place = Pick<ResourceEnvironment, 'region' | 'account'>;

/** What a redrive needs to know of the other redrives of the app. */
type Redriven = IConstruct & Pick<RedriveProps, 'deadLetterQueue'>;

interface Placed {
  readonly property: string;
  readonly place: Place;
}

/** The account and Region in the alarm's ARN, which for an imported alarm may differ from those of the stack. */
function placeOf({ alarmArn, env }: IAlarm): Place {
  if (Token.isUnresolved(alarmArn)) return env;
  const { region = env.region, account = env.account } = Arn.split(alarmArn, ArnFormat.COLON_RESOURCE_NAME);
  return { region, account };
}

function placesOf(property: string, alarms: readonly IAlarm[] = []): Placed[] {
  return alarms.map((alarm, index) => ({ property: `${property}[${index}]`, place: placeOf(alarm) }));
}

/**
 * The resources that must be in the account and Region of the redrive's function: SQS does not move messages to another
 * one, and CloudWatch does not report alarms of another one.
 */
function placedOf(props: RedriveProps): Placed[] {
  const { deadLetterQueue, destination, quarantine, recoveryAlarms, healthAlarms } = props;
  const resources = { deadLetterQueue, destination: destination.targetQueue ?? destination.handler, quarantine };
  return [
    ...Object.entries(resources).flatMap(([property, it]) => (it ? [{ property, place: it.env }] : [])),
    ...placesOf('recoveryAlarms', recoveryAlarms),
    ...placesOf('healthAlarms', healthAlarms),
  ];
}

function placeProblems(scope: IConstruct, props: RedriveProps): Problem[] {
  const { region, account } = Stack.of(scope);
  const regionRule = 'must be in the Region of this stack,';
  const { resultsTopic } = props;
  return [
    ...placedOf(props).flatMap(({ property, place }) => [
      ...mismatchProblems(property, regionRule, region, place.region),
      ...mismatchProblems(property, 'must be in the account of this stack,', account, place.account),
    ]),
    ...(resultsTopic ? mismatchProblems('resultsTopic', regionRule, region, resultsTopic.env.region) : []),
  ];
}

/** Reports a queue that is not a dead-letter queue, as far as the app shows. */
function sourceProblems({ deadLetterQueue }: RedriveProps): Problem[] {
  const { path: value } = deadLetterQueue.node;
  const property = 'deadLetterQueue';
  if (isRelayQueue(deadLetterQueue)) {
    return [{ property, rule: 'must not be the queue of an HttpRelay, which delivers its messages by itself', value }];
  }
  if (ownedQueue(deadLetterQueue)?.redrivePolicy) {
    return [{ property, rule: 'must be a dead-letter queue, but has a dead-letter queue itself', value }];
  }
  if (isQuarantine(deadLetterQueue)) {
    const rule = 'must not be a Quarantine, whose messages had their automatic retry and wait for an operator';
    return [{ property, rule, value }];
  }
  return queueArnProblems(property, deadLetterQueue);
}

function isSame(one: IQueue, other: IQueue): boolean {
  return one === other || one.queueArn === other.queueArn;
}

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html */
function destinationProblems({
  deadLetterQueue,
  destination: { targetQueue: queue, handler },
}: RedriveProps): Problem[] {
  const property = 'destination';
  const type = (fifo: boolean) => (fifo ? 'FIFO' : 'standard');
  if (handler) {
    const rule = 'must be a standard queue if the destination is a function';
    return deadLetterQueue.fifo ? [{ property: 'deadLetterQueue', rule, value: 'FIFO' }] : [];
  }
  if (!queue) return [];
  if (isSame(queue, deadLetterQueue)) {
    return [{ property, rule: 'must not be the dead-letter queue itself', value: queue.node.path }];
  }
  if (queue.fifo !== deadLetterQueue.fifo) {
    const rule = `must be ${type(deadLetterQueue.fifo)}, like its dead-letter queue`;
    return [{ property, rule, value: type(queue.fifo) }];
  }
  if (isQuarantine(queue)) {
    const rule = 'must not be a Quarantine, which has no consumer';
    return [{ property, rule, value: queue.node.path }];
  }
  return queueArnProblems(property, queue);
}

function replayedProblems({ destination: { handler } }: RedriveProps): Problem[] {
  const timeout = handler && timeoutSeconds(handler);
  if (!handler || timeout === undefined || timeout <= MAX_REPLAYED_TIMEOUT_SECONDS) return [];
  const rule = `must be a function with a timeout of at most ${MAX_REPLAYED_TIMEOUT_SECONDS} seconds, because a replay waits for its result. Use dlo dlq redrive, which can wait longer`;
  return [{ property: 'destination', rule, value: `${handler.node.path}, ${timeout} seconds` }];
}

/** Lambda sends nothing to an on-success destination after a synchronous invocation, and a replay is synchronous. */
export function onSuccessProblems({ destination: { handler } }: RedriveProps): Problem[] {
  if (!handler) return [];
  const all = handler.node.root.node.findAll().filter(it => it instanceof CfnEventInvokeConfig);
  const rule =
    'must be a function without an on-success destination, to which Lambda would send nothing: a replay waits for the result, so it is a synchronous invocation';
  const configs = all.filter(it => isInvokeConfigOf(it, handler) && isOnSuccess(it));
  return configs.map(({ node: { path: value } }) => ({ property: 'destination', rule, value }));
}

function isOnSuccess({ destinationConfig: config }: CfnEventInvokeConfig): boolean {
  return config !== undefined && 'onSuccess' in config && config.onSuccess !== undefined;
}

function fifoProblems({ deadLetterQueue, allowFifo = false, resultsTopic }: RedriveProps): Problem[] {
  const rule = 'must be true if the queues are FIFO, because redriven messages come after those sent meanwhile';
  const topicRule = 'must be a standard topic, because the function sets no message group';
  return [
    ...(deadLetterQueue.fifo && !allowFifo ? [{ property: 'allowFifo', rule, value: allowFifo }] : []),
    ...(resultsTopic?.fifo ? [{ property: 'resultsTopic', rule: topicRule, value: resultsTopic.node.path }] : []),
  ];
}

/** Options that only one kind of destination supports. */
function kindProblems(props: RedriveProps): Problem[] {
  const { destination, quarantine, maxBacklog, maxAge, proofOfHealth, anchor } = props;
  if (!destination.handler) {
    const reason = 'where messages go to a queue: pass the queue of a RedriveLane, which has one';
    return absentProblems('quarantine', quarantine?.node.path, reason);
  }
  const reason = 'where a function is invoked';
  const stated = {
    maxBacklog,
    maxAge: maxAge?.toString(),
    proofOfHealth: proofOfHealth || undefined,
    anchor: anchor || undefined,
  };
  return Object.entries(stated).flatMap(([property, value]) => absentProblems(property, value, reason));
}

function numberProblems(props: RedriveProps): Problem[] {
  const { healthyFor, maxBacklog, maxAge, settle, restAfterReturn } = props;
  return [
    ...secondsProblems('healthyFor', healthyFor, { min: 0, max: DAY_SECONDS }),
    ...integerProblems('maxBacklog', maxBacklog, { min: 0, max: MAX_MESSAGES }),
    ...secondsProblems('maxAge', maxAge, { min: 0, max: QUEUE_LIMITS.retentionSeconds.max }),
    ...secondsProblems('settle', settle, { min: MIN_SETTLE_SECONDS, max: DAY_SECONDS }),
    ...secondsProblems('restAfterReturn', restAfterReturn, { min: 0, max: DAY_SECONDS }),
  ];
}

/** Messages that fail again must still be in the queue when the run is evaluated. */
function keptProblems({ settle, deadLetterQueue }: RedriveProps): Problem[] {
  const stated = knownSeconds(settle);
  const kept = retentionSeconds(deadLetterQueue);
  if (stated === undefined || kept === undefined || stated < kept) return [];
  const rule = `must be less than the ${kept} seconds that the dead-letter queue keeps messages, because the redrive counts returned messages only after settle`;
  return [{ property: 'settle', rule, value: stated }];
}

/** Checks the limits of runs with the rules that the function uses. */
function termProblems(props: RedriveProps): Problem[] {
  const { steps, maxMessagesPerSecond } = props;
  const capProblems = [
    ...integerProblems('maxMessagesPerSecond', maxMessagesPerSecond, MOVE_TASK_LIMITS.messagesPerSecond),
    ...(steps ? absentProblems('maxMessagesPerSecond', maxMessagesPerSecond, 'where steps is present') : []),
  ];
  if (capProblems.length > 0) return capProblems;
  const problems = runProblems({
    carrier: carrierOf(props),
    steps: stepsOf(props),
    maxReturnedPercent: props.maxReturnedPercent ?? REDRIVE_DEFAULTS.maxReturnedPercent,
    runsPerDay: props.runsPerDay ?? REDRIVE_DEFAULTS.runsPerDay,
    messagesPerDay: props.messagesPerDay ?? REDRIVE_DEFAULTS.messagesPerDay,
    tickMs: TICK.toMilliseconds(),
  });
  return problems.filter(({ value }) => !Token.isUnresolved(value));
}

/**
 * Returns everything AWS or the redrive itself would reject about its properties.
 * @param others the existing redrives of the app
 */
export function redriveProblems(scope: IConstruct, props: RedriveProps, others: readonly Redriven[]): Problem[] {
  return [
    ...sourceProblems(props),
    ...rivalProblems(props, others),
    ...destinationProblems(props),
    ...replayedProblems(props),
    ...placeProblems(scope, props),
    ...fifoProblems(props),
    ...kindProblems(props),
    ...numberProblems(props),
    ...keptProblems(props),
    ...termProblems(props),
  ];
}

/** The only permitted source of a queue whose messages a function is invoked with. */
const FED_BY = {
  [ReplayedForm.EVENT]: { kind: DeadLetterFeederKind.FUNCTION, noun: 'a function' },
  [ReplayedForm.SNS_ENVELOPE]: { kind: DeadLetterFeederKind.TOPIC, noun: 'topics' },
} as const;

/** Sources whose format is known. Others send neither events nor SNS envelopes, as far as can be determined. */
const KNOWN_FORMS: readonly DeadLetterFeederKind[] = [
  DeadLetterFeederKind.QUEUE,
  ...Object.values(FED_BY).map(({ kind }) => kind),
];

const pathsOf = (feeders: readonly DeadLetterFeeder[]) =>
  feeders.map(({ construct }) => construct?.node.path).join(', ');

/**
 * Checks at synthesis that the messages of several sources are not mixed: all of them would go to one destination,
 * which may not be their intended consumer.
 */
export function mixtureProblems({ deadLetterQueue, destination: { form } }: RedriveProps, anchor?: IQueue): Problem[] {
  const property = 'deadLetterQueue';
  const feeders = monitorOf(deadLetterQueue)?.feeders ?? [];
  const fedBy = form && FED_BY[form];
  const others = feeders.filter(({ kind }) => fedBy && KNOWN_FORMS.includes(kind) && kind !== fedBy.kind);
  if (fedBy && others.length > 0) {
    const rule = `must be fed by ${fedBy.noun} only, because a function is invoked with its messages`;
    return [{ property, rule, value: pathsOf(others) }];
  }
  const homes = messageDestinations(deadLetterQueue, anchor);
  if (homes.length < 2) return [];
  const rule =
    'must contain messages for one consumer, because all go to one destination: use one dead-letter queue for each';
  const isShared = subscribing(deadLetterQueue).length > 1;
  const byHand = isShared ? ', or dlo dlq redrive, which returns to each subscriber only the messages for it' : '';
  return [{ property, rule: `${rule}${byHand}`, value: homes.map(({ path }) => path).join(', ') }];
}

/**
 * Two redrives of one queue would have separate budgets, rates and runs, and each would treat the moves of the other as
 * foreign.
 */
function rivalProblems({ deadLetterQueue }: RedriveProps, others: readonly Redriven[]): Problem[] {
  const rivals = others.filter(other => isSame(other.deadLetterQueue, deadLetterQueue));
  const rule = 'must have only one Redrive, because each would treat the moves of the other as foreign';
  return rivals.map(({ node }) => ({ property: 'deadLetterQueue', rule, value: node.path }));
}

/** The intended consumer of dead letters. */
interface MessageDestination {
  /** What puts them into the dead-letter queue: a queue, a function or a subscription. */
  readonly path: string;
  /** The ARN or address of the intended consumer, as its construct states it. */
  readonly home: string;
}

/** Sources that are themselves the intended consumers. */
const CONSUMERS: readonly DeadLetterFeederKind[] = [DeadLetterFeederKind.QUEUE, DeadLetterFeederKind.FUNCTION];

/** The queues and functions that were declared as sources. A topic does not say to which subscriber it delivers. */
function reported(deadLetterQueue: IQueue): readonly MessageDestination[] {
  const feeders = monitorOf(deadLetterQueue)?.feeders ?? [];
  return feeders.flatMap(({ kind, construct }) => {
    if (!construct || !CONSUMERS.includes(kind)) return [];
    const { path } = construct.node;
    if ('queueArn' in construct) return [{ path, home: String(construct.queueArn) }];
    return 'functionArn' in construct ? [{ path, home: String(construct.functionArn) }] : [];
  });
}

/** The queues that name a dead-letter queue without declared sources. */
function naming(deadLetterQueue: IQueue, anchor: IQueue | undefined): readonly MessageDestination[] {
  if (monitorOf(deadLetterQueue)) return [];
  const all = deadLetterQueue.node.root.node.findAll().filter(it => it instanceof CfnQueue);
  const sources = all.filter(it => mentions(it, it.redrivePolicy, deadLetterQueue.queueArn));
  return sources.flatMap(({ node: { path, scope }, attrArn }) => {
    if (scope === anchor) return [];
    return scope instanceof Queue ? [{ path: scope.node.path, home: scope.queueArn }] : [{ path, home: attrArn }];
  });
}

function subscribing(deadLetterQueue: IQueue): readonly MessageDestination[] {
  const all = deadLetterQueue.node.root.node.findAll().filter(it => it instanceof CfnSubscription);
  const subscriptions = all.filter(it => mentions(it, it.redrivePolicy, deadLetterQueue.queueArn));
  return subscriptions.map(({ node: { path, scope }, endpoint = path }) => ({
    path: scope?.node.path ?? path,
    home: endpoint,
  }));
}

/**
 * All intended consumers of the messages in a dead-letter queue, each once, as far as the app shows.
 * @param anchor names the queue, but sends no messages
 */
function messageDestinations(deadLetterQueue: IQueue, anchor: IQueue | undefined): readonly MessageDestination[] {
  const all = [...reported(deadLetterQueue), ...naming(deadLetterQueue, anchor), ...subscribing(deadLetterQueue)];
  return all.filter(({ home }, index) => all.findIndex(other => other.home === home) === index);
}
