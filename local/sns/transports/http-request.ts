import type { OutgoingRequest } from '../../network/network';
import type { ControlMessageType } from '../envelope/envelopes';

/** What SNS posts to an endpoint. */
export interface HttpPost {
  readonly messageType: 'Notification' | ControlMessageType;
  readonly messageId: string;
  readonly topicArn: string;
  /** Not shown to an endpoint that is asked to confirm. */
  readonly subscriptionArn?: string;
  /** Whether the body is the bare message. */
  readonly raw?: boolean;
  readonly contentType: string;
  readonly body: string;
}

const DEFAULT_PORTS = { http: 80, https: 443 } as const;

function sender({ messageType, messageId, topicArn, subscriptionArn, raw }: HttpPost): Record<string, string> {
  return {
    'x-amz-sns-message-type': messageType,
    'x-amz-sns-message-id': messageId,
    'x-amz-sns-topic-arn': topicArn,
    ...(subscriptionArn !== undefined && { 'x-amz-sns-subscription-arn': subscriptionArn }),
    ...(raw && { 'x-amz-sns-rawdelivery': 'true' }),
  };
}

/**
 * The request SNS makes of a post to `endpoint`.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-http-https-endpoint-as-subscriber.html
 */
export function httpRequest(endpoint: string, post: HttpPost): OutgoingRequest {
  const url = new URL(endpoint);
  const protocol = url.protocol === 'https:' ? 'https' : 'http';
  const body = Buffer.from(post.body);
  return {
    protocol,
    host: url.hostname,
    port: url.port === '' ? DEFAULT_PORTS[protocol] : Number(url.port),
    method: 'POST',
    path: `${url.pathname}${url.search}`,
    headers: {
      ...sender(post),
      'content-length': String(body.byteLength),
      'content-type': post.contentType,
      host: url.host,
      connection: 'Keep-Alive',
      'user-agent': 'Amazon Simple Notification Service Agent',
      'accept-encoding': 'gzip,deflate',
    },
    body,
  };
}
