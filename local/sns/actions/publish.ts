import type { PublishBatchRequestEntry, PublishInput } from '@aws-sdk/client-sns';
import { isE164 } from '../../../policy/address-formats';
import { AwsError } from '../../kernel/aws-error';
import { isEntryId } from '../../kernel/messaging';
import { type DirectTarget, deliverDirectly, textKeyOfDevice } from '../direct-messages/direct-delivery';
import { isEndpointArn } from '../direct-messages/platform-applications';
import { textMessageOf } from '../direct-messages/text-messages';
import { invalidParameter } from '../errors';
import { checkLength, type Draft, draftOf, MAX_MESSAGE_BYTES, messageGroupOf } from '../publish/publish-request';
import { checkTopicKey, type PublishReceipt, publishToTopic } from '../publish/publisher';
import type { SnsState } from '../sns-state';
import { type SnsFamily, topicAt, topicNamed } from './sns-action';

/** **Assumption SNS-27:** A request with several targets is refused. */
function checkTarget({ TopicArn, TargetArn, PhoneNumber }: PublishInput): void {
  if (TopicArn !== undefined && TargetArn !== undefined) {
    throw invalidParameter('TopicArn or TargetArn Reason: only one of them may be given');
  }
  const hasArn = TopicArn !== undefined || TargetArn !== undefined;
  if (hasArn && PhoneNumber !== undefined) {
    throw invalidParameter('PhoneNumber Reason: only one of PhoneNumber and an ARN may be given');
  }
  if (!hasArn && PhoneNumber === undefined) {
    throw invalidParameter('TopicArn or TargetArn Reason: no value for required parameter');
  }
}

/**
 * Maximum length of a text message. **Assumption SNS-28:** AWS does not publish this text, the refusal of a longer
 * message.
 */
const MAX_TEXT_LENGTH = 1_600;

const MAX_ENTRIES = 10;
const MAX_ENTRY_ID_LENGTH = 80;

export const publishActions = {
  /** Publishes to a topic, a device or a phone. */
  Publish: {
    resourceOf: (state, { TopicArn, TargetArn }) => topicAt(state, TopicArn ?? TargetArn),
    run: (state, { caller, input }) => {
      checkTarget(input);
      const { TopicArn, TargetArn, PhoneNumber } = input;
      if (PhoneNumber !== undefined) return publishToPhone(state, PhoneNumber, input);
      const arn = TopicArn ?? TargetArn ?? '';
      const known = state.directory.findTopic(arn);
      if (!known && isEndpointArn(arn)) return publishToDevice(state, arn, input);
      const draft = draftOf(input);
      checkLength(draft);
      const topic = known ?? topicNamed(state, arn);
      const group = messageGroupOf(topic, input);
      checkTopicKey(state, topic, caller);
      return publishToTopic(state, topic, { draft, group }, caller.traceHeader);
    },
  },

  /** Publishes up to ten messages. One malformed entry makes SNS refuse the whole batch. */
  PublishBatch: {
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
  },
} satisfies SnsFamily;

function send(state: SnsState, target: DirectTarget, { body, attributes, sizeBytes }: Draft): PublishReceipt {
  const { random, timeline } = state.context;
  const message = { id: random.uuid(), target, body, attributes, publishedAtMs: timeline.nowMs };
  deliverDirectly(state.services, message, sizeBytes);
  return { MessageId: message.id };
}

/**
 * Publishes to one phone. The call also succeeds for a phone that has opted out: only the delivery-status log shows
 * that nothing was sent.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sms_publish-to-phone.html
 */
function publishToPhone(state: SnsState, phoneNumber: string, input: PublishInput): PublishReceipt {
  const draft = draftOf(input, { textKey: 'sms' });
  checkLength(draft);
  if (!isE164(phoneNumber)) {
    throw invalidParameter(`PhoneNumber Reason: ${phoneNumber} is not valid to publish to`);
  }
  if (draft.body.length > MAX_TEXT_LENGTH) throw invalidParameter('Message too long');
  const textMessage = textMessageOf(draft.body, draft.attributes, state.services.phones);
  return send(state, { protocol: 'sms', phoneNumber, textMessage }, draft);
}

/**
 * Publishes to one device. Recorded on AWS: a disabled device is reported before a broken message.
 * @see https://docs.aws.amazon.com/sns/latest/dg/mobile-push-send-directmobile.html
 */
function publishToDevice(state: SnsState, endpointArn: string, input: PublishInput): PublishReceipt {
  const { platforms } = state.services;
  const endpoint = platforms.findEndpoint(endpointArn);
  if (!endpoint) throw invalidParameter('TargetArn Reason: No endpoint found for the target arn specified');
  const refusal = platforms.refusalOf(endpointArn);
  if (refusal) throw new AwsError(refusal.code, refusal.message);
  const textKey = textKeyOfDevice(endpointArn);
  const draft = draftOf(input, textKey === undefined ? {} : { textKey });
  checkLength(draft);
  return send(state, { protocol: 'application', endpoint }, draft);
}

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
