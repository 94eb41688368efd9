import type { BatchResultErrorEntry } from '@aws-sdk/client-sqs';
import { QUEUE_BATCH_SIZE } from '../../../policy/aws-limits';
import { AwsError } from '../../kernel/aws-error';
import { isEntryId } from '../../kernel/messaging';

interface Entry {
  readonly Id: string | undefined;
}

export interface BatchResult<Success> {
  Successful: Success[] | undefined;
  Failed: BatchResultErrorEntry[] | undefined;
}

const batchError = (name: string, text: string): AwsError => new AwsError(`AWS.SimpleQueueService.${name}`, text);

/**
 * Processes each entry of a batch. An error fails only its entry, in the words of AWS.
 * @param kind the name under which AWS counts missing entries, for example `SendMessageBatchRequestEntry`
 * @param checkAll throws an error of an entry that fails the whole batch
 */
export function answerBatch<E extends Entry, Success>(
  entries: readonly E[] | undefined,
  kind: string,
  answer: (entry: E, id: string) => Success,
  checkAll: (entries: readonly E[]) => void = () => {},
): BatchResult<Success> {
  const successful: Success[] = [];
  const failed: BatchResultErrorEntry[] = [];
  const byId = checkedEntries(entries, kind);
  checkAll(entries ?? []);
  for (const [id, entry] of byId) {
    try {
      successful.push(answer(entry, id));
    } catch (error) {
      if (!(error instanceof AwsError) || error.fault === 'server') throw error;
      failed.push({ Id: id, SenderFault: true, Code: error.code, Message: error.message });
    }
  }
  return {
    Successful: successful.length > 0 ? successful : undefined,
    Failed: failed.length > 0 ? failed : undefined,
  };
}

function checkedEntries<E extends Entry>(entries: readonly E[] | undefined, kind: string): ReadonlyMap<string, E> {
  if (!entries || entries.length === 0) {
    throw batchError('EmptyBatchRequest', `There should be at least one ${kind} in the request.`);
  }
  if (entries.length > QUEUE_BATCH_SIZE) {
    throw batchError(
      'TooManyEntriesInBatchRequest',
      `Maximum number of entries per request are ${QUEUE_BATCH_SIZE}. You have sent ${entries.length}.`,
    );
  }
  const byId = new Map<string, E>();
  for (const entry of entries) {
    const id = entry.Id ?? '';
    if (!isEntryId(id)) {
      throw batchError(
        'InvalidBatchEntryId',
        'A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.',
      );
    }
    if (byId.has(id)) throw batchError('BatchEntryIdsNotDistinct', `Id ${id} repeated.`);
    byId.set(id, entry);
  }
  return byId;
}
