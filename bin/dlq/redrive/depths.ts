import type { SQSClient } from '@aws-sdk/client-sqs';
import { totalOf } from '../../../lib/policy/redrive/budget';
import type { HandPlan } from '../../../lib/policy/redrive-by-hand/hand-plan';
import type { Depths } from '../../../lib/policy/redrive-by-hand/verdict';
import type { Connection } from '../../aws/connection';
import { BadInput } from '../../errors';
import { depthsOf } from '../letters/each-letter';
import { queueNamed } from '../the-queue';

/** Looks how many letters lie where. */
export interface DepthReader {
  readonly deadLetters: () => Promise<number>;
  readonly all: () => Promise<Depths>;
}

/** The queue for failures, where it is one, and another than those of the move. */
async function failuresUrl(aws: Connection, { failuresArn, deadLetters }: HandPlan): Promise<string | undefined> {
  if (failuresArn === undefined || failuresArn === deadLetters.arn) return undefined;
  try {
    return (await queueNamed(aws, failuresArn)).url;
  } catch (error) {
    if (error instanceof BadInput) return undefined;
    throw error;
  }
}

/** Makes what looks at the queues of a plan. It takes the permission `sqs:GetQueueAttributes`. */
export async function depthReader(aws: Connection, sqs: SQSClient, plan: HandPlan): Promise<DepthReader> {
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
  return { deadLetters: inTheQueue, all };
}
