import {
  GetQueueAttributesCommand,
  ListQueuesCommand,
  paginateListDeadLetterSourceQueues,
  paginateListQueues,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { QueueFacts, RedriveAllowPolicyFacts, RedrivePolicyFacts } from '../../diagnosis/inventory/inventory';
import { type Arn, formatArn } from '../../policy/arn';
import { isObject } from '../../policy/json-members';
import { isKnown, knownValue, type MaybeKnown, mapKnown } from '../../template/maybe-known';
import { depthsIn } from '../messages/each-message';
import { queueNameOf } from '../names';
import {
  type AccountPlace,
  type AccountReader,
  type InventoryQuestion,
  itemsOf,
  jsonOf,
  policyOf,
  unlessEmpty,
} from './account-reader';

type Attributes = Readonly<Partial<Record<string, string>>>;

const QUEUES: InventoryQuestion = {
  action: 'sqs:ListQueues',
  tells: 'the queues',
  hides: ['queues', 'feeders'],
};

const ATTRIBUTES: InventoryQuestion = {
  action: 'sqs:GetQueueAttributes',
  of: ['queue', 'queues'],
  tells: 'the attributes',
  hides: ['feeders'],
};

/** The largest page of SQS. */
const MOST_LISTED = 1_000;

const textOf = (value: unknown): MaybeKnown<string> =>
  typeof value === 'string' ? value : { unknownBecause: 'is not a string' };

function redrivePolicyOf(text: string | undefined): MaybeKnown<RedrivePolicyFacts | undefined> {
  return mapKnown(jsonOf(text), policy =>
    isObject(policy)
      ? {
          deadLetterTargetArn: textOf(policy['deadLetterTargetArn']),
          maxReceiveCount: Number(policy['maxReceiveCount']),
        }
      : undefined,
  );
}

function redriveAllowPolicyOf(text: string | undefined): MaybeKnown<RedriveAllowPolicyFacts | undefined> {
  return mapKnown(jsonOf(text), policy => {
    if (!isObject(policy)) return undefined;
    const { sourceQueueArns = [] } = policy;
    const arns = Array.isArray(sourceQueueArns) ? sourceQueueArns.map(String) : [];
    return { permission: textOf(policy['redrivePermission']), sourceQueueArns: arns };
  });
}

/** `https://sqs.eu-central-1.amazonaws.com/123456789012/orders`. */
function accountInUrl(url: string): string | undefined {
  return /\/(\d{12})\/[^/]+$/.exec(url)?.[1];
}

export function queueArnOf(url: string, { partition, region, account }: Omit<Arn, 'service' | 'resource'>): string {
  return formatArn({
    partition,
    service: 'sqs',
    region,
    account: accountInUrl(url) ?? account,
    resource: queueNameOf(url),
  });
}

function queueFacts(
  url: string,
  attributes: MaybeKnown<Attributes>,
  { partition, region, account }: AccountPlace,
): QueueFacts {
  const name = queueNameOf(url);
  return {
    arn: queueArnOf(url, { partition, region, account: knownValue(account) ?? '' }),
    name,
    url,
    isFifo: name.endsWith('.fifo'),
    retentionSeconds: mapKnown(attributes, ({ MessageRetentionPeriod }) => Number(MessageRetentionPeriod)),
    visibilityTimeoutSeconds: mapKnown(attributes, ({ VisibilityTimeout }) => Number(VisibilityTimeout)),
    redrivePolicy: mapKnown(attributes, ({ RedrivePolicy }) => redrivePolicyOf(RedrivePolicy)),
    redriveAllowPolicy: mapKnown(attributes, ({ RedriveAllowPolicy }) => redriveAllowPolicyOf(RedriveAllowPolicy)),
    keyId: mapKnown(attributes, ({ KmsMasterKeyId }) => unlessEmpty(KmsMasterKeyId)),
    policy: mapKnown(attributes, ({ Policy }) => policyOf(Policy)),
    depth: mapKnown(attributes, depthsIn),
  };
}

/** @throws Error when the queues cannot be listed */
export async function checkMayListQueues({ aws }: AccountReader): Promise<void> {
  await aws.client(SQSClient).send(new ListQueuesCommand({ MaxResults: 1 }));
}

/** Reads every queue of the Region. It needs the permissions `sqs:ListQueues` and `sqs:GetQueueAttributes`. */
export async function readQueues(reader: AccountReader, place: AccountPlace): Promise<readonly QueueFacts[]> {
  const sqs = reader.aws.client(SQSClient);
  const pages = paginateListQueues({ client: sqs }, { MaxResults: MOST_LISTED });
  const urls = await reader.list(
    QUEUES,
    itemsOf(pages, ({ QueueUrls }) => QueueUrls),
  );
  return readEach(reader, urls, place);
}

function readEach(reader: AccountReader, urls: readonly string[], place: AccountPlace): Promise<readonly QueueFacts[]> {
  const sqs = reader.aws.client(SQSClient);
  return reader.each(urls, async QueueUrl => {
    const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] });
    const read = async () => (await sqs.send(asked)).Attributes ?? {};
    return queueFacts(QueueUrl, await reader.ask(ATTRIBUTES, queueNameOf(QueueUrl), read), place);
  });
}

/** It hides nothing: without it, all queues are read. */
const SOURCES: InventoryQuestion = {
  action: 'sqs:ListDeadLetterSourceQueues',
  of: ['queue', 'queues'],
  tells: 'the list of source queues',
};

/** Lists the URLs of the queues that use a queue as their dead-letter queue. It needs the permission `sqs:ListDeadLetterSourceQueues`. */
export function listSourceQueues(reader: AccountReader, QueueUrl: string): Promise<MaybeKnown<readonly string[]>> {
  const sqs = reader.aws.client(SQSClient);
  return reader.ask(SOURCES, queueNameOf(QueueUrl), async () => {
    const found: string[] = [];
    const pages = paginateListDeadLetterSourceQueues({ client: sqs }, { QueueUrl, MaxResults: MOST_LISTED });
    for await (const { queueUrls = [] } of pages) found.push(...queueUrls);
    return found;
  });
}

/**
 * Reads the queues that use a queue as their dead-letter queue. It needs the permission `sqs:GetQueueAttributes`, and
 * `sqs:ListDeadLetterSourceQueues`. Without the latter it reads all queues, as `readQueues`.
 */
export async function readSourceQueues(
  reader: AccountReader,
  queueUrl: string,
  place: Promise<AccountPlace>,
): Promise<readonly QueueFacts[]> {
  const [urls, at] = await Promise.all([listSourceQueues(reader, queueUrl), place]);
  return isKnown(urls) ? readEach(reader, urls, at) : readQueues(reader, at);
}
