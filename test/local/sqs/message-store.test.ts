import fc from 'fast-check';
import { Message } from '../../../local/sqs/message';
import { MessageStore } from '../../../local/sqs/message-store';
import { StandardOrder } from '../../../local/sqs/standard-order';

const MAX_IN_FLIGHT = 2;

const messageSentAt = (id: number, sentAtMs: number): Message =>
  new Message({
    id: String(id),
    body: '',
    attributes: {},
    traceHeader: undefined,
    groupId: undefined,
    senderId: '',
    sizeBytes: 0,
    sentAtMs,
  });

/** What a queue of a few messages is, without any heap: the truth to hold the store against. */
class PlainQueue {
  readonly messages: { message: Message; turn: number; visibleAtMs: number; receives: number }[] = [];
  turns = 0;

  visible(nowMs: number) {
    return this.messages.filter(m => m.visibleAtMs <= nowMs).sort((a, b) => a.turn - b.turn);
  }
}

const step = fc.oneof(
  fc.record({ kind: fc.constant('send' as const), delay: fc.nat({ max: 5 }), back: fc.nat({ max: 3 }) }),
  fc.record({ kind: fc.constant('receive' as const), timeout: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ kind: fc.constant('hide' as const), which: fc.nat(), timeout: fc.nat({ max: 6 }) }),
  fc.record({ kind: fc.constant('remove' as const), which: fc.nat() }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 4 }) }),
);

describe('the message store', () => {
  it('does what a plain list would, and tells whenever a message may be received again, whatever the steps', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), steps => {
        let reported = 0;
        const whenReceivable = () => {
          reported += 1;
        };
        const store = new MessageStore(new StandardOrder({ nowMs: 0 }), whenReceivable, MAX_IN_FLIGHT);
        const plain = new PlainQueue();
        let now = 100;
        for (const it of steps) {
          const before = { reported, isReceivable: store.isReceivable };
          const known = 'which' in it ? plain.messages[it.which % Math.max(plain.messages.length, 1)] : undefined;
          if (it.kind === 'send') {
            const message = messageSentAt(plain.turns, now - it.back);
            plain.turns += 1;
            plain.messages.push({ message, turn: plain.turns, visibleAtMs: now + it.delay, receives: 0 });
            store.add(message, now, now + it.delay);
          } else if (it.kind === 'receive') {
            const [next] = plain.visible(now);
            expect(store.nextVisible()).toBe(next?.message);
            if (!next || !store.isReceivable) continue;
            store.receive(next.message, now, now + it.timeout);
            next.visibleAtMs = now + it.timeout;
            next.receives += 1;
          } else if (it.kind === 'hide' && known && known.receives < 3) {
            store.hideUntil(known.message, now, now + it.timeout);
            known.visibleAtMs = now + it.timeout;
          } else if (it.kind === 'remove' && known) {
            store.remove(known.message);
            plain.messages.splice(plain.messages.indexOf(known), 1);
          } else if (it.kind === 'pass') {
            const until = now + it.ms;
            const back = plain.messages.filter(m => m.visibleAtMs > now && m.visibleAtMs <= until);
            for (const poison of back
              .filter(m => m.receives >= 3)
              .sort((a, b) => a.visibleAtMs - b.visibleAtMs || a.turn - b.turn)) {
              plain.turns += 1;
              poison.turn = plain.turns;
            }
            now = until;
            store.returnDue(now);
          }
          const inFlight = plain.messages.filter(({ message }) => message.place === 'in-flight').length;
          expect(store.isReceivable).toBe(plain.visible(now).length > 0 && inFlight < MAX_IN_FLIGHT);
          if (store.isReceivable && !before.isReceivable) expect(reported).toBeGreaterThan(before.reported);
          expect(store.size).toBe(plain.messages.length);
          expect(store.visibleCount).toBe(plain.visible(now).length);
          expect(store.nextVisible()).toBe(plain.visible(now)[0]?.message);
          const sent = plain.messages.map(({ message }) => message.sentAtMs);
          expect(store.firstToExpire()?.sentAtMs).toBe(sent.length > 0 ? Math.min(...sent) : undefined);
          const hidden = plain.messages.filter(m => m.visibleAtMs > now).map(m => m.visibleAtMs);
          expect(store.nextReturnMs()).toBe(hidden.length > 0 ? Math.min(...hidden) : undefined);
        }
      }),
      { numRuns: 500 },
    );
  });
});
