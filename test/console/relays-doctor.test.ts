import { type LoggedAttempt, latencyOf, waitingByAttempt } from '../../account/relay/attempt-log';
import { doctorDocument } from '../../console/server/doctor/doctor-feeds';
import { relayDetail } from '../../console/server/relays/relay-feeds';
import { checkInventory } from '../../diagnosis/checks/check-inventory';
import { alarm, inventoryOf, metric, queue, queueArn, subscription, topic } from '../diagnosis/inventories';

type Verdict = LoggedAttempt['record']['relay']['verdict'];

const attempt = (
  deliveryId: string,
  atMs: number,
  attempts: number,
  verdict: Verdict,
  latencyMs = 0,
): LoggedAttempt => ({
  atMs,
  record: {
    notification: { messageMD5Sum: '', messageId: deliveryId, timestamp: '' },
    delivery: {
      deliveryId,
      destination: '',
      providerResponse: '',
      dwellTimeMs: 0,
      attempts,
      ...(latencyMs > 0 && { statusCode: 503 }),
    },
    status: verdict === 'delivered' ? 'SUCCESS' : 'FAILURE',
    relay: {
      verdict,
      reason: '',
      receiveCount: 1,
      latencyMs,
      latenessMs: 0,
      ...(verdict === 'retry' && { nextRetryInSeconds: 60 }),
    },
  },
});

describe('the messages of a relay', () => {
  test('wait for the attempt that follows their last one; delivered and dead ones do not wait', () => {
    const log = [
      attempt('a', 9_000, 3, 'retry'),
      attempt('b', 8_000, 3, 'retry'),
      attempt('c', 7_000, 2, 'delivered'),
      attempt('d', 6_000, 9, 'dead'),
      attempt('e', 5_000, 1, 'retry'),
      attempt('c', 4_000, 1, 'retry'),
      attempt('a', 3_000, 2, 'retry'),
    ];
    expect(Object.fromEntries(waitingByAttempt(log))).toEqual({
      4: { messages: 2, firstDueMs: 68_000 },
      2: { messages: 1, firstDueMs: 65_000 },
    });
  });

  test('have the latency of the attempts that were answered', () => {
    const log = [0, 10, 20, 30, 400].map((latencyMs, at) => attempt('a', at, 1, 'retry', latencyMs));
    expect(latencyOf(log)).toEqual({ medianMs: 30, p95Ms: 400, attempts: 4 });
    expect(latencyOf([attempt('a', 0, 1, 'retry')])).toBeUndefined();
  });

  test('are unknown, and not none, where the log, the counts and the settings cannot be read', () => {
    const relay = { name: 'R', logGroupName: 'L', settings: undefined, problems: [], mapping: undefined };
    const detail = relayDetail({
      relay: { ...relay, isMappingUnknown: true, breaker: undefined },
      messages: undefined,
      activity: { lastHour: undefined, failedAtMs: undefined, deliveredAtMs: undefined, lastFailure: undefined },
      log: { unknownBecause: 'denied' },
      unknowns: ['the records cannot be read'],
    });
    expect(detail).toMatchObject({
      schedule: null,
      waitingElsewhere: null,
      logSinceMs: null,
      lastHour: null,
      latency: null,
      unknowns: ['the records cannot be read'],
    });
  });
});

describe('the page of the doctor', () => {
  test('has the findings by consequence with commands for this AWS, and says what is unknown', () => {
    const inventory = {
      ...inventoryOf({ topics: [topic('orders')], subscriptions: [subscription('orders', 'work')] }),
      unseen: ['the alarms cannot be read'],
      incomplete: ['alarms'] as const,
    };
    const findings = checkInventory(inventory);
    const missing = ['cloudwatch:DescribeAlarms'];
    const page = doctorDocument({ inventory, findings, missing, readAtMs: 5 }, { options: { profile: 'ops' } });
    const all = page.consequences.flatMap(it => it.findings);
    expect(all.flatMap(({ resources }) => resources)).toHaveLength(findings.length);
    expect(page.consequences.reduce((sum, { count }) => sum + count, 0)).toBe(findings.length);
    expect(all.length).toBeGreaterThan(0);
    expect(all.every(({ guide, check }) => guide.endsWith(`doctor.md#${check}`))).toBe(true);
    expect(
      all
        .flatMap(it => it.resources)
        .flatMap(it => it.commands)
        .every(it => it.includes('--profile ops')),
    ).toBe(true);
    expect(page.checked).toContain('at least 0 alarms');
    expect([page.unknowns, JSON.parse(page.missing ?? '')]).toEqual([
      ['the alarms cannot be read'],
      { Effect: 'Allow', Action: missing, Resource: '*' },
    ]);
  });

  test('has what is so for several queues once, with a fix for each', () => {
    const queues = ['a', 'b'].flatMap(name => [
      queue(`${name}-dlq`),
      queue(name, { redrivePolicy: { deadLetterTargetArn: queueArn(`${name}-dlq`), maxReceiveCount: 5 } }),
    ]);
    const alarms = [alarm('other', [metric('other', 'NumberOfMessagesSent')])];
    const inventory = inventoryOf({ queues, alarms });
    const findings = checkInventory(inventory);
    const { consequences } = doctorDocument({ inventory, findings, missing: [], readAtMs: 5 }, { options: {} });
    const unwatched = consequences.flatMap(it => it.findings).filter(it => it.check === 'dead-letters-unwatched');
    expect(unwatched.map(it => [it.says, it.resources])).toEqual([
      [
        'No alarm reports the dead letters in … that come from ….',
        ['a', 'b'].map(name => ({
          name: `${name}-dlq`,
          arn: queueArn(`${name}-dlq`),
          others: [name],
          commands: [expect.stringContaining(`"Value":"${name}-dlq"`)],
        })),
      ],
    ]);
  });
});
