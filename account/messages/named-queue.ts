import { GetQueueAttributesCommand, GetQueueUrlCommand, paginateListQueues, SQSClient } from '@aws-sdk/client-sqs';
import { namesShortenedTo } from '../../diagnosis/inventory/short-names';
import { awsFailureOf, isNotFound } from '../../mover/aws/aws-calls';
import { parseArn } from '../../policy/arn';
import type { QueueMessage } from '../../policy/messages/decode-message';
import { nearNames } from '../../policy/near-names';
import { isDenied } from '../connection/calls';
import type { Connection } from '../connection/connection';
import { BadInput } from '../errors';
import { accountPlace } from '../inventory/account-reader';
import { queueNameOf } from '../names';

export interface NamedQueue {
  readonly url: string;
  readonly arn: string;
  readonly name: string;
  readonly isFifo: boolean;
  /** All its attributes, by SQS's names: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_GetQueueAttributes.html */
  readonly attributes: Readonly<Partial<Record<string, string>>>;
}

/** What a name, an ARN or a URL says about a queue. */
interface QueueReference {
  readonly name: string;
  /** @default - the account of the credentials */
  readonly account?: string;
  /** @default - unknown */
  readonly region?: string;
}

const NAME = /^[A-Za-z0-9_-]{1,80}$/;
const FIFO_NAME = /^(?=.{1,80}$)[A-Za-z0-9_-]+\.fifo$/;
const ACCOUNT = /^\d{12}$/;

/** The Region in the host of a queue URL, in current and former formats. */
const REGION_IN_HOST = [/(?:^|\.)sqs(?:-fips)?\.([a-z]{2,}(?:-[a-z0-9]+)+)\./, /^([a-z]{2,}(?:-[a-z0-9]+)+)\.queue\./];

/** The former host of us-east-1 has no Region. */
const OLDEST_HOST = 'queue.amazonaws.com';

function regionOfHost(host: string): string | undefined {
  if (host === OLDEST_HOST) return 'us-east-1';
  return REGION_IN_HOST.map(pattern => pattern.exec(host)?.[1]).find(region => region !== undefined);
}

function ofUrl(text: string): QueueReference | undefined {
  if (!URL.canParse(text)) return undefined;
  const { hostname, pathname } = new URL(text);
  const [name, account] = pathname.split('/').filter(Boolean).reverse();
  const region = regionOfHost(hostname);
  if (name === undefined || account === undefined || !ACCOUNT.test(account)) return undefined;
  return { name, account, ...(region !== undefined && { region }) };
}

function ofArn(text: string): QueueReference | undefined {
  const { service, region, account = '', resource: name = '' } = parseArn(text) ?? {};
  return service === 'sqs' && ACCOUNT.test(account) ? { name, account, ...(region && { region }) } : undefined;
}

/** How to parse a text by its beginning, and the rule to report when it cannot be parsed. */
const FORMS = [
  { begins: /^arn:/, read: ofArn, mustBe: 'the ARN of a queue: arn:aws:sqs:eu-central-1:123456789012:orders-dlq' },
  {
    begins: /^https?:\/\//,
    read: ofUrl,
    mustBe: 'the URL of a queue: https://sqs.eu-central-1.amazonaws.com/123456789012/orders-dlq',
  },
  {
    begins: /^/,
    read: (name: string): QueueReference => ({ name }),
    mustBe:
      'a name, an ARN or a URL; a name has 1 to 80 letters, digits, - and _, and ends in .fifo where the queue is FIFO',
  },
];

function meantBy(text: string): QueueReference {
  const form = FORMS.find(({ begins }) => begins.test(text));
  const meant = form?.read(text);
  if (meant && (NAME.test(meant.name) || FIFO_NAME.test(meant.name))) return meant;
  throw new BadInput([`the queue must be ${form?.mustBe}; got ${JSON.stringify(text)}`]);
}

async function attributesOf(sqs: SQSClient, QueueUrl: string) {
  const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] });
  return (await sqs.send(asked)).Attributes ?? {};
}

/** For a queue of another account, SQS may answer that access is denied or that the queue does not exist. */
async function find(aws: Connection, sqs: SQSClient, meant: QueueReference): Promise<NamedQueue | undefined> {
  const { name, account } = meant;
  try {
    const asked = new GetQueueUrlCommand({ QueueName: name, QueueOwnerAWSAccountId: account });
    const { QueueUrl: url = '' } = await sqs.send(asked);
    const attributes = await attributesOf(sqs, url);
    return { url, arn: attributes['QueueArn'] ?? '', name, isFifo: name.endsWith('.fifo'), attributes };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    if (account !== undefined && isDenied(error) && account !== (await accountPlace(aws)).account) return undefined;
    throw error;
  }
}

/** The names of all queues of the Region. Empty when the caller may not list them. */
async function namesInRegion(sqs: SQSClient): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for await (const { QueueUrls = [] } of paginateListQueues({ client: sqs }, { MaxResults: 1_000 })) {
      names.push(...QueueUrls.map(queueNameOf));
    }
  } catch (error) {
    if (!awsFailureOf(error, 'ListQueues')) throw error;
  }
  return names;
}

/** Finds the queue with a short name, as `dlo dlq ls` shows it. */
async function findShort(aws: Connection, sqs: SQSClient, meant: QueueReference): Promise<NamedQueue> {
  const { name, account } = meant;
  const { account: own } = await accountPlace(aws);
  if (account !== undefined && account !== own) {
    const who = `the credentials belong to the account ${own}`;
    throw new BadInput([
      `no queue of the account ${account} in ${aws.region} is named ${name}, or you may not access it: ${who}`,
    ]);
  }
  const names = await namesInRegion(sqs);
  const [found, ...others] = namesShortenedTo(name, names);
  if (found !== undefined && others.length > 0) {
    throw new BadInput([`${name} is short for several queues: use one of ${[found, ...others].join(', ')}`]);
  }
  const queue = found === undefined ? undefined : await find(aws, sqs, { ...meant, name: found });
  if (queue) return queue;
  const near = nearNames(name, names);
  const advice = near.length === 0 ? '' : `. Similar names: ${near.join(', ')}`;
  throw new BadInput([`no queue of the account ${own} in ${aws.region} is named ${name}${advice}`]);
}

/** Resolves the queue that the user named by name, short name, ARN or URL. It needs `QUEUE_NAMED_READS`. */
export async function queueNamed(aws: Connection, text: string): Promise<NamedQueue> {
  const meant = meantBy(text);
  const { region = aws.region } = meant;
  if (region !== aws.region) {
    throw new BadInput([`${text} is in ${region}, but the Region is ${aws.region}: add --region ${region}`]);
  }
  const sqs = aws.client(SQSClient);
  return (await find(aws, sqs, meant)) ?? findShort(aws, sqs, meant);
}

/** When SQS deletes a message because its retention period is over. */
export interface MessageExpiry {
  readonly atMs: number;
  /** Whether it may be later. A FIFO queue restarts the period when SQS moves a message, at an unknown time. */
  readonly mayBeLater: boolean;
}

/**
 * The retention period starts when the message was first sent, to whichever queue. A move by a redrive policy does not restart it.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
 */
export function expiryOf(
  { sentAtMs, movedFromArn }: Pick<QueueMessage, 'sentAtMs' | 'movedFromArn'>,
  { isFifo, attributes }: Pick<NamedQueue, 'isFifo' | 'attributes'>,
): MessageExpiry {
  const retentionMs = Number(attributes['MessageRetentionPeriod']) * 1_000;
  return { atMs: sentAtMs + retentionMs, mayBeLater: isFifo && movedFromArn !== undefined };
}
