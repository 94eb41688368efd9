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
});
