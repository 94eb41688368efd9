import fc from 'fast-check';
import { Message } from '../../../../local/sqs/message/message';
import { FifoOrder, ScanWindow } from '../../../../local/sqs/message-store/fifo';
import { MessageStore } from '../../../../local/sqs/message-store/message-store';

const WINDOW = 6;

interface Entry {
  readonly message: Message;
  readonly group: string;
  visibleAtMs: number;
  turn: number;
}

const sent = (id: number, groupId: string, sentAtMs: number): Message =>
  new Message({
    id: String(id),
    body: '',
    attributes: {},
    traceHeader: undefined,
    groupId,
    senderId: '',
    sizeBytes: 0,
    sentAtMs,
  });

/** A FIFO queue as a plain list in the order of arrival: the truth to hold the store against. */
class PlainQueue {
  readonly entries: Entry[] = [];
  turns = 0;

  takeTurn(): number {
    this.turns += 1;
    return this.turns;
  }

  /** What `max` receives in one call bring, `nowMs` being the time. */
  receivable(max: number, nowMs: number): Entry[] {
    const handed: Entry[] = [];
    const hidden = (entry: Entry) => entry.visibleAtMs > nowMs;
    const inView = this.entries.slice(0, WINDOW);
    const groups = [...new Set(this.entries.map(({ group }) => group))]
      .map(group => this.entries.filter(entry => entry.group === group))
      .filter(([first]) => first && inView.includes(first) && !hidden(first))
      .sort(([a], [b]) => (a?.turn ?? 0) - (b?.turn ?? 0));
    for (const group of groups) {
      const firstHidden = group.findIndex(hidden);
      handed.push(...group.slice(0, firstHidden === -1 ? group.length : firstHidden));
    }
    return handed.slice(0, max);
  }
}

const step = fc.oneof(
  fc.record({ kind: fc.constant('send' as const), group: fc.constantFrom('a', 'b', 'c'), delay: fc.nat({ max: 3 }) }),
  fc.record({
    kind: fc.constant('receive' as const),
    max: fc.integer({ min: 1, max: 4 }),
    timeout: fc.nat({ max: 5 }),
  }),
  fc.record({ kind: fc.constant('hide' as const), which: fc.nat(), timeout: fc.nat({ max: 5 }) }),
  fc.record({ kind: fc.constant('remove' as const), which: fc.nat() }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 4 }) }),
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** The store and a plain model of the queue, through the same steps. */
class Both {
  reported = 0;
  readonly store = new MessageStore(new FifoOrder(new ScanWindow(WINDOW)), () => {
    this.reported += 1;
  });
  readonly plain = new PlainQueue();
  now = 100;
  sent = 0;

  do(it: Step): void {
    if (it.kind === 'send') this.send(it.group, it.delay);
    else if (it.kind === 'receive') this.receive(it.max, it.timeout);
    else if (it.kind === 'pass') {
      this.now += it.ms;
      this.returnDue();
    } else {
      const entry = this.plain.entries[it.which % Math.max(this.plain.entries.length, 1)];
      if (!entry) return;
      if (it.kind === 'remove') {
        this.store.remove(entry.message);
        this.plain.entries.splice(this.plain.entries.indexOf(entry), 1);
      } else {
        this.store.hideUntil(entry.message, this.now, this.now + it.timeout);
        entry.visibleAtMs = this.now + it.timeout;
        if (it.timeout === 0) entry.turn = this.plain.takeTurn();
      }
    }
  }

  private send(group: string, delay: number): void {
    this.sent += 1;
    const message = sent(this.sent, group, this.now);
    this.plain.entries.push({ message, group, visibleAtMs: this.now + delay, turn: this.plain.takeTurn() });
    this.store.add(message, this.now, this.now + delay);
  }

  private receive(max: number, timeout: number): void {
    const expected = this.plain.receivable(max, this.now);
    let last: Message | undefined;
    for (const entry of expected) {
      const next = this.store.nextVisible(last);
      expect(next?.id).toBe(entry.message.id);
      if (!next) return;
      this.store.receive(next, this.now, this.now + timeout);
      entry.visibleAtMs = this.now + timeout;
      last = next;
    }
    if (expected.length < max) expect(this.store.nextVisible(last)).toBeUndefined();
    if (timeout === 0) for (const entry of expected) entry.turn = this.plain.takeTurn();
    this.store.returnDue(this.now);
  }

  private returnDue(): void {
    const before = new Map(this.plain.entries.map(entry => [entry, entry.message.place]));
    const due = (place: string) =>
      this.plain.entries
        .filter(entry => before.get(entry) === place && entry.visibleAtMs <= this.now)
        .sort((a, b) => a.visibleAtMs - b.visibleAtMs || a.turn - b.turn);
    for (const entry of [...due('delayed'), ...due('in-flight')]) entry.turn = this.plain.takeTurn();
    this.store.returnDue(this.now);
  }
}

it('A FIFO queue has the order of a plain list, and notifies receivers, after any steps', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), steps => {
      const both = new Both();
      for (const it of steps) {
        const before = { reported: both.reported, isReceivable: both.store.isReceivable };
        both.do(it);
        const { store, plain, now } = both;
        if (store.isReceivable && !before.isReceivable) expect(both.reported).toBeGreaterThan(before.reported);
        expect(store.size).toBe(plain.entries.length);
        expect(store.visibleCount).toBe(plain.entries.filter(({ visibleAtMs }) => visibleAtMs <= now).length);
        expect(store.nextVisible()?.id).toBe(plain.receivable(1, now)[0]?.message.id);
        const inFlight = plain.entries.filter(({ message }) => message.place === 'in-flight');
        const [gauge] = store.gauges(now);
        expect(gauge?.value).toBe(new Set(inFlight.map(({ group }) => group)).size);
      }
    }),
    { numRuns: 1000 },
  );
});
