import type { PublishInput } from '@aws-sdk/client-sns';
import { isE164 } from '../../../policy/address-formats';
import { AwsError } from '../../kernel/aws-error';
import { DirectDelivery, type DirectTarget, textKeyOfDevice } from '../direct-messages/direct-delivery';
import { isEndpointArn } from '../direct-messages/platform-applications';
import { textMessageOf } from '../direct-messages/text-messages';
import { invalidParameter } from '../errors';
import { checkLength, type Draft, draftOf, messageGroupOf } from '../publish/publish-request';
import { checkTopicKey, type PublishReceipt, publishToTopic } from '../publish/publisher';
import type { SnsState } from '../sns-state';
import { type SnsAction, topicAt, topicNamed } from './sns-action';

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
 * Publishes to a topic, a device or a phone.
 * @see https://docs.aws.amazon.com/sns/latest/api/API_Publish.html
 */
export const publish: SnsAction<'Publish'> = {
  permission: 'sns:Publish',
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
};

/**
 * Maximum length of a text message. **Assumption SNS-28:** AWS does not publish this text, the refusal of a longer
 * message.
 */
const MAX_TEXT_LENGTH = 1_600;

function send(state: SnsState, target: DirectTarget, { body, attributes, sizeBytes }: Draft): PublishReceipt {
  const { random, timeline } = state.context;
  const message = { id: random.uuid(), target, body, attributes, publishedAtMs: timeline.nowMs };
  new DirectDelivery(state.services, message).start(sizeBytes);
  return { MessageId: message.id };
}

/**
 * Publishes to one phone. The call also succeeds for a phone that has opted out: only the delivery-status log shows
 * that nothing was sent.
 * @throws AwsError
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
 * @throws AwsError also when the device or its application is disabled
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
