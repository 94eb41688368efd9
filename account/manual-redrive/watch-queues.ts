import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { ManualRedrivePlan } from '../../diagnosis/manual-redrive/manual-redrive-plan';
import { type Depths, type ManualRedriveVerdict, verdictOf } from '../../diagnosis/manual-redrive/verdict';
import type { NowMs } from '../../mover/aws/clock';
import { deletedSince, metricReader } from '../../mover/aws/metrics';
import { totalOf } from '../../policy/redrive/budget';
import { MINUTE_MS } from '../../policy/time-units';
import { isDenied } from '../connection/calls';
import type { Connection } from '../connection/connection';
import { BadInput, messageOf } from '../errors';
import { depthsOf } from '../messages/each-message';
import { queueNamed } from '../messages/named-queue';
import type { MoveStepPorts } from './manual-step';

interface ReaderPorts {
  readonly nowMs: NowMs;
  readonly warn: (text: string) => void;
}

/** Reads how many messages are in the queues of a plan. */
export interface DepthReader {
  readonly deadLetters: () => Promise<number>;
  readonly all: () => Promise<Depths>;
  /**
   * How many messages were certainly deleted from the destination since the reader was created, as CloudWatch counts. Undefined
   * when the destination is a function, CloudWatch has no data yet, or the caller may not read it. The last is reported once.
   */
  readonly deleted: () => Promise<number | undefined>;
}

/** It needs the permission `cloudwatch:GetMetricData`. */
function deletedReader(aws: Connection, { destinationQueue }: ManualRedrivePlan, { warn, nowMs }: ReaderPorts) {
  const figures = metricReader(aws.client(CloudWatchClient));
  // CloudWatch counts by whole minutes. The current one includes messages that were deleted before.
  const fromMs = nowMs() + MINUTE_MS;
  let isDenial = false;
  return async () => {
    if (!destinationQueue || isDenial) return undefined;
    try {
      return await deletedSince(figures, destinationQueue, fromMs, nowMs());
    } catch (error) {
      if (!isDenied(error)) throw error;
      isDenial = true;
      warn(`${messageOf(error)} Without it, only an empty destination proves that messages are consumed.`);
      return undefined;
    }
  };
}

/** The URL of the queue where failures end. Undefined when it is not a queue, or the queue the messages come from. */
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

/** Creates the reader of a plan's queues. It needs the permission `sqs:GetQueueAttributes`. */
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

/** How often the queues are read. */
const LOOK_EVERY_MS = 5_000;

/** Waits until it is known what became of the moved messages. @returns undefined when interrupted before */
export async function judged(
  plan: ManualRedrivePlan,
  read: DepthReader,
  before: Depths,
  moved: number,
  { nowMs, wait, isInterrupted }: Omit<MoveStepPorts, 'progress'>,
): Promise<ManualRedriveVerdict | undefined> {
  const sinceMs = nowMs();
  let emptySinceMs: number | undefined;
  for (; !isInterrupted(); await wait(LOOK_EVERY_MS)) {
    const lookedAtMs = nowMs();
    const elapsedMs = lookedAtMs - sinceMs;
    const now = await read.all();
    emptySinceMs = now.destination === 0 ? (emptySinceMs ?? lookedAtMs) : undefined;
    const emptyForMs = lookedAtMs - (emptySinceMs ?? lookedAtMs);
    // An empty destination is proof enough: CloudWatch need not be asked.
    const deleted = elapsedMs >= plan.watchMs && emptySinceMs === undefined ? await read.deleted() : undefined;
    const look = { nowMs: lookedAtMs, before, now, moved, elapsedMs, emptyForMs };
    const verdict = verdictOf(plan, { ...look, ...(deleted !== undefined && { deleted }) });
    if (verdict) return verdict;
  }
  return undefined;
}
