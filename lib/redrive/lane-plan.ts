import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Problem } from '../../policy/problem';
import { sourceProblems, sourceToBe } from '../queue/feeders/source-problems';
import { timeoutSeconds, VISIBILITY_PER_TIMEOUT, visibleSeconds } from '../queue/processing/function-consumers';
import { keyPlaceProblems, queuePropsProblems, RECEIVE_COUNT } from '../queue/processing/queue-checks';
import { absentProblems, integerProblems, pathOf, problemsWithin, throwProblems } from '../shared/checks';
import type { RedriveLaneProps } from './redrive-lane-props';

const DEFAULTS = { maxReceiveCount: 3, maximumConcurrency: 2, batchSize: 1 };

/** @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
const LONGEST_TIMEOUT_SECONDS = 900;

/** What Lambda takes. @see https://docs.aws.amazon.com/lambda/latest/api/API_ScalingConfig.html */
const CONCURRENCY = { min: 2, max: 1_000 };

/** Without a batching window, which a lane has no use for. */
const BATCH_SIZE = { min: 1, max: 10 };

/** A lane as it is going to be. */
export interface LanePlan {
  readonly handler: IFunction;
  readonly queue: QueueProps;
  readonly maxReceiveCount: number;
  readonly maximumConcurrency: number;
  readonly batchSize: number;
}

/** The functions it may be a lane for: it has to be one. */
function handlersOf({ handler, laneOf }: RedriveLaneProps): readonly IFunction[] {
  return handler ? [handler] : (laneOf?.consumers ?? []).map(consumer => consumer.handler);
}

function handlerProblems(props: RedriveLaneProps): Problem[] {
  const { length: value } = handlersOf(props);
  if (value === 1) return [];
  const rule =
    'must be present, or laneOf have one function that consumes it, and no other: ask for the lane after that';
  return [{ property: 'handler', rule, value: `${value} functions` }];
}

/** AWS asks for six times the timeout of the function, as of every queue it consumes. */
function visibilityTimeout({ visibilityTimeout: stated, laneOf }: RedriveLaneProps, handler: IFunction): Duration {
  if (stated) return stated;
  const timeout = timeoutSeconds(handler);
  const asBeside = timeout === undefined && laneOf ? visibleSeconds(laneOf) : undefined;
  return Duration.seconds(asBeside ?? VISIBILITY_PER_TIMEOUT * (timeout ?? LONGEST_TIMEOUT_SECONDS));
}

function queueProps(props: RedriveLaneProps): QueueProps {
  const { laneOf, fifo = laneOf?.fifo, retentionPeriod } = props;
  const encryptionMasterKey = props.encryptionMasterKey ?? laneOf?.encryptionMasterKey;
  return {
    ...(fifo && { fifo }),
    ...(encryptionMasterKey && { encryptionMasterKey }),
    ...(retentionPeriod && { retentionPeriod }),
    removalPolicy: props.removalPolicy ?? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  };
}

/**
 * What becomes of the properties, once every one of them has been judged.
 * @throws one error that names each of them that AWS would reject
 */
export function planOf(scope: Construct, id: string, props: RedriveLaneProps): LanePlan {
  const path = pathOf(scope, id);
  const queue = queueProps(props);
  const { quarantine, laneOf, fifo, maxReceiveCount, maximumConcurrency, batchSize } = props;
  const [handler] = handlersOf(props);
  const problems = [
    ...handlerProblems(props),
    ...queuePropsProblems({ ...queue, visibilityTimeout: props.visibilityTimeout }),
    ...keyPlaceProblems(scope, queue),
    ...integerProblems('maxReceiveCount', maxReceiveCount, RECEIVE_COUNT),
    ...integerProblems('maximumConcurrency', maximumConcurrency, CONCURRENCY),
    ...integerProblems('batchSize', batchSize, BATCH_SIZE),
    ...(laneOf ? absentProblems('fifo', fifo, 'where laneOf is present, whose type the lane has') : []),
    ...(quarantine ? problemsWithin('quarantine', sourceProblems(quarantine, sourceToBe(scope, path, queue))) : []),
  ];
  throwProblems(path, problems);
  if (!handler) throw new Error(`${path} has no function`);
  return {
    handler,
    queue: { ...queue, visibilityTimeout: visibilityTimeout(props, handler) },
    maxReceiveCount: maxReceiveCount ?? DEFAULTS.maxReceiveCount,
    maximumConcurrency: maximumConcurrency ?? DEFAULTS.maximumConcurrency,
    batchSize: batchSize ?? DEFAULTS.batchSize,
  };
}
