import { CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { HttpRelay } from '../../lib';
import { response } from '../../local';
import type { Deployed } from '../support/deployed';
import { deployExample, EXAMPLES, type Example, load, publishToAll } from '../support/examples';
import { accounts, breakSubscribers } from '../support/subscribers';

/** Longer than SNS retries any server, and shorter than dead-letter messages are kept. */
const UNTIL_SNS_GIVES_UP = { hours: 2 };

/** Returns the queues that only relays read. */
function relayQueues({ app }: Example, deployed: Deployed): readonly string[] {
  const relays = app.node.findAll().filter(it => it instanceof HttpRelay);
  return relays.map(({ node }) => deployed.arn(`/${node.path}/Queue`));
}

/** Acts as the consumer of a subscribed queue: deletes the messages, and returns them. */
async function consume({ aws, sqs }: Deployed, queueArn: string): Promise<readonly (string | undefined)[]> {
  const QueueUrl = aws.state().queues.find(({ arn }) => arn === queueArn)?.url;
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
  for (const { ReceiptHandle } of Messages) await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  return Messages.map(({ Body }) => Body);
}

/** The alarms that have fired, as JSON with their metrics. */
async function firedAlarms(deployed: Deployed): Promise<readonly string[]> {
  const changes = deployed.happened('cloudwatch.alarm-state-changed').filter(({ to }) => to === 'ALARM');
  const client = new CloudWatchClient(deployed.aws.clientConfig());
  const AlarmNames = [...new Set(changes.map(({ alarmName }) => alarmName))];
  const { MetricAlarms = [] } = await client.send(new DescribeAlarmsCommand({ AlarmNames }));
  client.destroy();
  return MetricAlarms.map(it => JSON.stringify(it));
}

test('there are examples', () => {
  expect(EXAMPLES).toEqual(expect.arrayContaining(['ten-line-topic.ts', 'fifo.ts', 'encrypted.ts', 'adopting.ts']));
});

describe.each(EXAMPLES)('docs/examples/%s', file => {
  let example: Example;
  beforeAll(() => {
    example = load(file);
  });

  test('delivers a message to each of its subscribers', async () => {
    const deployed = await deployExample(example);
    await publishToAll(example, deployed);
    await deployed.advance({ minutes: 1 });
    const relayed = relayQueues(example, deployed);
    const queues = accounts(deployed).filter(({ protocol }) => protocol === 'sqs');
    for (const { endpoint } of queues.filter(it => !relayed.includes(it.endpoint))) {
      expect(await consume(deployed, endpoint)).toEqual([expect.stringContaining('an order')]);
    }
    const all = accounts(deployed);
    expect(all.length).toBeGreaterThan(0);
    for (const account of all) expect(account).toMatchObject({ published: 1, delivered: 1, lost: 0, deadLettered: {} });
  });

  test('keeps the message for each subscriber that cannot take it, and says so', async () => {
    const deployed = await deployExample(example);
    breakSubscribers(deployed);
    await publishToAll(example, deployed);
    await deployed.advance(UNTIL_SNS_GIVES_UP);
    const all = accounts(deployed);
    for (const account of all) {
      expect(account).toMatchObject({ published: 1, delivered: 0, lost: 0, underWay: 0 });
      expect(Object.values(account.deadLettered)).toEqual([1]);
    }
    const fired = await firedAlarms(deployed);
    for (const { topicArn, deadLettered } of all) {
      const watched = [topicArn.split(':').at(-1), ...Object.keys(deadLettered)];
      expect(fired.filter(alarm => watched.some(name => alarm.includes(`"${name}"`)))).not.toEqual([]);
    }
  });
});

describe('the relays of docs/examples/relay.ts', () => {
  const HOSTS = ['partner.example.com', 'archive.example.com'];
  let deployed: Deployed;
  beforeAll(async () => {
    const example = load('relay.ts');
    deployed = await deployExample(example);
    for (const host of HOSTS) deployed.aws.endpoint(host).behave({ reply: response(503) });
    await publishToAll(example, deployed);
  });

  const bodyOf = (request?: { readonly body: Uint8Array }) => Buffer.from(request?.body ?? []).toString('utf8');

  test('posts an order once its server is back, ten hours later, and never again', async () => {
    const partner = deployed.aws.endpoint('partner.example.com');
    await deployed.advance({ hours: 10 });
    const before = partner.requests.length;
    partner.behave();
    await deployed.advance({ hours: 4 });
    expect(partner.requests).toHaveLength(before + 1);
    expect(JSON.parse(bodyOf(partner.requests.at(-1)))).toMatchObject({ Type: 'Notification', Message: 'an order' });
  });

  test('keeps the order when its server does not come back in time, tells so, and says why', async () => {
    const archive = '/Orders/OrdersTopic/Deliveries/ToArchiveRelay';
    const [message, ...others] = await deployed.receive(`${archive}/Queue/DeadLetterQueue`);
    expect(others).toEqual([]);
    expect(message?.Body).toContain('an order');
    expect(message?.MessageAttributes).toMatchObject({
      DeadLetterCause: { StringValue: 'retries-spent' },
      LastStatusCode: { StringValue: '503' },
    });
    expect(deployed.alarmed(`${archive}/DeadLetteredAlarm`)).toHaveLength(1);
    expect(new Set(deployed.aws.endpoint('archive.example.com').requests.map(bodyOf))).toEqual(new Set(['an order']));
  });
});
