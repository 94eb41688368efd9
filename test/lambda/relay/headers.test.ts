import { type HeaderParts, requestHeaders } from '../../../lambda/relay/headers';
import { httpRequest } from '../../../local/sns/transports/http-request';
import type { NotificationEnvelope } from '../../../policy/messages/envelope';

const TOPIC_ARN = 'arn:aws:sns:us-east-1:123456789012:Orders';
const SUBSCRIPTION_ARN = `${TOPIC_ARN}:c9135db0-26c4-47ec-8998-413945fb5a96`;
const MESSAGE_ID = '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324';

const ENVELOPE: NotificationEnvelope = {
  Type: 'Notification',
  MessageId: MESSAGE_ID,
  TopicArn: TOPIC_ARN,
  Message: '{}',
  Timestamp: '2026-01-01T00:00:00.000Z',
  UnsubscribeURL: `https://sns.us-east-1.amazonaws.com/?Action=Unsubscribe&SubscriptionArn=${SUBSCRIPTION_ARN}`,
};

const PARTS: HeaderParts = {
  envelope: ENVELOPE,
  contentType: 'text/plain; charset=UTF-8',
  rawMessageDelivery: false,
  headers: {},
};

/** As the embedded SNS, and the real one, sends them to an endpoint. */
function ofSns(raw: boolean): Record<string, unknown> {
  const { headers } = httpRequest('https://hooks.example.com/orders', {
    messageType: 'Notification',
    messageId: MESSAGE_ID,
    topicArn: TOPIC_ARN,
    subscriptionArn: SUBSCRIPTION_ARN,
    raw,
    contentType: PARTS.contentType,
    body: '{}',
  });
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('x-amz-sns-')));
}

/** https://docs.aws.amazon.com/sns/latest/dg/http-header.html */
describe('The headers of a relayed request', () => {
  test.each([
    ['an envelope', false],
    ['a raw message', true],
  ])('are those SNS sends with %s', (_what, rawMessageDelivery) => {
    const headers = requestHeaders({ ...PARTS, rawMessageDelivery });
    expect(headers).toEqual({
      ...ofSns(rawMessageDelivery),
      'Content-Type': 'text/plain; charset=UTF-8',
      'User-Agent': 'Dead Letter Office Relay',
    });
    expect(Object.keys(headers)).toHaveLength(rawMessageDelivery ? 7 : 6);
  });

  test.each([
    ['has no such link, as of a FIFO topic', undefined],
    ['has a link that is no URL', 'unsubscribe'],
    ['has a link that names none', 'https://sns.us-east-1.amazonaws.com/?Action=Unsubscribe'],
  ])('do not name the subscription where the envelope %s', (_what, link) => {
    const { UnsubscribeURL, ...rest } = ENVELOPE;
    const envelope = link === undefined ? rest : { ...rest, UnsubscribeURL: link };
    expect(requestHeaders({ ...PARTS, envelope })).not.toHaveProperty('x-amz-sns-subscription-arn');
  });

  test('are the user’s own, over which secret ones win in whatever case, and then the signature', () => {
    const headers = requestHeaders({
      ...PARTS,
      headers: { 'X-Api-Key': 'shown', 'X-Team': 'billing' },
      secretHeaders: { 'x-api-key': 'secret', Authorization: 'Bearer abc' },
      signature: { 'webhook-id': MESSAGE_ID },
    });
    expect(headers).toMatchObject({
      'x-api-key': 'secret',
      'X-Team': 'billing',
      Authorization: 'Bearer abc',
      'webhook-id': MESSAGE_ID,
    });
    expect(headers).not.toHaveProperty('X-Api-Key');
  });

  test('cannot be replaced, even where nobody has checked the user’s', () => {
    const forged = { 'X-AMZ-SNS-MESSAGE-ID': 'forged', 'content-type': 'forged', 'user-agent': 'forged' };
    const values = Object.values(requestHeaders({ ...PARTS, headers: forged, secretHeaders: forged }));
    expect(values).not.toContain('forged');
  });
});
