import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { HttpRelay, OpsTopic } from '../../lib';
import { response } from '../../local';
import { Deployed } from '../support/deployed';
import { EXAMPLES, type Example, load } from '../support/examples';
import { accounts, breakSubscribers, confirmEndpoints } from '../support/subscribers';
import { acknowledgeFunctions, annotations, findings, validate } from '../support/validations';

/** Longer than SNS retries a delivery to any server, and shorter than a dead letter is kept. */
const UNTIL_SNS_GIVES_UP = { hours: 2 };

/** Deploys it, and does what the owners of its endpoints must do. */
async function deploy({ app }: Example): Promise<Deployed> {
  const deployed = await Deployed.assembly(app.synth().directory);
  confirmEndpoints(deployed);
  return deployed;
}

/** Publishes to each topic but those that alarms speak to. */
async function publish({ app }: Example, deployed: Deployed): Promise<void> {
  for (const topic of app.node.findAll().filter(it => it instanceof Topic)) {
    if (topic instanceof OpsTopic) continue;
    await deployed.publish(`/${topic.node.path}`, 'an order', topic.fifo ? { MessageGroupId: 'customer-7' } : {});
  }
}

/** The queues that relays take from, and nobody else. */
function relayQueues({ app }: Example, deployed: Deployed): readonly string[] {
  const relays = app.node.findAll().filter(it => it instanceof HttpRelay);
  return relays.map(({ node }) => deployed.arn(`/${node.path}/Queue`));
}

/** Does what the consumer of a subscribed queue does: answers what it got, and deletes it. */
async function consume({ aws, sqs }: Deployed, queueArn: string): Promise<readonly (string | undefined)[]> {
  const QueueUrl = aws.state().queues.find(({ arn }) => arn === queueArn)?.url;
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
  for (const { ReceiptHandle } of Messages) await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  return Messages.map(({ Body }) => Body);
}

test('there are examples', () => {
  expect(EXAMPLES).toEqual(expect.arrayContaining(['ten-line-topic.ts', 'fifo.ts', 'encrypted.ts', 'adopting.ts']));
});

describe.each(EXAMPLES)('docs/examples/%s', file => {
  let example: Example;
  beforeAll(() => {
    example = load(file);
    validate(example.app);
    acknowledgeFunctions(example.app);
  });

  test('is faultless to cdk-nag, cdk-preflight and CDK’s own validation, and warns of nothing', () => {
    expect(findings(example.app)).toEqual([]);
    expect(example.stacks.flatMap(annotations)).toEqual([]);
  });

  test('delivers a message to each of its subscribers', async () => {
    const deployed = await deploy(example);
    await publish(example, deployed);
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
    const deployed = await deploy(example);
    breakSubscribers(deployed);
    await publish(example, deployed);
    await deployed.advance(UNTIL_SNS_GIVES_UP);
    const all = accounts(deployed);
    for (const account of all) {
      expect(account).toMatchObject({ published: 1, delivered: 0, lost: 0, underWay: 0 });
      expect(Object.values(account.deadLettered)).toEqual([1]);
    }
    const rang = deployed.happened('cloudwatch.alarm-state-changed').filter(({ to }) => to === 'ALARM');
    expect(new Set(rang.map(({ alarmName }) => alarmName)).size).toBeGreaterThanOrEqual(all.length);
  });
});

describe('docs/examples/relay.ts', () => {
  const HOSTS = ['partner.example.com', 'archive.example.com'];
  const RELAYS = ['ToPartnerRelay', 'ToArchiveRelay'].map(id => `/Orders/OrdersTopic/Deliveries/${id}`);
  let deployed: Deployed;
  beforeEach(async () => {
    const example = load('relay.ts');
    deployed = await deploy(example);
    for (const host of HOSTS) deployed.aws.endpoint(host).behave({ reply: response(503) });
    await publish(example, deployed);
  });

  const bodies = (host: string) =>
    deployed.aws.endpoint(host).requests.map(({ body }) => Buffer.from(body).toString('utf8'));

  test('posts an order once its servers are back, twenty hours later, and never again', async () => {
    await deployed.advance({ hours: 20 });
    const before = HOSTS.map(host => bodies(host).length);
    for (const host of HOSTS) deployed.aws.endpoint(host).behave();
    await deployed.advance({ hours: 6 });
    expect(HOSTS.map(host => bodies(host).length)).toEqual(before.map(count => count + 1));
    const [toPartner = '', toArchive] = HOSTS.map(host => bodies(host).at(-1));
    expect(JSON.parse(toPartner)).toMatchObject({ Type: 'Notification', Message: 'an order' });
    expect(toArchive).toBe('an order');
  });

  test('keeps the order when its servers do not come back in time, tells so, and says why', async () => {
    await deployed.advance({ hours: 30 });
    const [toPartner = '', toArchive = ''] = RELAYS.map(relay => `${relay}/Queue/DeadLetterQueue`);
    const [message, ...others] = await deployed.receive(toArchive);
    expect(others).toEqual([]);
    expect(message?.Body).toContain('an order');
    expect(message?.MessageAttributes).toMatchObject({
      DeadLetterCause: { StringValue: 'retries-spent' },
      LastStatusCode: { StringValue: '503' },
    });
    expect(deployed.alarmed(`${toArchive}/ArrivalsAlarm`)).toHaveLength(1);
    // By the default policy there are two days left.
    expect(await deployed.receive(toPartner)).toEqual([]);
  });
});
