import type { PublishBatchRequestEntry } from '@aws-sdk/client-sns';
import { AwsError } from '../../kernel/aws-error';
import { isEntryId } from '../../kernel/messaging';
import { draftOf, MAX_MESSAGE_BYTES, messageGroupOf } from '../publish/publish-request';
import { checkTopicKey, publishToTopic } from '../publish/publisher';
import { type SnsAction, topicAt, topicNamed } from './sns-action';

const MAX_ENTRIES = 10;
const MAX_ENTRY_ID_LENGTH = 80;

function checkEntries(entries: readonly PublishBatchRequestEntry[]): void {
  if (entries.length === 0) throw new AwsError('EmptyBatchRequest', "The batch request doesn't contain any entries.");
  if (entries.length > MAX_ENTRIES) {
    throw new AwsError('TooManyEntriesInBatchRequest', 'The batch request contains more entries than permissible.');
  }
  if (new Set(entries.map(({ Id }) => Id)).size < entries.length) {
    throw new AwsError('BatchEntryIdsNotDistinct', 'Two or more batch entries in the request have the same Id.');
  }
  for (const { Id = '' } of entries) checkEntryId(Id);
}

/** Recorded on AWS: the text says which rule the id breaks. */
function checkEntryId(id: string): void {
  if (isEntryId(id)) return;
  const rule = id.length > MAX_ENTRY_ID_LENGTH ? 'is too long' : 'contains an impermissible character';
  throw new AwsError('InvalidBatchEntryId', `The Id of a batch entry in the batch request ${rule}: ${id}`);
}

/**
 * Publishes up to ten messages. One malformed entry makes SNS refuse the whole batch.
 * @see https://docs.aws.amazon.com/sns/latest/api/API_PublishBatch.html
 */
export const publishBatch: SnsAction<'PublishBatch'> = {
  permission: 'sns:Publish',
  resourceOf: (state, { TopicArn }) => topicAt(state, TopicArn),
  run: (state, { caller, input: { TopicArn, PublishBatchRequestEntries: entries = [] } }) => {
    checkEntries(entries);
    const topic = topicNamed(state, TopicArn);
    const drafts = entries.map((entry, i) => ({
      Id: entry.Id,
      draft: draftOf(entry, { attributesPath: `publishBatchRequestEntries.${i + 1}.member.messageAttributes` }),
      group: messageGroupOf(topic, entry),
    }));
    if (drafts.reduce((sum, { draft }) => sum + draft.sizeBytes, 0) > MAX_MESSAGE_BYTES) {
      const text = 'The length of all the messages put together is more than the limit.';
      throw new AwsError('BatchRequestTooLong', text);
    }
    checkTopicKey(state, topic, caller);
    return {
      Successful: drafts.map(({ Id, ...draft }) => ({
        Id,
        ...publishToTopic(state, topic, draft, caller.traceHeader),
      })),
      Failed: [],
    };
  },
};
