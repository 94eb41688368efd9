import { paginateListDeadLetterSourceQueues, SQSClient } from '@aws-sdk/client-sqs';
import { feedersOf } from '../../diagnosis/inventory/feeders';
import type { Connection } from '../connection/connection';
import { readInventory } from '../inventory/read-inventory';
import type { NamedQueue } from '../messages/named-queue';
import { queueNameOf } from '../names';

/**
 * Who has a queue for dead letters, in words. Other queues are asked for first, of which SQS knows at once; only where there
 * is none, everything else in the account is. It takes the permission `sqs:ListDeadLetterSourceQueues`, and then those to read
 * the inventory.
 *
 * @returns none where it is nobody's
 */
export async function deadLetterFeeders(aws: Connection, { url, arn }: NamedQueue): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { queueUrls = [] } of paginateListDeadLetterSourceQueues(
    { client: aws.client(SQSClient) },
    { QueueUrl: url, MaxResults: 1_000 },
  )) {
    found.push(...queueUrls.map(source => `queue ${queueNameOf(source)}`));
  }
  if (found.length > 0) return found;
  const feeders = feedersOf(arn, await readInventory(aws));
  return feeders.map(({ kind, resource }) => `${kind} ${resource.name}`);
}
