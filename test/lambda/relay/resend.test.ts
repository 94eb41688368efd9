import { relayHandler } from '../../../lambda/relay/handler';
import type { Ports, Posted } from '../../../lambda/relay/ports';
import type { Again } from '../../../lambda/shared/http-send';
import { SETTINGS } from './relay-fixture';

const START_MS = Date.UTC(2026, 0, 1);

const BODY = JSON.stringify({
  Type: 'Notification',
  MessageId: 'm-1',
  TopicArn: 'arn:aws:sns:us-east-1:123456789012:Orders',
  Message: 'x',
  Timestamp: '2026-01-01T00:00:00.000Z',
});

const RECORD = {
  messageId: 'sqs-1',
  receiptHandle: 'handle',
  body: BODY,
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: String(START_MS),
    ApproximateFirstReceiveTimestamp: String(START_MS),
    SenderId: 's',
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:us-east-1:123456789012:Queue',
  awsRegion: 'us-east-1',
};

/** A relay of a request in six seconds, whose one message meets a connection that is dead. */
function relay(remainingMs: number) {
  let nowMs = START_MS;
  const requestedAt: number[] = [];
  const lines: string[] = [];
  const requested = () => requestedAt.push((nowMs - START_MS) / 1_000);
  const post = async (_envelope: unknown, _body: string, again: Again): Promise<Posted> => {
    requested();
    if (!(await again())) return { verdict: { kind: 'retry', reason: 'reset' }, answer: '', requests: 1 };
    requested();
    return { verdict: { kind: 'delivered', reason: 'taken' }, answer: '', statusCode: 200, requests: 2 };
  };
  const ports: Ports = {
    settings: {
      ...SETTINGS,
      queueUrl: 'https://sqs/Queue',
      deadLetterQueueUrl: 'https://sqs/Dead',
      endpoint: { url: 'https://partner.example.com/' },
      maxReceivesPerSecond: 1,
      maximumConcurrency: 6,
    },
    functionName: 'relay',
    endpoint: async () => ({
      kind: 'ready',
      destination: 'https://partner.example.com/',
      post,
      hasOldSecrets: async () => false,
    }),
    queues: { changeVisibility: async () => new Map(), deadLetterMessage: async () => undefined },
    nowMs: () => nowMs,
    wait: async milliseconds => {
      nowMs += milliseconds;
    },
    chance: () => 0.5,
    print: line => lines.push(typeof line === 'string' ? line : JSON.stringify(line)),
  };
  const context = { getRemainingTimeInMillis: () => remainingMs - (nowMs - START_MS) };
  const answer = () => relayHandler(ports)({ Records: [RECORD] }, context);
  return { answer, requestedAt, lines };
}

describe('A request sent once more over a new connection', () => {
  test('waits for a turn of its own, and is counted', async () => {
    const { answer, requestedAt, lines } = relay(120_000);
    expect(await answer()).toMatchObject({ attempts: 2, delivered: 1, failedAttempts: 0, batchItemFailures: [] });
    expect(requestedAt).toEqual([6, 12]);
    const records = lines.map(line => JSON.parse(line)).filter(line => 'notification' in line);
    expect(records).toMatchObject([{ relay: { requests: 2 }, delivery: { attempts: 1 } }]);
  });

  test('is not sent where too little time is left for it', async () => {
    const { answer, requestedAt, lines } = relay(34_000);
    expect(await answer()).toMatchObject({ attempts: 1, delivered: 0, failedAttempts: 1 });
    expect(requestedAt).toEqual([6]);
    const [record] = lines.map(line => JSON.parse(line)).filter(line => 'notification' in line);
    expect(record.relay).not.toHaveProperty('requests');
  });
});
