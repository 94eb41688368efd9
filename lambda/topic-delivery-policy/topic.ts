import { SetTopicAttributesCommand, type SNSClient } from '@aws-sdk/client-sns';

/** What came of setting a topic's delivery policy. */
export type PolicyOutcome =
  | { readonly kind: 'done' }
  /** SNS said no, and nothing is changed. */
  | { readonly kind: 'gone' | 'denied' | 'refused'; readonly reason: string }
  /** SNS may have done it, or not. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** Sets a topic's `DeliveryPolicy`; the empty text removes it, and SNS's default holds again. */
export type SetDeliveryPolicy = (topicArn: string, policy: string) => Promise<PolicyOutcome>;

const KINDS: Readonly<Record<string, 'gone' | 'denied'>> = {
  NotFound: 'gone',
  NotFoundException: 'gone',
  AuthorizationError: 'denied',
  AuthorizationErrorException: 'denied',
};

function outcomeOfError(error: unknown): PolicyOutcome {
  const { name, message, $metadata } = error as Partial<{ name: string; message: string; $metadata: Metadata }>;
  const { httpStatusCode = 0, requestId } = $metadata ?? {};
  const reason = `${name}: ${message}${requestId ? ` (SNS request ${requestId})` : ''}`;
  if (httpStatusCode < 400 || httpStatusCode >= 500) return { kind: 'unknown', reason };
  return { kind: KINDS[String(name)] ?? 'refused', reason };
}

interface Metadata {
  readonly httpStatusCode?: number;
  readonly requestId?: string;
}

/** @see https://docs.aws.amazon.com/sns/latest/api/API_SetTopicAttributes.html */
export function deliveryPolicySetter(client: SNSClient): SetDeliveryPolicy {
  return async (topicArn, policy) => {
    const input = { TopicArn: topicArn, AttributeName: 'DeliveryPolicy', AttributeValue: policy };
    try {
      await client.send(new SetTopicAttributesCommand(input));
      return { kind: 'done' };
    } catch (error) {
      return outcomeOfError(error);
    }
  };
}
