import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { DlqContext } from '../../bin/dlq/command';
import { warn } from '../../bin/print';
import type { ManualRedrivePlan } from '../../diagnosis/manual-redrive/plan';
import { type Depths, type Verdict, verdictOf } from '../../diagnosis/manual-redrive/verdict';
import { deletedSince, MINUTE_MS, metricReader } from '../../mover/facts/metrics';
import { totalOf } from '../../policy/redrive/budget';
import { isDenied } from '../connection/calls';
import type { Connection } from '../connection/connection';
import { BadInput, messageOf } from '../errors';
import { depthsOf } from '../messages/each-message';
import { queueNamed } from '../messages/named-queue';
import type { MoveStepPorts } from './move-step';

type ReaderPorts = Pick<DlqContext, 'io' | 'nowMs'>;

/** Looks how many letters lie where. */
export interface DepthReader {
  readonly deadLetters: () => Promise<number>;
  readonly all: () => Promise<Depths>;
  /**
   * How many messages CloudWatch counts as deleted from the destination since the reader was made, those for certain. Undefined
   * of a function, where it has no figure yet, and where nobody may ask it: that is said once.
   */
  readonly deleted: () => Promise<number | undefined>;
}

/** Makes `DepthReader.deleted`. It takes the permission `cloudwatch:GetMetricData`. */
function deletedReader(aws: Connection, { destinationQueue }: ManualRedrivePlan, { io, nowMs }: ReaderPorts) {
  const figures = metricReader(aws.client(CloudWatchClient));
  // It counts by whole minutes: the one that has begun holds what was deleted before.
  const fromMs = nowMs() + MINUTE_MS;
  let isDeniedToUs = false;
  return async () => {
    if (!destinationQueue || isDeniedToUs) return undefined;
    try {
      return await deletedSince(figures, destinationQueue, fromMs, nowMs());
    } catch (error) {
      if (!isDenied(error)) throw error;
      isDeniedToUs = true;
      warn(io, [`${messageOf(error)} Only a destination that stands empty is known to be read.`]);
      return undefined;
    }
  };
}

/** The queue for failures, where it is one, and another than those of the move. */
async function failuresUrl(
  aws: Connection,
  { failuresArn, deadLetters }: ManualRedrivePlan,
): Promise<string | undefined> {
  if (failuresArn === undefined || failuresArn === deadLetters.arn) return undefined;
  try {
    return (await queueNamed(aws, failuresArn)).url;
  } catch (error) {
    if (error instanceof BadInput) return undefined;
    throw error;
  }
}

/** Makes what looks at the queues of a plan. It takes the permission `sqs:GetQueueAttributes`. */
export async function depthReader(
  aws: Connection,
  sqs: SQSClient,
  plan: ManualRedrivePlan,
  ports: ReaderPorts,
): Promise<DepthReader> {
  const failures = await failuresUrl(aws, plan);
  const { deadLetters, destinationQueue } = plan;
  const totalAt = async (url: string | undefined) =>
    url === undefined ? undefined : totalOf(await depthsOf(sqs, url));
  const inTheQueue = async () => totalOf(await depthsOf(sqs, deadLetters.url));
  const all = async () => {
    const [inDeadLetters, inDestination, inFailures] = await Promise.all([
      inTheQueue(),
      totalAt(destinationQueue?.url),
      totalAt(failures),
    ]);
    return {
      deadLetters: inDeadLetters,
      ...(inDestination !== undefined && { destination: inDestination }),
      ...(inFailures !== undefined && { failures: inFailures }),
    };
  };
  return { deadLetters: inTheQueue, all, deleted: deletedReader(aws, plan, ports) };
}

/** Our choice: as often as an operator wants to know. */
const LOOK_EVERY_MS = 5_000;

/** Waits until it is known what became of letters that were moved. Undefined where somebody interrupted it before. */
export async function judged(
  plan: ManualRedrivePlan,
  read: DepthReader,
  before: Depths,
  moved: number,
  { nowMs, wait, isInterrupted }: Omit<MoveStepPorts, 'progress'>,
): Promise<Verdict | undefined> {
  const sinceMs = nowMs();
  let emptySinceMs: number | undefined;
  for (; !isInterrupted(); await wait(LOOK_EVERY_MS)) {
    const lookedAtMs = nowMs();
    const elapsedMs = lookedAtMs - sinceMs;
    const now = await read.all();
    emptySinceMs = now.destination === 0 ? (emptySinceMs ?? lookedAtMs) : undefined;
    const emptyForMs = lookedAtMs - (emptySinceMs ?? lookedAtMs);
    // Whoever finds it empty needs no figure.
    const deleted = elapsedMs >= plan.watchMs && emptySinceMs === undefined ? await read.deleted() : undefined;
    const look = { nowMs: lookedAtMs, before, now, moved, elapsedMs, emptyForMs };
    const verdict = verdictOf(plan, { ...look, ...(deleted !== undefined && { deleted }) });
    if (verdict) return verdict;
  }
  return undefined;
}
