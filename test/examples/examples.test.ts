import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { App, Stack, Validations } from 'aws-cdk-lib';
import { DurableTopic } from '../../lib';
import { Ledger, response, type SubscriberAccount } from '../../local';
import { Deployed } from '../support/deployed';
import { annotations, findings, validate } from '../support/validations';

const FOLDER = path.join(__dirname, '../../docs/examples');

/** Every file a user might paste; what ends in `.test.ts` runs by itself. */
const EXAMPLES = readdirSync(FOLDER).filter(file => file.endsWith('.ts') && !file.endsWith('.test.ts'));

/** Longer than SNS retries a delivery to any server, and shorter than a dead letter is kept. */
const UNTIL_SNS_GIVES_UP = { hours: 2 };

interface Example {
  readonly app: App;
  readonly stacks: readonly Stack[];
}

/** Runs a file as `cdk synth` would, with the flags of a project of today: the stacks it exports, and the app they are in. */
async function load(file: string): Promise<Example> {
  const { context } = JSON.parse(readFileSync(path.join(__dirname, '../../cdk.json'), 'utf8'));
  process.env['CDK_CONTEXT_JSON'] = JSON.stringify(context);
  const exported: Record<string, unknown> = await import(path.join(FOLDER, file));
  const stacks = Object.values(exported).filter(it => it instanceof Stack);
  const app = stacks[0]?.node.root;
  if (!(app instanceof App)) throw new Error(`${file} exports no stack`);
  return { app, stacks };
}

/** What CDK gives to every function, and is the function's author's to judge, not ours. */
function acknowledgeFunctions({ app }: Example): void {
  Validations.of(app).acknowledge({
    id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]',
    reason: 'It is what lets a function write its log.',
  });
}

/** Deploys it, and does what the owners of its endpoints must do. */
async function deploy({ app }: Example): Promise<Deployed> {
  const deployed = await Deployed.assembly(app.synth().directory);
  for (const { protocol, endpoint } of deployed.aws.state().pendingSubscriptions) {
    if (/^https?$/.test(protocol)) deployed.aws.confirmSubscription(endpoint);
  }
  return deployed;
}

/** Publishes to each topic of ours. */
async function publish({ app }: Example, deployed: Deployed): Promise<void> {
  for (const topic of app.node.findAll().filter(it => it instanceof DurableTopic)) {
    await deployed.publish(`/${topic.node.path}`, 'an order', topic.fifo ? { MessageGroupId: 'customer-7' } : {});
  }
}

/** The accounts of all subscribers but mailboxes, which hear of alarms. */
function accounts({ aws }: Deployed): readonly SubscriberAccount[] {
  return Ledger.of(aws.trace.happenings)
    .accounts()
    .filter(({ protocol }) => protocol !== 'email');
}

/** What SNS does not retry: nobody there, or no way in. */
const FORBIDDEN = { httpStatus: 403, code: 'AccessDenied' };

/** Makes a subscriber unable to take anything. */
const BREAK: Readonly<Partial<Record<string, (deployed: Deployed, endpoint: string) => void>>> = {
  sqs: ({ aws }, resource) => void aws.faults.set({ service: 'sqs', action: 'SendMessage', resource, ...FORBIDDEN }),
  lambda: ({ aws }, resource) => void aws.faults.set({ service: 'lambda', action: 'Invoke', resource, ...FORBIDDEN }),
  https: ({ aws }, url) => aws.endpoint(new URL(url).host).behave({ reply: response(503) }),
};

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
  beforeAll(async () => {
    example = await load(file);
    validate(example.app);
    acknowledgeFunctions(example);
  });

  test('is faultless to cdk-nag, cdk-preflight and CDK’s own validation, and warns of nothing', () => {
    expect(findings(example.app)).toEqual([]);
    expect(example.stacks.flatMap(annotations)).toEqual([]);
  });

  test('delivers a message to each of its subscribers', async () => {
    const deployed = await deploy(example);
    await publish(example, deployed);
    await deployed.advance({ minutes: 1 });
    const queues = accounts(deployed).filter(({ protocol }) => protocol === 'sqs');
    for (const { endpoint } of queues) {
      expect(await consume(deployed, endpoint)).toEqual([expect.stringContaining('an order')]);
    }
    const all = accounts(deployed);
    expect(all.length).toBeGreaterThan(0);
    for (const account of all) expect(account).toMatchObject({ published: 1, delivered: 1, lost: 0, deadLettered: {} });
  });

  test('keeps the message for each subscriber that cannot take it, and says so', async () => {
    const deployed = await deploy(example);
    for (const { protocol, endpoint } of accounts(deployed)) {
      const broken = BREAK[protocol];
      if (!broken) throw new Error(`nothing here breaks a subscriber of ${protocol}`);
      broken(deployed, endpoint);
    }
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
