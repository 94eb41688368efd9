import { Throttling } from '../../../account/connection/call-pace';
import { progressOn, withProgress, withReadProgress } from '../../../bin/shared/progress';

/** A screen of one line, and a clock that is set. */
function screen(columns?: number) {
  const written: string[] = [];
  const clock = { nowMs: 1_000_000 };
  const output = { write: (text: string) => void written.push(text), isTTY: columns !== undefined, columns };
  return { output, clock, written, nowMs: () => clock.nowMs };
}

const MESSAGES = { what: 'messages received', total: 120_000 };

describe('progress', () => {
  test('is a bar with count, rate and time left on a terminal, drawn over itself', () => {
    const { output, clock, written, nowMs } = screen(120);
    const progress = progressOn(output, MESSAGES, nowMs);
    progress.at(0);
    clock.nowMs += 50_000;
    progress.at(12_000);
    expect(written).toEqual([
      `\r[${'-'.repeat(30)}] 0 of 120,000 messages received\u{1b}[K`,
      `\r[${'#'.repeat(3)}${'-'.repeat(27)}] 12,000 of 120,000 messages received, 240 a second, 7 min 30 s left\u{1b}[K`,
    ]);
    progress.clear();
    expect(written.at(-1)).toBe('\r\u{1b}[K');
  });

  test('says at once which calls AWS throttles, and no longer than it does', async () => {
    const { output, clock, written, nowMs } = screen(120);
    const throttling = new Throttling(nowMs);
    await withReadProgress({ io: { stderr: output }, nowMs }, async readWith => {
      const listener = readWith({ throttling });
      listener.at(40);
      throttling.add('lambda:GetPolicy');
      throttling.add('sns:GetTopicAttributes');
      throttling.add('sns:GetTopicAttributes');
      clock.nowMs += 6_000;
      listener.at(60);
    });
    expect(written.map(line => line.replace('\r', '').replace('\u{1b}[K', ''))).toEqual([
      '40 resources read',
      '40 resources read, AWS throttles lambda:GetPolicy',
      '40 resources read, AWS throttles lambda:GetPolicy, sns:GetTopicAttributes',
      '60 resources read, 10 a second',
      '',
    ]);
  });

  test('is drawn ten times a second and no oftener', () => {
    const { output, clock, written, nowMs } = screen(120);
    const progress = progressOn(output, MESSAGES, nowMs);
    for (let done = 0; done < 1_000; done += 1) {
      progress.at(done);
      clock.nowMs += 1;
    }
    expect(written).toHaveLength(10);
  });

  test.each([1, 10, 20, 40, 60, 79, 80, 81, 200])('is narrower than a terminal of %i columns', columns => {
    const { output, clock, written, nowMs } = screen(columns);
    const progress = progressOn(output, MESSAGES, nowMs);
    for (const done of [0, 1, 60_000, 119_999, 120_000, 130_000]) {
      clock.nowMs += 1_234;
      progress.at(done);
    }
    const widths = written.map(line => line.slice(1, -'\u{1b}[K'.length).length);
    expect(widths).toHaveLength(6);
    expect(Math.max(...widths)).toBeLessThan(columns);
  });

  test('of which nobody knows the end has no bar and no time left', () => {
    const { output, clock, written, nowMs } = screen(80);
    const progress = progressOn(output, { what: 'messages received' }, nowMs);
    clock.nowMs += 3_000;
    progress.at(10);
    expect(written).toEqual(['\r10 messages received, 3.33 a second\u{1b}[K']);
  });

  test('is full, and promises nothing, where there is more than was counted on', () => {
    const { output, clock, written, nowMs } = screen(80);
    const progress = progressOn(output, { what: 'messages', total: 5 }, nowMs);
    clock.nowMs += 1_000;
    progress.at(10);
    expect(written).toEqual([`\r[${'#'.repeat(30)}] 10 of 5 messages, 10 a second\u{1b}[K`]);
  });

  test('is a line every ten seconds where nobody looks, and nothing before', () => {
    const { output, clock, written, nowMs } = screen();
    const progress = progressOn(output, MESSAGES, nowMs);
    for (let second = 0; second <= 25; second += 1) {
      progress.at(second * 100);
      clock.nowMs += 1_000;
    }
    progress.clear();
    expect(written).toEqual([
      '1,000 of 120,000 messages received, 100 a second, 19 min 50 s left\n',
      '2,000 of 120,000 messages received, 100 a second, 19 min 40 s left\n',
    ]);
  });

  test('is taken away by whatever ends the work, before what is said of that', async () => {
    const { output, written, nowMs } = screen(80);
    const failing = withProgress(output, MESSAGES, nowMs, async progress => {
      progress.at(1);
      throw new Error('denied');
    });
    await expect(failing).rejects.toThrow('denied');
    expect(written.at(-1)).toBe('\r\u{1b}[K');
    expect(await withProgress(output, MESSAGES, nowMs, async () => 'done')).toBe('done');
  });
});
