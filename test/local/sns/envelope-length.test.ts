import fc from 'fast-check';
import { byteLengthOf } from '../../../local/kernel/late-text';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Envelopes } from '../../../local/sns/envelope/envelopes';
import { Message } from '../../../local/sns/message';
import { Subscription } from '../../../local/sns/subscription';
import { Topic } from '../../../local/sns/topic';
import { queueArn, START_MS, TOPIC_ARN } from './sns-fixture';

const attribute = fc.oneof(
  fc.record({ DataType: fc.constant('String'), StringValue: fc.string({ unit: 'binary', minLength: 1 }) }),
  fc.record({ DataType: fc.constant('Binary'), BinaryValue: fc.uint8Array({ minLength: 1 }) }),
);

const publication = fc.record({
  body: fc.string({ unit: 'binary' }),
  subject: fc.option(fc.string({ unit: 'binary' }), { nil: undefined }),
  attributes: fc.dictionary(fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/), attribute, { maxKeys: 3 }),
});

describe('an envelope that is not made yet', () => {
  test.each([
    ['standard', false],
    ['FIFO', true],
  ])('knows how long it will be, on a %s topic', (_kind, isFifo) => {
    const topic = new Topic({ arn: TOPIC_ARN, name: 'Rental-Orders', account: '123456789012', isFifo });
    const subscription = new Subscription({
      arn: `${TOPIC_ARN}:1`,
      topic,
      protocol: 'sqs',
      endpoint: queueArn('Orders'),
      owner: '123456789012',
      token: { text: '0', expiresAtMs: 0 },
    });
    const fifo = isFifo ? { groupId: 'g', deduplicationId: 'd', sequenceNumber: '1'.repeat(20) } : undefined;
    const envelopes = new Envelopes(EXAMPLE_PLACE);
    fc.assert(
      fc.property(publication, content => {
        const id = '01234567-89ab-4cde-8f01-23456789abcd';
        const message = new Message({ ...content, id, topic, fifo, publishedAtMs: START_MS });
        const envelope = envelopes.notification(message, subscription);
        const text = envelope.toString();
        expect(byteLengthOf(envelope)).toBe(Buffer.byteLength(text));
        expect(JSON.parse(text)).toMatchObject({ Message: content.body });
      }),
    );
  });
});
