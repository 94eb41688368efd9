import { type NotificationEnvelope, subscriptionArnOf } from '../../policy/messages/envelope';
import type { Headers } from '../../policy/relay/headers';

/**
 * Returns the headers that SNS would send.
 * @see https://docs.aws.amazon.com/sns/latest/dg/http-header.html
 */
export function snsHeaders(envelope: NotificationEnvelope, rawMessageDelivery: boolean): Headers {
  const subscriptionArn = subscriptionArnOf(envelope);
  return {
    'x-amz-sns-message-type': envelope.Type,
    'x-amz-sns-message-id': envelope.MessageId,
    'x-amz-sns-topic-arn': envelope.TopicArn,
    ...(subscriptionArn !== undefined && { 'x-amz-sns-subscription-arn': subscriptionArn }),
    ...(rawMessageDelivery && { 'x-amz-sns-rawdelivery': 'true' }),
  };
}
