import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { isDenied } from '../../../account/connection/call-failure';
import type { Connection } from '../../../account/connection/connection';
import type { ManualRedrivePlan } from '../../../diagnosis/manual-redrive/hand-plan';
import type { Depths } from '../../../diagnosis/manual-redrive/verdict';
import { deletedSince } from '../../../lambda/redrive/figures';
import { MINUTE_MS, metricReader } from '../../../lambda/redrive/metric-reader';
import { totalOf } from '../../../policy/redrive/budget';
import { BadInput, messageOf } from '../../errors';
import { warn } from '../../print';
import type { DlqContext } from '../command';
import { depthsOf } from '../letters/each-letter';
import { queueNamed } from '../the-queue';

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
