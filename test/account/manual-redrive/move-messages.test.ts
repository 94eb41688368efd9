import { RenewingReceiver } from '../../../account/manual-redrive/move-messages';
import type { DeadLetter, DeadLetterReceiver } from '../../../mover/dead-letter-receiver';
import { MINUTE_MS } from '../../../policy/time-units';

const messageOf = (messageId: string): DeadLetter => ({
  messageId,
  receiptHandle: messageId,
  firstReceivedAtMs: 0,
  receiveCount: 1,
  body: '',
  attributes: {},
  sentAtMs: 0,
});

describe('a receiver that hides messages again', () => {
  let nowMs: number;
  let hidden: (readonly [ids: string, seconds: number])[];
  let box: DeadLetterReceiver;

  beforeEach(() => {
    nowMs = 0;
    hidden = [];
    const inner: DeadLetterReceiver = {
      receive: async () => [],
      remove: async () => new Map(),
      hide: async (messages, seconds) =>
        void hidden.push([messages.map(({ messageId }) => messageId).join(), seconds] as const),
    };
    box = new RenewingReceiver(inner, () => nowMs);
  });

  const [a, b] = [messageOf('a'), messageOf('b')];

  test('hides messages for two minutes if they must stay hidden for longer, and again when a minute is left', async () => {
    await box.hide([a], 900);
    nowMs = 0.5 * MINUTE_MS;
    await box.hide([b], 900);
    await box.receive(10, 1);
    expect(hidden).toEqual([
      ['a', 120],
      ['b', 120],
    ]);
    nowMs = MINUTE_MS;
    await Promise.all([box.receive(10, 1), box.receive(10, 1)]);
    nowMs = 2 * MINUTE_MS;
    await box.receive(10, 1);
    expect(hidden.slice(2)).toEqual([
      ['a', 120],
      ['b,a', 120],
    ]);
  });

  test('leaves alone what has been given back', async () => {
    await box.hide([a, b], 900);
    await box.hide([a], 0);
    nowMs = 2 * MINUTE_MS;
    await box.receive(10, 1);
    expect(hidden).toEqual([
      ['a,b', 120],
      ['a', 0],
      ['b', 120],
    ]);
  });

  test('hides messages for the requested time if they are too many to be hidden again and again', async () => {
    await box.hide(
      Array.from({ length: 10_000 }, (_, at) => messageOf(String(at))),
      900,
    );
    await box.hide([a], 900);
    nowMs = 2 * MINUTE_MS;
    await box.receive(10, 1);
    expect(hidden.map(([ids, seconds]) => [ids.split(',').length, seconds])).toEqual([
      [10_000, 120],
      [1, 900],
      [10_000, 120],
    ]);
  });
});
