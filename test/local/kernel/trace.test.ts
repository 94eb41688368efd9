import { Trace } from '../../../local/kernel/trace';

describe('Trace', () => {
  test('numbers what happens and notes when', () => {
    const clock = { nowMs: 5 };
    const trace = new Trace<{ type: 'sqs.sent'; messageId: string }>(clock);
    const followed: number[] = [];
    trace.follow(({ seq }) => void followed.push(seq));
    trace.record({ type: 'sqs.sent', messageId: 'a' });
    clock.nowMs = 9;
    trace.record({ type: 'sqs.sent', messageId: 'b' });

    expect(trace.toJsonLines()).toBe(
      '{"seq":1,"atMs":5,"type":"sqs.sent","messageId":"a"}\n{"seq":2,"atMs":9,"type":"sqs.sent","messageId":"b"}\n',
    );
    expect(followed).toEqual([1, 2]);
  });

  test('answers what came after a happening, and nothing after the last', () => {
    const trace = new Trace<{ type: 'tick' }>({ nowMs: 0 });
    for (let i = 0; i < 3; i += 1) trace.record({ type: 'tick' });
    expect(trace.since(1).map(({ seq }) => seq)).toEqual([2, 3]);
    expect(trace.since(0)).toHaveLength(3);
    expect(trace.since(3)).toEqual([]);
    expect(trace.lastSeq).toBe(3);
  });

  test('keeps the newest happenings only when it is told so, with their numbers', () => {
    const trace = new Trace<{ type: 'tick' }>({ nowMs: 0 }, { keep: 10 });
    for (let i = 0; i < 1_000; i += 1) {
      trace.record({ type: 'tick' });
      expect(trace.events.length).toBeLessThanOrEqual(20);
    }
    expect(trace.events.length).toBeGreaterThanOrEqual(10);
    expect(trace.since(997).map(({ seq }) => seq)).toEqual([998, 999, 1_000]);
    expect(trace.since(0)).toEqual(trace.events);
  });

  test('tells no more to whoever has stopped following', () => {
    const trace = new Trace<{ type: 'tick' }>({ nowMs: 0 });
    const followed: number[] = [];
    const stop = trace.follow(({ seq }) => void followed.push(seq));
    trace.record({ type: 'tick' });
    stop();
    trace.record({ type: 'tick' });
    expect(followed).toEqual([1]);
  });

  test('refuses to keep nothing', () => {
    expect(() => new Trace({ nowMs: 0 }, { keep: 0 })).toThrow('trace.keep must be 1 or more, got 0');
  });
});
