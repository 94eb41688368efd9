import { LambdaClient, paginateListEventSourceMappings } from '@aws-sdk/client-lambda';
import { displayNameOf } from '../../policy/arn';
import { counted } from '../../policy/format-text';
import { parseObject } from '../../policy/json-members';
import type { Connection } from '../connection/connection';
import { BadInput } from '../errors';
import { queueNameOf } from '../names';
import type { NamedQueue } from './named-queue';

/** A redrive policy of the queue itself: SQS moves a letter that is received more often to yet another queue. */
export interface OwnRedrivePolicy {
  readonly maxReceiveCount: number;
  readonly deadLetterTargetArn: string;
}

/** Our choice: where one look is a tenth of all receives a letter has, or more, nobody looks by mistake. */
const FEW_RECEIVES = 10;

/** Undefined where looking moves nothing. */
export function ownRedrivePolicyOf({ attributes }: Pick<NamedQueue, 'attributes'>): OwnRedrivePolicy | undefined {
  const policy = parseObject(attributes['RedrivePolicy']);
  if (!policy) return undefined;
  return {
    maxReceiveCount: Number(policy['maxReceiveCount']),
    deadLetterTargetArn: String(policy['deadLetterTargetArn']),
  };
}

/**
 * Says of a queue with a redrive policy of its own what looking at its letters costs them.
 *
 * @param isForced whether it is done all the same
 * @returns what is to be said; nothing where a look costs nothing
 * @throws BadInput where a look costs much
 */
export function checkReceives(queue: NamedQueue, isForced = false): readonly string[] {
  const policy = ownRedrivePolicyOf(queue);
  if (!policy) return [];
  const { maxReceiveCount, deadLetterTargetArn } = policy;
  const allowed = counted(maxReceiveCount, 'receive', 'receives');
  const text =
    `${queue.name} has a redrive policy of its own: after ${allowed} the next one moves a letter to ` +
    `${queueNameOf(deadLetterTargetArn)}, and to look at it is to receive it`;
  if (maxReceiveCount > FEW_RECEIVES || isForced) return [text];
  throw new BadInput([`${text}. With --force it is done all the same`]);
}

/** The functions that an event source mapping has read the queue now. It takes `lambda:ListEventSourceMappings`. */
export async function readersOf(aws: Connection, { arn }: Pick<NamedQueue, 'arn'>): Promise<readonly string[]> {
  const names: string[] = [];
  const pages = paginateListEventSourceMappings({ client: aws.client(LambdaClient) }, { EventSourceArn: arn });
  for await (const { EventSourceMappings = [] } of pages) {
    const reading = EventSourceMappings.filter(({ State = '' }) => !/^Disabl/.test(State));
    names.push(...reading.map(({ FunctionArn = '' }) => displayNameOf(FunctionArn)));
  }
  return names;
}

/** What is to be known before a queue's letters are looked at that functions read. */
export function readersText({ name }: Pick<NamedQueue, 'name'>, readers: readonly string[]): readonly string[] {
  if (readers.length === 0) return [];
  const who = `${counted(readers.length, 'function', 'functions')} (${readers.join(', ')})`;
  return [`${name} is read by ${who}: what is looked at is hidden from them meanwhile, and what they have is not seen`];
}
