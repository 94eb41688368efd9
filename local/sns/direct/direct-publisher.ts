import type { PublishInput } from '@aws-sdk/client-sns';
import { isE164 } from '../../../policy/limits/phone-number';
import { AwsError } from '../../kernel/aws-error';
import { invalidParameter } from '../errors';
import { checkLength, type Draft, draftOf } from '../publishing/draft';
import type { PublishReceipt } from '../publishing/publisher';
import { textMessageOf } from '../sms/text-message';
import type { SnsInternals } from '../sns-world';
import { DirectDelivery } from './direct-errand';
import { type DirectTarget, textKeyOfDevice } from './direct-message';

/** How long a text message may be; what AWS says of a longer one is not on record, and is ours. */
const MAX_TEXT_LENGTH = 1_600;

function send(world: SnsInternals, target: DirectTarget, { body, attributes, sizeBytes }: Draft): PublishReceipt {
  const { random, timeline } = world.context;
  const message = { id: random.uuid(), target, body, attributes, publishedAtMs: timeline.nowMs };
  new DirectDelivery(world.dispatch, message).start(sizeBytes);
  return { MessageId: message.id };
}

/**
 * Publishes to one phone. Somebody who has opted out gets nothing, which the log tells and not this answer.
 * @throws AwsError
 * @see https://docs.aws.amazon.com/sns/latest/dg/sms_publish-to-phone.html
 */
export function publishToPhone(world: SnsInternals, phoneNumber: string, input: PublishInput): PublishReceipt {
  const draft = draftOf(input, { textKey: 'sms' });
  checkLength(draft);
  if (!isE164(phoneNumber)) {
    throw invalidParameter(`PhoneNumber Reason: ${phoneNumber} is not valid to publish to`);
  }
  if (draft.body.length > MAX_TEXT_LENGTH) throw invalidParameter('Message too long');
  const textMessage = textMessageOf(draft.body, draft.attributes, world.dispatch.phones);
  return send(world, { protocol: 'sms', phoneNumber, textMessage }, draft);
}

/**
 * Publishes to one device.
 * @throws AwsError also when the device, or its app, is disabled
 * @see https://docs.aws.amazon.com/sns/latest/dg/mobile-push-send-directmobile.html
 */
export function publishToDevice(world: SnsInternals, endpointArn: string, input: PublishInput): PublishReceipt {
  const textKey = textKeyOfDevice(endpointArn);
  const draft = draftOf(input, textKey === undefined ? {} : { textKey });
  checkLength(draft);
  const { platforms } = world.dispatch;
  const endpoint = platforms.findEndpoint(endpointArn);
  if (!endpoint) throw invalidParameter('TargetArn Reason: No endpoint found for the target arn specified');
  const refusal = platforms.refusalOf(endpointArn);
  if (refusal) throw new AwsError(refusal.code, refusal.message);
  return send(world, { protocol: 'application', endpoint }, draft);
}
