import { GetQueueAttributesCommand, paginateListQueues, SQSClient } from '@aws-sdk/client-sqs';
import type { QueueFacts, RedriveAllowPolicyFacts, RedrivePolicyFacts } from '../../diagnosis/inventory/inventory';
import { formatArn } from '../../policy/arn';
import { isObject } from '../../policy/json-members';
import { type MaybeKnown, mapKnown } from '../../template/maybe-known';
import { queueNameOf } from '../names';
import { type AccountPlace, type AccountReader, jsonOf, policyOf, type Question, unlessEmpty } from './account-reader';

type Attributes = Readonly<Partial<Record<string, string>>>;

const ATTRIBUTES: Question = {
  action: 'sqs:GetQueueAttributes',
  of: ['queue', 'queues'],
  tells: 'the attributes',
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

function queueFacts(
  url: string,
  attributes: MaybeKnown<Attributes>,
  { partition, region, account }: AccountPlace,
): QueueFacts {
  const name = queueNameOf(url);
  return {
    arn: formatArn({ partition, service: 'sqs', region, account, resource: name }),
    name,
    url,
    isFifo: name.endsWith('.fifo'),
    retentionSeconds: mapKnown(attributes, ({ MessageRetentionPeriod }) => Number(MessageRetentionPeriod)),
    visibilityTimeoutSeconds: mapKnown(attributes, ({ VisibilityTimeout }) => Number(VisibilityTimeout)),
    redrivePolicy: mapKnown(attributes, ({ RedrivePolicy }) => redrivePolicyOf(RedrivePolicy)),
    redriveAllowPolicy: mapKnown(attributes, ({ RedriveAllowPolicy }) => redriveAllowPolicyOf(RedriveAllowPolicy)),
    keyId: mapKnown(attributes, ({ KmsMasterKeyId }) => unlessEmpty(KmsMasterKeyId)),
    policy: mapKnown(attributes, ({ Policy }) => policyOf(Policy)),
  };
}

/** Reads every queue of the Region. It needs the permissions `sqs:ListQueues` and `sqs:GetQueueAttributes`. */
export async function readQueues(reader: AccountReader, place: AccountPlace): Promise<readonly QueueFacts[]> {
  const sqs = reader.aws.client(SQSClient);
  const urls: string[] = [];
  for await (const { QueueUrls = [] } of paginateListQueues({ client: sqs }, { MaxResults: MOST_LISTED })) {
    urls.push(...QueueUrls);
  }
  return reader.each(urls, async QueueUrl => {
    const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] });
    const read = async () => (await sqs.send(asked)).Attributes ?? {};
    return queueFacts(QueueUrl, await reader.ask(ATTRIBUTES, queueNameOf(QueueUrl), read), place);
  });
}
