import { RawClient } from '../server/raw-http';
import { ServedAws } from '../server/served-aws';

describe('control of time over HTTP', () => {
  const served = new ServedAws();
  let aws: Awaited<ReturnType<ServedAws['start']>>['aws'];
  let client: RawClient;

  async function call(method: string, path: string, body = '') {
    const { status, text } = await client.send({ method, path: `/_dlo/${path}`, body });
    return { status, json: JSON.parse(text) };
  }

  beforeAll(async () => {
    const started = await served.start();
    aws = started.aws;
    client = new RawClient(started.port);
  });
  afterAll(async () => {
    client.close();
    await served.close();
  });

  it('steps to the next instant that adds an event, and no further than an hour', async () => {
    const create = (name: string, afterMs: number) =>
      aws.timeline.after(afterMs, () => {
        aws.services.sqs.call('CreateQueue', aws.services.sqs.owner, { QueueName: name });
      });
    aws.timeline.after(1_000, () => {});
    create('one', 5_000);
    create('two', 5_000);
    create('three', 7_000);
    expect((await call('POST', 'step')).json).toEqual({ now: '2026-01-01T00:00:05.000Z', events: 2 });
    expect((await call('POST', 'step')).json).toEqual({ now: '2026-01-01T00:00:07.000Z', events: 1 });
    expect((await call('POST', 'step')).json).toEqual({ now: '2026-01-01T01:00:07.000Z', events: 0 });
  });

  it('sets the speed, and says it', async () => {
    for (const speed of ['max', 60, 0]) {
      expect((await call('PUT', 'speed', JSON.stringify({ speed }))).json).toEqual({ speed });
      expect((await call('GET', 'health')).json.speed).toBe(speed);
    }
    expect((await call('GET', 'speed')).json).toEqual({ speed: 0, now: aws.now, lastSeq: aws.trace.lastSeq });
  });

  it.each([
    ['{}', 'speed must be max, or a number of 0 or more, got nothing'],
    ['{"speed":-1}', 'speed must be max, or a number of 0 or more, got -1'],
    ['{"speed":"fast"}', 'speed must be max, or a number of 0 or more, got "fast"'],
    ['{"speed":1,"pace":2}', 'pace is not known: there are speed, got 2'],
  ])('refuses the speed %s', async (body, message) => {
    expect(await call('PUT', 'speed', body)).toMatchObject({ status: 400, json: { message } });
  });
});
