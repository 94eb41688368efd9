import { LineBuffer } from '../../../lambda/shared/lines';
import { flushingLog } from '../../../lambda/shared/written-out';

/** A handler that prints what it gets, on lines that nobody writes by themselves. */
function scene(answer: () => Promise<string>) {
  const written: string[] = [];
  const lines = new LineBuffer(
    text => written.push(text),
    () => {},
  );
  const handler = flushingLog(lines, async (event: string, context: string) => {
    lines.add(`${event} ${context}`);
    return await answer();
  });
  return { written, handler };
}

test('What a handler printed is written before its answer is there', async () => {
  const { written, handler } = scene(async () => 'answer');
  expect(await handler('event', 'context')).toBe('answer');
  expect(written).toEqual(['event context\n']);
});

test('What a handler printed is written before it fails', async () => {
  const { written, handler } = scene(() => Promise.reject(new Error('no')));
  await expect(handler('event', 'context')).rejects.toThrow('no');
  expect(written).toEqual(['event context\n']);
});
