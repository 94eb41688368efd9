import { LocalAws } from '../../../local';
import { eventually } from '../wire/server/served-aws';

const broken = () => {
  throw new Error('broken scenario');
};

describe('work that breaks while AWS is served, and nobody waits for it', () => {
  async function brokenAt(options: Parameters<LocalAws['listen']>[0]) {
    const aws = LocalAws.start();
    const { close } = await aws.listen({ speed: 'max', ...options });
    aws.timeline.after(10, broken);
    await eventually(() => aws.trace.events.some(({ type }) => type === 'wire.broke'));
    return { aws, close };
  }

  it('is in the trace, and is thrown once at whoever moves time next', async () => {
    const { aws } = await brokenAt({});
    expect(aws.trace.events).toMatchObject([{ type: 'wire.broke', error: expect.stringContaining('broken scenario') }]);
    await expect(aws.advance({ seconds: 1 })).rejects.toMatchObject({
      name: 'WorkFailed',
      cause: { message: 'broken scenario' },
    });
    await expect(aws.advance({ seconds: 1 })).resolves.toBe(0);
    await aws.close();
  });

  it('is thrown at whoever lets the world come to rest', async () => {
    const { aws } = await brokenAt({});
    await expect(aws.runUntilIdle()).rejects.toThrow('broken scenario');
    await aws.close();
  });

  it('is thrown at whoever stops listening, which has stopped all the same', async () => {
    const { aws, close } = await brokenAt({});
    await expect(close()).rejects.toThrow('broken scenario');
    await aws.listen();
    await aws.close();
  });

  it('is thrown at whoever closes AWS', async () => {
    const { aws } = await brokenAt({});
    await expect(aws.close()).rejects.toThrow('broken scenario');
    await expect(aws.close()).resolves.toBeUndefined();
  });

  it('is told to `onError` instead, where there is one', async () => {
    const errors: unknown[] = [];
    const { aws } = await brokenAt({ onError: error => errors.push(error) });
    expect(errors).toMatchObject([{ cause: { message: 'broken scenario' } }]);
    await expect(aws.advance({ seconds: 1 })).resolves.toBe(0);
    await aws.close();
  });
});

describe('time that several let pass at once', () => {
  it('adds up', async () => {
    const aws = LocalAws.start();
    await aws.listen();
    await Promise.all([aws.advance({ days: 10 }), aws.advance({ days: 10 }), aws.advance({ days: 10 })]);
    expect(aws.now).toBe('2026-01-31T00:00:00.000Z');
    await aws.close();
  });
});

test('of two who let it listen at once the second is refused, and may once the first has closed', async () => {
  const aws = LocalAws.start();
  const [first, second] = await Promise.allSettled([aws.listen(), aws.listen()]);
  expect(second).toMatchObject({ status: 'rejected', reason: { message: 'it is about to listen already' } });
  if (first.status === 'rejected') throw first.reason;
  await first.value.close();
  await (await aws.listen()).close();
  await aws.close();
});

describe('closing', () => {
  it('while it is about to listen refuses the port, and leaves nobody there', async () => {
    const [aws, other] = [LocalAws.start(), LocalAws.start()];
    const { port, close } = await other.listen();
    await close();
    const [opened, closed] = await Promise.allSettled([aws.listen({ port }), aws.close()]);
    expect(opened).toMatchObject({
      status: 'rejected',
      reason: { message: 'it was closed while it was about to listen' },
    });
    expect(closed).toEqual({ status: 'fulfilled', value: undefined });
    expect(await other.listen({ port })).toMatchObject({ port });
    await other.close();
  });

  it('is for good: nobody can let it listen afterwards', async () => {
    const aws = LocalAws.start();
    await aws.close();
    await expect(aws.listen()).rejects.toThrow('it is closed');
  });

  it('says nothing of a port that was not to be had, which is told to who asked for it', async () => {
    const [one, other] = [LocalAws.start(), LocalAws.start()];
    const { port } = await one.listen();
    const [opened, closed] = await Promise.allSettled([other.listen({ port }), other.close()]);
    expect(opened).toMatchObject({ status: 'rejected', reason: { code: 'EADDRINUSE' } });
    expect(closed.status).toBe('fulfilled');
    await one.close();
  });
});
