import type { Message } from '@aws-sdk/client-sqs';
import { type DrainOrder, draining } from '../../../lambda/relay-breaker/drain';
import type { Asked } from '../../../lambda/relay-breaker/relay-call';
import type { RelayQueue } from '../../../lambda/relay-breaker/relay-queue';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 0, 5, 9);

/** Of a queue that keeps messages for four hours: those of three hours and more are expiring. */
function message(MessageId: string, hoursOld: number): Message {
  return { MessageId, Attributes: { SentTimestamp: String(NOW - hoursOld * HOUR) } };
}

const answered = (...failed: readonly string[]): Asked => ({
  answer: { batchItemFailures: failed.map(itemIdentifier => ({ itemIdentifier })), attempts: 0, failedAttempts: 0 },
});

interface Scene {
  /** What each receive brings. */
  readonly batches: readonly (readonly Message[])[];
  /** What the relay says, time after time. @default - it gives up all it is asked to */
  readonly answers?: readonly Asked[];
  readonly order?: Partial<DrainOrder>;
}

async function drained({ batches, answers = [], order = {} }: Scene) {
  const [arriving, saying] = [[...batches], [...answers]];
  const ids = (messages: readonly Message[]) => messages.map(({ MessageId }) => MessageId);
  const did: unknown[] = [];
  const queue: RelayQueue = {
    receive: async ({ hiddenSeconds }) => {
      did.push(['receive', hiddenSeconds]);
      return arriving.shift() ?? [];
    },
    remove: async messages => void did.push(['remove', ids(messages)]),
    putBack: async messages => void did.push(['put back', ids(messages)]),
    inFlight: () => Promise.reject(new Error('nobody asked')),
  };
  const drain = draining({
    queue,
    ask: async ({ Records, expiring }) => {
      did.push([expiring ? 'give up' : 'try', Records.map(({ messageId }) => messageId)]);
      return saying.shift() ?? answered();
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
  expect(came).toEqual({ givenUp: 2, putBack: 2, ended: 'nothing more expires' });
  expect(did).toEqual([
    ['give up', ['a']],
    ['remove', ['a']],
    ['receive', 251],
    ['give up', ['b']],
    ['remove', ['b']],
    ['receive', 251],
    ['put back', ['c', 'd']],
  ]);
});

test('A sweep goes on to the end, and puts back what lasts longer only then', async () => {
  const batches = [[message('a', 1)], [message('b', 2)], [message('c', 3)]];
  const { came, did } = await drained({ batches, order: { isSweep: true } });
  expect(came).toEqual({ givenUp: 1, putBack: 2, ended: 'no message is left' });
  expect(did.at(-1)).toEqual(['put back', ['a', 'b']]);
});

test('A drain ends while there is time to put back what it has', async () => {
  let remaining = 120_000;
  const remainingMs = () => (remaining -= 20_000);
  const batches = Array.from({ length: 20 }, (_, index) => [message(`old ${index}`, 3), message(`new ${index}`, 1)]);
  const { came, did } = await drained({ batches, order: { isSweep: true, remainingMs } });
  expect(came).toEqual({ givenUp: 2, putBack: 2, ended: 'the time was over' });
  expect(did.at(-1)).toEqual(['put back', ['new 0', 'new 1']]);
});

test('What the relay does not give up is not deleted; if that is all of it, or the relay fails, the drain ends', async () => {
  const batches = [
    [message('a', 3), message('b', 3)],
    [message('c', 3), message('d', 1)],
  ];
  const some = await drained({ batches, answers: [answered('a'), answered('c')] });
  expect(some.came).toEqual({ givenUp: 1, putBack: 1, ended: 'the dead-letter queue takes none' });
  expect(some.did).toContainEqual(['remove', ['b']]);
  const none = await drained({ batches, answers: [{ broken: 'it was throttled' }] });
  expect(none.came).toEqual({ givenUp: 0, putBack: 0, ended: 'it was throttled' });
  expect(none.did).not.toContainEqual(expect.arrayContaining(['remove']));
});
