import { createColors } from 'picocolors';
import { followLine } from '../../../bin/local/follow/line';
import { plainPaint } from '../../../bin/paint';
import type { TracedAwsEvent } from '../../../local';

const AT = { seq: 1, atMs: Date.UTC(2026, 0, 5, 8, 30, 1, 250) };
const ids = {
  topicArn: 'arn:aws:sns:us-east-1:123456789012:Rental-Orders',
  messageId: '3f2a81bc-0000-4000-8000-000000000000',
  subscriptionArn: 'arn:aws:sns:us-east-1:123456789012:Rental-Orders:9d9d9d9d-0000-4000-8000-000000000000',
};

const attempt = (outcome: 'delivered' | 'retry' | 'dead'): TracedAwsEvent => ({
  ...AT,
  type: 'sns.attempt',
  ...ids,
  protocol: 'https',
  attempt: 2,
  outcome,
  reason: 'the endpoint failed (503)',
  delaySeconds: 20,
});

describe('a happening as a line', () => {
  it('says when, what, and what about, with names and short ids', () => {
    expect(followLine(attempt('retry'), plainPaint)).toBe(
      '2026-01-05 08:30:01.250  sns.attempt               topic=Rental-Orders message=3f2a81bc subscription=9d9d9d9d protocol=https ' +
        'attempt=2 outcome=retry reason="the endpoint failed (503)" delaySeconds=20',
    );
  });

  it('flattens what lies inside, lists what is a list, and leaves out what is empty', () => {
    const lost: TracedAwsEvent = {
      ...AT,
      type: 'sns.lost',
      ...ids,
      protocol: 'sqs',
      attempts: 1,
      cause: { kind: 'client-error', statusCode: 403, reason: 'no' },
    };
    expect(followLine(lost, plainPaint)).toMatch(/attempts=1 kind=client-error statusCode=403 reason=no$/);
    const queued: TracedAwsEvent = {
      ...AT,
      type: 'lambda.event-queued',
      functionArn: 'arn:aws:lambda:us-east-1:123456789012:function:billing',
      requestId: ids.messageId,
      bytes: 2,
      messageIds: [],
    };
    expect(followLine(queued, plainPaint)).toMatch(/function=billing request=3f2a81bc bytes=2$/);
    expect(followLine({ ...queued, messageIds: [ids.messageId, 'b'] }, plainPaint)).toMatch(/messages=3f2a81bc,b$/);
  });

  it('cuts short what is long', () => {
    const line = followLine(
      { ...AT, type: 'sqs.refused', action: 'a', resource: '*', code: 'c', reason: 'x'.repeat(500) },
      plainPaint,
    );
    expect(line.length).toBeLessThan(220);
    expect(line).toMatch(/x…"?$/);
  });

  it.each([
    ['delivered', 'green'],
    ['retry', 'yellow'],
    ['dead', 'red'],
  ] as const)('is coloured by how it ended: %s', (outcome, colour) => {
    const paint = createColors(true);
    expect(followLine(attempt(outcome), paint)).toContain(paint[colour]('sns.attempt             '));
  });

  it.each([
    ['lambda.event-lost', 'red'],
    ['sqs.dead-lettered', 'yellow'],
    ['sns.delivered', 'green'],
    ['retry-service.failed-over', undefined],
    ['wire.not-implemented', 'red'],
    ['sns.undelivered-note', undefined],
  ] as const)('is coloured by the end of its type: %s is %s', (type, colour) => {
    const paint = createColors(true);
    const line = followLine({ ...AT, type } as unknown as TracedAwsEvent, paint);
    expect(line).toContain(colour ? paint[colour](type.padEnd(24)).trimEnd() : type);
    expect(
      line.startsWith(
        `${paint.dim('2026-01-05 08:30:01.250')}  ${colour ? paint[colour]('@').split('@')[0] : ''}${type}`,
      ),
    ).toBe(true);
  });
});
