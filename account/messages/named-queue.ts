import { GetQueueAttributesCommand, GetQueueUrlCommand, paginateListQueues, SQSClient } from '@aws-sdk/client-sqs';
import { awsFailureOf, isNotFound } from '../../mover/aws-calls';
import { parseArn } from '../../policy/arn';
import type { QueueMessage } from '../../policy/messages/decode-message';
import type { Connection } from '../connection/connection';
import { BadInput } from '../errors';
import { accountPlace } from '../inventory/account-reader';
import { nearNames, queueNameOf } from '../names';

/** A queue as a command works with it. */
export interface NamedQueue {
  readonly url: string;
  readonly arn: string;
  readonly name: string;
  readonly isFifo: boolean;
  /** All that SQS tells of it, by SQS's names: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_GetQueueAttributes.html */
  readonly attributes: Readonly<Partial<Record<string, string>>>;
}

/** What a name, an ARN or a URL says of the queue it means. */
interface Meant {
  readonly name: string;
  /** @default - that of whoever asks */
  readonly account?: string;
  /** @default - it does not say */
  readonly region?: string;
}

const NAME = /^[A-Za-z0-9_-]{1,80}$/;
const FIFO_NAME = /^(?=.{1,80}$)[A-Za-z0-9_-]+\.fifo$/;
const ACCOUNT = /^\d{12}$/;

/** Where a URL's host says the queue is, in the forms SQS has and has had. */
const REGION_IN_HOST = [/(?:^|\.)sqs(?:-fips)?\.([a-z]{2,}(?:-[a-z0-9]+)+)\./, /^([a-z]{2,}(?:-[a-z0-9]+)+)\.queue\./];

/** The first Region's queues had one without its name. */
const OLDEST_HOST = 'queue.amazonaws.com';

function regionOfHost(host: string): string | undefined {
  if (host === OLDEST_HOST) return 'us-east-1';
  return REGION_IN_HOST.map(pattern => pattern.exec(host)?.[1]).find(region => region !== undefined);
}

function ofUrl(text: string): Meant | undefined {
  if (!URL.canParse(text)) return undefined;
  const { hostname, pathname } = new URL(text);
  const [name, account] = pathname.split('/').filter(Boolean).reverse();
  const region = regionOfHost(hostname);
  if (name === undefined || account === undefined || !ACCOUNT.test(account)) return undefined;
  return { name, account, ...(region !== undefined && { region }) };
}

function ofArn(text: string): Meant | undefined {
  const { service, region, account = '', resource: name = '' } = parseArn(text) ?? {};
  return service === 'sqs' && ACCOUNT.test(account) ? { name, account, ...(region && { region }) } : undefined;
}

/** How a text that begins so is read, and what is wrong with it where it cannot be. */
const FORMS = [
  { begins: /^arn:/, read: ofArn, mustBe: 'the ARN of a queue: arn:aws:sqs:eu-central-1:123456789012:orders-dlq' },
  {
    begins: /^https?:\/\//,
    read: ofUrl,
    mustBe: 'the URL of a queue: https://sqs.eu-central-1.amazonaws.com/123456789012/orders-dlq',
  },
  {
    begins: /^/,
    read: (name: string): Meant => ({ name }),
    mustBe:
      'a name, an ARN or a URL; a name has 1 to 80 letters, digits, - and _, and ends in .fifo where the queue is FIFO',
  },
];

function meantBy(text: string): Meant {
  const form = FORMS.find(({ begins }) => begins.test(text));
  const meant = form?.read(text);
  if (meant && (NAME.test(meant.name) || FIFO_NAME.test(meant.name))) return meant;
  throw new BadInput([`the queue must be ${form?.mustBe}; got ${JSON.stringify(text)}`]);
}

async function attributesOf(sqs: SQSClient, QueueUrl: string) {
  const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] });
  return (await sqs.send(asked)).Attributes ?? {};
}

async function find(sqs: SQSClient, { name, account }: Meant): Promise<NamedQueue | undefined> {
  try {
    const asked = new GetQueueUrlCommand({ QueueName: name, QueueOwnerAWSAccountId: account });
    const { QueueUrl: url = '' } = await sqs.send(asked);
    const attributes = await attributesOf(sqs, url);
    return { url, arn: attributes['QueueArn'] ?? '', name, isFifo: name.endsWith('.fifo'), attributes };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** All queues of the Region, by their names; none where AWS does not tell. */
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

async function notThere(aws: Connection, sqs: SQSClient, { name, account }: Meant): Promise<BadInput> {
  const { account: own } = await accountPlace(aws);
  if (account !== undefined && account !== own) {
    const who = `these credentials are of the account ${own}`;
    return new BadInput([
      `no queue of the account ${account} in ${aws.region} is named ${name}, or you may not see it: ${who}`,
    ]);
  }
  const near = nearNames(name, await namesInRegion(sqs));
  const advice = near.length === 0 ? '' : `; near it: ${near.join(', ')}`;
  return new BadInput([`no queue of the account ${own} in ${aws.region} is named ${name}${advice}`]);
}

/**
 * The queue somebody means. It takes `QUEUE_NAMED_READS`.
 *
 * @param text its name, ARN or URL
 * @throws BadInput where it is none of these, or of another Region, or there is no such queue
 */
export async function queueNamed(aws: Connection, text: string): Promise<NamedQueue> {
  const meant = meantBy(text);
  const { region = aws.region } = meant;
  if (region !== aws.region) {
    throw new BadInput([`${text} is of ${region}, and ${aws.region} is asked: add --region ${region}`]);
  }
  const sqs = aws.client(SQSClient);
  const queue = await find(sqs, meant);
  if (queue) return queue;
  throw await notThere(aws, sqs, meant);
}

/** When a queue loses a letter. */
export interface MessageExpiry {
  readonly atMs: number;
  /** Whether it may be later: a FIFO queue counts anew from the move, of which nobody tells when it was. */
  readonly mayBeLater: boolean;
}

/**
 * A letter is kept from when it was first sent, to whichever queue: a move by a redrive policy does not make it younger.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
 */
export function expiryOf(
  { sentAtMs, movedFromArn }: Pick<QueueMessage, 'sentAtMs' | 'movedFromArn'>,
  { isFifo, attributes }: Pick<NamedQueue, 'isFifo' | 'attributes'>,
): MessageExpiry {
  const retentionMs = Number(attributes['MessageRetentionPeriod']) * 1_000;
  return { atMs: sentAtMs + retentionMs, mayBeLater: isFifo && movedFromArn !== undefined };
}
