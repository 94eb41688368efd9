import { mapAtMost } from '../../../account/connection/map-at-most';

/** Work that is over when it is told so. */
class Work {
  readonly begun: string[] = [];
  private readonly ends = new Map<string, { done(result: string): void; fail(error: Error): void }>();

  readonly start = (item: string): Promise<string> => {
    this.begun.push(item);
    return new Promise((done, fail) => this.ends.set(item, { done, fail }));
  };

  /** Ends a piece of work, and lets whoever waits for it go on. */
  async end(item: string, error?: Error): Promise<void> {
    const { done, fail } = this.ends.get(item) ?? {};
    if (error) fail?.(error);
    else done?.(item.toUpperCase());
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  }
}

test('does no more than so many at once, and answers in the order of the items', async () => {
  const work = new Work();
  const all = mapAtMost(2, ['a', 'b', 'c'], work.start);
  expect(work.begun).toEqual(['a', 'b']);
  await work.end('b');
  expect(work.begun).toEqual(['a', 'b', 'c']);
  await work.end('c');
  await work.end('a');
  expect(await all).toEqual(['A', 'B', 'C']);
});

test('begins nothing more once something failed, and says what', async () => {
  const work = new Work();
  const all = mapAtMost(2, ['a', 'b', 'c', 'd'], work.start);
  const failed = expect(all).rejects.toThrow('a is bad');
  await work.end('a', new Error('a is bad'));
  await work.end('b');
  await failed;
  expect(work.begun).toEqual(['a', 'b']);
});

test('has nothing to do with nothing', async () => {
  expect(await mapAtMost(3, [], () => Promise.reject(new Error('never')))).toEqual([]);
});
