import { LambdaClient, paginateListEventSourceMappings } from '@aws-sdk/client-lambda';
import { displayNameOf } from '../../policy/arn';
import { counted } from '../../policy/format-text';
import { parseObject } from '../../policy/json-members';
import type { MaybeKnown } from '../../template/maybe-known';
import type { Connection } from '../connection/connection';
import type { Question } from '../connection/unread-calls';
import { BadInput } from '../errors';
import { queueNameOf } from '../names';
import type { NamedQueue } from './named-queue';

/** The redrive policy of the dead-letter queue itself: SQS moves a message that is received more often to another queue. */
export interface OwnRedrivePolicy {
  readonly maxReceiveCount: number;
  readonly deadLetterTargetArn: string;
}

/** With so few allowed receives, each one counts. So the user must confirm. */
const FEW_RECEIVES = 10;

/** Undefined when receiving moves no message. */
export function ownRedrivePolicyOf({ attributes }: Pick<NamedQueue, 'attributes'>): OwnRedrivePolicy | undefined {
  const policy = parseObject(attributes['RedrivePolicy']);
  if (!policy) return undefined;
  return {
    maxReceiveCount: Number(policy['maxReceiveCount']),
    deadLetterTargetArn: String(policy['deadLetterTargetArn']),
  };
}

/** Receiving would soon make SQS move messages to another queue, and the user has not accepted that. */
export class ReceiveMoves extends BadInput {
  constructor(readonly says: string) {
    super([`${says}. --force does it anyway`]);
    this.name = 'ReceiveMoves';
  }
}

/**
 * Checks whether receiving messages would soon make SQS move them to another queue.
 *
 * @param isForced whether the user accepts that
 * @returns warnings, if the queue has a redrive policy of its own
 */
export function checkReceives(queue: NamedQueue, isForced = false): readonly string[] {
  const policy = ownRedrivePolicyOf(queue);
  if (!policy) return [];
  const { maxReceiveCount, deadLetterTargetArn } = policy;
  const allowed = counted(maxReceiveCount, 'receive', 'receives');
  const text =
    `${queue.name} has a redrive policy itself: after ${allowed} SQS moves a message to ` +
    `${queueNameOf(deadLetterTargetArn)}, and looking at a message receives it`;
  if (maxReceiveCount > FEW_RECEIVES || isForced) return [text];
  throw new ReceiveMoves(text);
}

const READERS: Question = { action: 'lambda:ListEventSourceMappings', tells: 'the functions that read the queue' };

/** Lists the functions that read the queue through an event source mapping. It needs `lambda:ListEventSourceMappings`. */
export function readersOf(aws: Connection, { arn }: Pick<NamedQueue, 'arn'>): Promise<MaybeKnown<readonly string[]>> {
  return aws.unread.read(READERS, undefined, () => namesOfReaders(aws, arn));
}

async function namesOfReaders(aws: Connection, arn: string): Promise<readonly string[]> {
  const names: string[] = [];
  const pages = paginateListEventSourceMappings({ client: aws.client(LambdaClient) }, { EventSourceArn: arn });
  for await (const { EventSourceMappings = [] } of pages) {
    const reading = EventSourceMappings.filter(({ State = '' }) => !/^Disabl/.test(State));
    names.push(...reading.map(({ FunctionArn = '' }) => displayNameOf(FunctionArn)));
  }
  return names;
}

export function readersText({ name }: Pick<NamedQueue, 'name'>, readers: readonly string[]): readonly string[] {
  if (readers.length === 0) return [];
  const who = `${counted(readers.length, 'function', 'functions')} (${readers.join(', ')})`;
  return [
    `${name} is read by ${who}. Messages that are looked at are hidden from them meanwhile, and messages they hold are not seen`,
  ];
}
