import { Trace } from '../../../local/kernel/trace';
import type { AwsTraceEvent } from '../../../local/trace-events';
import { TracedMessages } from '../../../local/traced-messages/traced-messages';

const TOPIC = 'arn:aws:sns:us-east-1:123456789012:orders';
const WORK = 'arn:aws:sqs:us-east-1:123456789012:work';
const DEAD = `${WORK}-dlq`;

/** A trace whose clock the test sets. How messages are joined is tested by journeys: test/console/journey.test.ts. */
function followed(keep?: number) {
  const clock = { nowMs: 0 };
  const trace = new Trace<AwsTraceEvent>(clock);
  const messages = new TracedMessages(trace, keep);
  const sent = (messageId: string, queueArn = WORK, body = messageId): void => {
    trace.record({ type: 'sqs.sent', queueArn, messageId, bytes: 1, delaySeconds: 0 });
    trace.note('body', messageId, () => body);
  };
  const received = (messageId: string, queueArn = DEAD): void =>
    trace.record({ type: 'sqs.received', queueArn, messageId, receiveCount: 1, visibilityTimeoutSeconds: 30 });
  const deleted = (messageId: string, queueArn = DEAD): void =>
    trace.record({ type: 'sqs.deleted', queueArn, messageId, receiveCount: 1 });
  return { clock, trace, messages, sent, received, deleted };
}

describe('the messages of a trace', () => {
  test('do not join a message that only has the same body', () => {
    const { clock, messages, sent, received, deleted } = followed();
    sent('first', WORK, 'same');
    clock.nowMs = 1_000;
    sent('dead', DEAD, 'same');
    received('dead');
    deleted('dead');
    expect(messages.all.map(it => it.ids)).toEqual([['first'], ['dead']]);
  });

  test('join a copy that was sent between a receive and the deletion', () => {
    const { messages, sent, received, deleted } = followed();
    sent('dead', DEAD, 'same');
    received('dead');
    sent('copy', WORK, 'same');
    deleted('dead');
    expect(messages.all.map(it => [it.ids, [...it.copies]])).toEqual([[['dead', 'copy'], [['copy', 'dead']]]]);
    expect(messages.find('copy')).toBe(messages.find('dead'));
  });

  test('have what happened before they were followed', () => {
    const trace = new Trace<AwsTraceEvent>({ nowMs: 0 });
    trace.record({ type: 'sns.published', topicArn: TOPIC, messageId: 'early', sizeBytes: 1 });
    const messages = new TracedMessages(trace);
    expect([messages.find('early')?.number, messages.body('early')]).toEqual([1, undefined]);
  });

  test('are forgotten, the oldest first, when there are too many events', () => {
    const { messages, sent } = followed(10);
    for (let at = 1; at <= 13; at += 1) sent(`m${at}`);
    expect(messages.all.map(it => it.number)).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    expect([messages.find('m1'), messages.body('m1'), messages.body('m13')]).toEqual([undefined, undefined, 'm13']);
  });

  test('keep the start of long bodies, and forget the oldest bodies', () => {
    const { messages, sent } = followed();
    for (let at = 0; at < 3_300; at += 1) sent(`m${at}`, WORK, 'x'.repeat(30_000));
    expect(messages.body('m3299')).toHaveLength(20_000);
    expect([messages.body('m99'), messages.body('m100')?.length]).toEqual([undefined, 20_000]);
    expect(messages.all).toHaveLength(3_300);
  });
});
