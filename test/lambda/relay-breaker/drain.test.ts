import type { Message } from '@aws-sdk/client-sqs';
import { type DrainOrder, relayDrain } from '../../../lambda/relay-breaker/drain';
import type { RelayResponse } from '../../../lambda/relay-breaker/relay-call';
import type { RelayQueue } from '../../../lambda/relay-breaker/relay-queue';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 0, 5, 9);

/** Of a queue that keeps messages for four hours: those of three hours and more are expiring. */
function message(MessageId: string, hoursOld: number, Body = 'a body'): Message {
  const SentTimestamp = String(NOW - hoursOld * HOUR);
  return { MessageId, ReceiptHandle: `handle of ${MessageId}`, Body, Attributes: { SentTimestamp } };
}

/** No more than it takes to put messages back. */
const handles = (...ids: readonly string[]) => ids.map(id => ({ ReceiptHandle: `handle of ${id}` }));

const answered = (...failed: readonly string[]): RelayResponse => ({
  answer: {
    batchItemFailures: failed.map(itemIdentifier => ({ itemIdentifier })),
    attempts: 0,
    delivered: 0,
    failedAttempts: 0,
  },
});

interface Scene {
  /** What each receive brings, or how it fails. */
  readonly batches: readonly (readonly Message[] | Error)[];
  /** What the relay says, time after time, or how asking it fails. @default - it gives up all it is asked to */
  readonly answers?: readonly (RelayResponse | Error)[];
  readonly order?: Partial<DrainOrder>;
}

async function drained({ batches, answers = [], order = {} }: Scene) {
  const [arriving, saying] = [[...batches], [...answers]];
  const ids = (messages: readonly Message[]) => messages.map(({ MessageId }) => MessageId);
  const did: unknown[] = [];
  const queue: RelayQueue = {
    receive: async ({ hiddenSeconds }) => {
      did.push(['receive', hiddenSeconds]);
      const came = arriving.shift() ?? [];
      if (came instanceof Error) throw came;
      return came;
    },
    remove: async messages => void did.push(['remove', ids(messages)]),
    putBack: async messages => void did.push(['put back', messages]),
    inFlight: () => Promise.reject(new Error('nobody asked')),
  };
  const drain = relayDrain({
    queue,
    ask: async ({ Records, expiring }) => {
      did.push([expiring ? 'give up' : 'try', Records.map(({ messageId }) => messageId)]);
      const said = saying.shift() ?? answered();
      if (said instanceof Error) throw said;
      return said;
    },
    nowMs: () => NOW,
    queueArn: 'arn:aws:sqs:us-east-1:123456789012:Relay',
    retentionMs: 4 * HOUR,
  });
  const came = await drain({ held: [], isSweep: false, remainingMs: () => 250_500, ...order });
  return { came, did };
}

test('A drain gives up what it was handed, and goes on until it receives nothing that expires', async () => {
  const batches = [[message('b', 3.5), message('c', 2.9)], [message('d', 2)], [message('e', 3.9)]];
  const { came, did } = await drained({ batches, order: { held: [message('a', 3.9)] } });
  expect(came).toEqual({ givenUp: 2, failed: 0, putBack: 2, ended: 'nothing more expires', errors: [] });
  expect(did).toEqual([
    ['give up', ['a']],
    ['remove', ['a']],
    ['receive', 251],
    ['give up', ['b']],
    ['remove', ['b']],
    ['receive', 251],
    ['put back', handles('c', 'd')],
  ]);
});

test('A sweep goes on to the end, and puts back what lasts longer only then', async () => {
  const batches = [[message('a', 1)], [message('b', 2)], [message('c', 3)]];
  const { came, did } = await drained({ batches, order: { isSweep: true } });
  expect(came).toEqual({ givenUp: 1, failed: 0, putBack: 2, ended: 'no message is left', errors: [] });
  expect(did.at(-1)).toEqual(['put back', handles('a', 'b')]);
});

test('A drain ends while there is time to put back what it has', async () => {
  let remaining = 120_000;
  const remainingMs = () => (remaining -= 10_000);
  const batches = Array.from({ length: 20 }, (_, index) => [message(`old ${index}`, 3), message(`new ${index}`, 1)]);
  const { came, did } = await drained({ batches, order: { remainingMs } });
  expect(came).toMatchObject({ givenUp: 3, putBack: 3, ended: 'the time was over' });
  expect(did.at(-1)).toEqual(['put back', handles('new 0', 'new 1', 'new 2')]);
});

test('What the relay does not give up is not deleted, and what stands behind it is given up all the same', async () => {
  const broken = { broken: 'it was throttled' };
  const refused = new Error('too large');
  const batches = ['a', 'b', 'c', 'd', 'e'].map(id => [message(`${id}1`, 3), message(`${id}2`, 3)]);
  const answers = [answered('a1'), answered('b1', 'b2'), broken, answered(), refused];
  const { came, did } = await drained({ batches, answers });
  expect(came).toEqual({ givenUp: 3, failed: 7, putBack: 0, ended: 'no message is left', errors: [refused] });
  const removed = did.filter(it => Array.isArray(it) && it[0] === 'remove' && String(it[1]) !== '');
  expect(removed).toEqual([
    ['remove', ['a2']],
    ['remove', ['d1', 'd2']],
  ]);
});

test.each([
  ['the dead-letter queue takes none', answered('a', 'b', 'c', 'd')],
  ['it was throttled', { broken: 'it was throttled' }],
  ['Error: no permission', new Error('no permission')],
])('A drain ends where three batches in a row are in vain: %s', async (ended, answer) => {
  const batches = [['x'], ['a'], ['b'], ['c'], ['d']].map(ids => ids.map(id => message(id, 3)));
  const { came, did } = await drained({ batches, answers: [answered(), answer, answer, answer] });
  expect(came).toMatchObject({ givenUp: 1, failed: 3, ended });
  expect(did.filter(it => Array.isArray(it) && it[0] === 'give up')).toHaveLength(4);
});

/** https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html: 6,291,456 bytes; a quote takes two in JSON. */
test('What is large is given up in several invocations, each of which Lambda takes', async () => {
  const batch = Array.from({ length: 10 }, (_, index) => message(String(index), 3, '"'.repeat(600_000)));
  const { came, did } = await drained({ batches: [batch] });
  expect(came).toMatchObject({ givenUp: 10, failed: 0 });
  const asked = did.flatMap(it => (Array.isArray(it) && it[0] === 'give up' ? [it[1].length] : []));
  expect(asked).toEqual([3, 3, 3, 1]);
});

test('A sweep whose queue fails puts back what it has, and says what went wrong', async () => {
  const gone = new Error('the queue is gone');
  const { came, did } = await drained({ batches: [[message('a', 1)], gone], order: { isSweep: true } });
  expect(came).toMatchObject({ putBack: 1, errors: [gone] });
  expect(did.at(-1)).toEqual(['put back', handles('a')]);
});
