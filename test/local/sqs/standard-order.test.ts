import { ADMIN, SqsFixture } from './sqs-fixture';

/** A standard queue whose messages are named by their tenant; `-` is a message without a group. */
function fairQueue() {
  const aws = new SqsFixture();
  const url = aws.createQueue('orders', { VisibilityTimeout: '43200' });
  const send = (tenant: string, count = 1) => {
    for (let i = 0; i < count; i += 1) {
      const group = tenant === '-' ? {} : { MessageGroupId: tenant };
      aws.sqs.call('SendMessage', ADMIN, { QueueUrl: url, MessageBody: tenant, ...group });
    }
  };
  /** Whose messages so many receives of one message bring. */
  const receive = (count: number) => Array.from({ length: count }, () => aws.receive(url, undefined, 1)[0]);
  const tenants = (count: number) => receive(count).map(message => message?.Body);
  const gauge = (name: string) => aws.measured.filter(measured => measured.name === name).map(({ value }) => value);
  return { aws, url, send, receive, tenants, gauge };
}

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues.html */
describe('a fair queue', () => {
  it('is served in order while no tenant is noisy', () => {
    const { send, tenants } = fairQueue();
    send('a', 3);
    send('b');
    send('-');
    send('a');
    expect(tenants(5)).toEqual(['a', 'a', 'a', 'b', '-']);
  });

  it.each([
    [29, 'a'],
    [30, 'b'],
  ])('serves other tenants first once a tenant with a backlog has 30 in flight: at %i comes %s', (inFlight, next) => {
    const { send, tenants } = fairQueue();
    send('a', 100);
    send('b');
    tenants(inFlight);
    expect(tenants(1)).toEqual([next]);
  });

  it('serves messages without a group first too, because each is a tenant of its own', () => {
    const { send, tenants } = fairQueue();
    send('a', 40);
    send('-', 2);
    send('b');
    tenants(30);
    expect(tenants(4)).toEqual(['-', '-', 'b', 'a']);
  });

  it.each([
    [270, 'a'],
    [269, 'b'],
  ])('counts more than a tenth of all in flight as noisy: 30 next to %i others, then %s', (others, next) => {
    const { send, tenants } = fairQueue();
    send('-', others);
    tenants(others);
    send('a', 40);
    send('b');
    tenants(30);
    expect(tenants(1)).toEqual([next]);
  });

  it('treats a tenant with more than a tenth of the recent processing time as noisy, for some time (assumption SQS-17)', async () => {
    const { aws, url, send, receive, tenants } = fairQueue();
    const hold = async (tenant: string, seconds: number) => {
      send(tenant);
      const [message] = receive(1);
      await aws.timeline.advanceTo(aws.timeline.nowMs + seconds * 1000);
      aws.delete(url, message);
    };
    for (const tenant of ['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']) await hold(tenant, 10);
    await hold('slow', 11);
    send('slow', 2);
    send('-');
    const served = receive(3);
    expect(served.map(message => message?.Body)).toEqual(['-', 'slow', 'slow']);
    for (const message of served) aws.delete(url, message);
    await aws.timeline.advanceTo(aws.timeline.nowMs + 1_200_000);
    await hold('b', 10);
    send('slow');
    send('-');
    expect(tenants(1)).toEqual(['slow']);
  });

  it('serves noisy tenants in order if the quiet ones have no messages', () => {
    const { send, tenants } = fairQueue();
    send('a', 35);
    tenants(30);
    send('b');
    expect(tenants(6)).toEqual(['b', 'a', 'a', 'a', 'a', 'a']);
  });

  it('serves the one of two noisy tenants first that has fewer in flight', () => {
    const { send, tenants } = fairQueue();
    send('a', 60);
    tenants(40);
    send('b', 60);
    expect(tenants(30).every(tenant => tenant === 'b')).toBe(true);
    expect(tenants(22).filter(tenant => tenant === 'b')).toHaveLength(16);
  });

  it('no longer treats a tenant without a backlog as noisy', () => {
    const { send, tenants } = fairQueue();
    send('a', 31);
    tenants(30);
    send('-', 300);
    tenants(300);
    send('b');
    expect(tenants(2)).toEqual(['b', 'a']);
    send('a');
    send('b');
    expect(tenants(2)).toEqual(['a', 'b']);
  });

  it('no longer treats a tenant as noisy that has sent nothing for five minutes', async () => {
    const { aws, send, tenants } = fairQueue();
    send('a', 40);
    tenants(30);
    await aws.goTo(299.999);
    send('b');
    expect(tenants(1)).toEqual(['b']);
    await aws.goTo(300);
    send('b');
    expect(tenants(2)).toEqual(['a', 'a']);
  });

  it('reports its groups each minute, and the quiet ones separately', async () => {
    const { aws, url, send, tenants, gauge } = fairQueue();
    send('a', 40);
    tenants(30);
    await aws.goTo(20);
    send('b', 3);
    tenants(1);
    aws.sqs.call('SendMessage', ADMIN, { QueueUrl: url, MessageBody: 'b', MessageGroupId: 'b', DelaySeconds: 300 });
    await aws.goTo(60);
    expect(gauge('ApproximateNumberOfNoisyGroups')).toEqual([1]);
    expect(gauge('ApproximateNumberOfMessagesVisible')).toEqual([12]);
    expect(gauge('ApproximateNumberOfMessagesVisibleInQuietGroups')).toEqual([2]);
    expect(gauge('ApproximateNumberOfMessagesNotVisibleInQuietGroups')).toEqual([1]);
    expect(gauge('ApproximateNumberOfMessagesDelayedInQuietGroups')).toEqual([1]);
    expect(gauge('ApproximateAgeOfOldestMessage')).toEqual([60]);
    expect(gauge('ApproximateAgeOfOldestMessageInQuietGroups')).toEqual([40]);
  });

  it('has the metrics of any other queue while no message has a group', async () => {
    const { aws, send, gauge } = fairQueue();
    send('-');
    await aws.goTo(60);
    expect(gauge('ApproximateNumberOfMessagesVisible')).toEqual([1]);
    expect(gauge('ApproximateNumberOfNoisyGroups')).toEqual([]);
  });
});
