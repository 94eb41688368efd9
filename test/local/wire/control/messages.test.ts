import { CreateTopicCommand, SNSClient } from '@aws-sdk/client-sns';
import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { RawClient } from '../server/raw-http';
import { ServedAws } from '../server/served-aws';

describe('messages over HTTP', () => {
  const served = new ServedAws();
  let client: RawClient;

  async function call(method: string, path: string, body?: unknown) {
    const text = body === undefined ? '' : JSON.stringify(body);
    const answer = await client.send({ method, path: `/_dlo/${path}`, body: text });
    return { status: answer.status, json: JSON.parse(answer.text) };
  }

  beforeAll(async () => {
    const { port, sqs, settings } = await served.start({ rewindable: true });
    client = new RawClient(port);
    await served.createQueue(sqs, 'work');
    const idle = await served.createQueue(sqs, 'idle');
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl: idle, Attributes: { MessageRetentionPeriod: '60' } }));
    const sns = new SNSClient(settings);
    await sns.send(new CreateTopicCommand({ Name: 'orders' }));
    sns.destroy();
    await call('POST', 'send', { queue: 'work', message: 'order {n}', count: 3, everySeconds: 10 });
    await call('POST', 'send', { topic: 'orders', message: 'nobody hears it' });
    await call('POST', 'send', { queue: 'idle', message: 'too old', attributes: { country: 'DE' } });
    await call('POST', 'advance', { seconds: 3_600 });
  });
  afterAll(async () => {
    client.close();
    await served.close();
  });

  it.each([
    ['', ['order 3', 'order 2', 'too old', 'nobody hears it', 'order 1']],
    ['?limit=2', ['order 3', 'order 2']],
    ['?before=4', ['too old', 'nobody hears it', 'order 1']],
    ['?text=order', ['order 3', 'order 2', 'order 1']],
    ['?place=idle', ['too old']],
    ['?place=arn:aws:sns:us-east-1:123456789012:orders', ['nobody hears it']],
    ['?place=rders', []],
    ['?trouble=failed', ['too old', 'nobody hears it']],
  ])('lists the newest first: %s', async (query, bodies) => {
    const { status, json } = await call('GET', `messages${query}`);
    expect([status, json.messages.map(({ body }: { body: string }) => body)]).toEqual([200, bodies]);
    expect(json.total).toBe(5);
  });

  it('says where a page goes on', async () => {
    expect((await call('GET', 'messages?limit=2')).json.next).toBe(4);
    expect((await call('GET', 'messages?before=4')).json.next).toBeUndefined();
  });

  it('reads one message by any of its ids, with its events and bodies', async () => {
    const [{ id, ...row }] = (await call('GET', 'messages?text=too')).json.messages;
    expect(row).toMatchObject({ number: 3, began: 'sqs.sent', last: 'sqs.expired', trouble: 'lost', events: 2 });
    const { json } = await call('GET', `messages/${id}`);
    expect(json).toMatchObject({ id, ids: [id], bodies: { [id]: 'too old' }, trouble: 'lost' });
    expect(json.events.map(({ type }: { type: string }) => type)).toEqual(['sqs.sent', 'sqs.expired']);
  });

  it.each([
    ['GET', 'messages/none', undefined, 'the id must be the id of a message that the trace has'],
    ['GET', 'messages?before=x', undefined, 'before must be a whole number'],
    ['GET', 'messages?trouble=big', undefined, 'trouble must be one of none, failed, dead-lettered, lost, got "big"'],
    ['GET', 'messages?color=red', undefined, 'color is not known: there are text, place, trouble, before, limit'],
    ['POST', 'send', { message: 'x' }, 'the body must hold either topic or queue, got nothing'],
    ['POST', 'send', { topic: 'orders', queue: 'work', message: 'x' }, 'the body must hold either topic or queue'],
    ['POST', 'send', { queue: 'work' }, 'message must be a text, got nothing'],
    ['POST', 'send', { queue: 'work', message: 'x', count: 0 }, 'count must be a whole number from 1 to 100000, got 0'],
    ['POST', 'send', { queue: 'work', message: 'x', everySeconds: -1 }, 'everySeconds must be a number from 0 to'],
    ['POST', 'send', { queue: 'work', message: 'x', attributes: { a: 1 } }, 'attributes must be an object of texts'],
    ['POST', 'send', { queue: 'wrok', message: 'x' }, 'there is no queue "wrok"; the nearest: work, idle'],
  ])('%s %s %j is refused', async (method, path, body, message) => {
    const answer = await call(method, path, body);
    expect([answer.status, answer.json.message]).toEqual([400, expect.stringContaining(message)]);
  });
});
