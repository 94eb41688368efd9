import { AddPermissionCommand, GetPolicyCommand, LambdaClient, RemovePermissionCommand } from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import type { Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DurableTopic, HttpRelay, OpsTopic, RelayEndpoint } from '../../../../lib';
import { Ledger, response } from '../../../../local';
import { inlineFunction } from '../../../support/inline-function';
import { RedriveAccount } from './redrive-account';

const HOST = 'partner.example.com';
const URL = `https://${HOST}/orders`;
const WORKER = `exports.handler = async ({ Records }) => {
  for (const { EventSubscriptionArn, Sns } of Records) console.log('done: ' + Sns.Message + ' ' + EventSubscriptionArn);
};`;

/** A topic whose three deliveries share a dead-letter queue, and a relay to the same endpoint. */
function orders(stack: Stack): void {
  const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
  const topic = new DurableTopic(stack, 'Orders', { sharedDeadLetterQueue: true, alarmActions });
  topic.deliverToQueue('Inbox', new Queue(stack, 'Inbox'));
  topic.deliverToFunction('Worker', inlineFunction(stack, 'Worker', WORKER));
  topic.deliverToEndpoint('Partner', URL);
  new HttpRelay(stack, 'Relay', { endpoint: RelayEndpoint.fromUrl(URL), alarmActions });
}

const DEAD = 'Orders/Deliveries/SharedDeadLetterQueue';

describe('A dead-letter queue that all deliveries of a topic share', () => {
  let account: RedriveAccount;
  let lambda: LambdaClient;

  const subscriptionArn = (delivery: string) => account.deployed.ref(`Orders/Deliveries/${delivery}/Subscription`);
  const inboxUrl = () => account.deployed.ref('Inbox');

  /** Publishes while one or more of the subscribers fail. */
  async function publishWhile(text: string, failing: { queue?: true; function?: true; endpoint?: true }) {
    const { deployed } = account;
    const QueueUrl = inboxUrl();
    const FunctionName = deployed.ref('Worker');
    const { Attributes = {} } = await deployed.sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['Policy'] }),
    );
    const { Policy = '{}' } = await lambda.send(new GetPolicyCommand({ FunctionName }));
    const [{ Sid: StatementId }] = JSON.parse(Policy).Statement;
    if (failing.queue) await deployed.takeQueuePolicyAway('Inbox');
    if (failing.function) await lambda.send(new RemovePermissionCommand({ FunctionName, StatementId }));
    if (failing.endpoint) deployed.aws.endpoint(HOST).behave({ reply: response(403, 'no entry'), count: 1 });
    await deployed.publish('Orders', text);
    await deployed.advance({ minutes: 2 });
    if (failing.queue) await deployed.sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
    if (failing.function) {
      await lambda.send(
        new AddPermissionCommand({
          FunctionName,
          StatementId,
          Action: 'lambda:InvokeFunction',
          Principal: 'sns.amazonaws.com',
          SourceArn: deployed.ref('Orders'),
        }),
      );
    }
  }

  beforeAll(async () => {
    account = await RedriveAccount.of(orders);
    account.deployed.aws.confirmSubscription(URL);
    lambda = new LambdaClient({ ...account.deployed.aws.clientConfig(), maxAttempts: 1 });
    await publishWhile('first', { queue: true });
    await publishWhile('second', { function: true });
    await publishWhile('third', { endpoint: true });
    await publishWhile('fourth', { queue: true, function: true, endpoint: true });
  });

  afterAll(() => lambda.destroy());

  test('is one queue, whose arrivals the alarm of the topic reports', () => {
    const queues = account.deployed.aws.state().queues.filter(({ name }) => name.includes('SharedDeadLetterQueue'));
    expect(queues).toHaveLength(1);
    expect(account.depth(DEAD)).toEqual([6, 0]);
    expect(account.deployed.alarmed('Orders/DeadLetteredAlarm').length).toBeGreaterThan(0);
  });

  test('has its messages explained, each by the subscriber that failed, and by the redrive that returns it', async () => {
    const { deployed } = account;
    const { causes, unexplained } = await account.json(`why ${account.queue(DEAD)}`);
    expect(unexplained).toEqual([]);
    const found = causes.map((it: { code: string; destination: string; messages: number }) => [
      it.destination,
      it.code,
      it.messages,
    ]);
    expect(found.toSorted()).toEqual(
      [
        [deployed.arn('Inbox'), '403 AccessDenied', 2],
        [deployed.arn('Worker'), '403 AccessDeniedException', 2],
        [URL, '403', 2],
      ].toSorted(),
    );
    const { out } = await account.dlo(`why ${account.queue(DEAD)}`);
    const redrives = out.split('\n').filter(line => line.startsWith('  dlo dlq redrive'));
    expect(redrives.map(line => line.split(account.site)[0]?.trim()).toSorted()).toEqual(
      [
        `dlo dlq redrive ${account.queue(DEAD)} --to ${deployed.arn('Inbox')}`,
        `dlo dlq redrive ${account.queue(DEAD)} --to ${deployed.arn('Worker')}`,
        `dlo dlq redrive ${account.queue(DEAD)} --subscription ${subscriptionArn('Partner')} --to ARN`,
      ].toSorted(),
    );
  });

  test('is not redriven without the subscriber, nor to a queue that is none', async () => {
    const unnamed = await account.dlo(`redrive ${account.queue(DEAD)} --execute`);
    expect([unnamed.exitCode, unnamed.err]).toEqual([2, expect.stringContaining('come from several places')]);
    const elsewhere = await account.dlo(
      `redrive ${account.queue(DEAD)} --to ${account.deployed.arn('Relay/Queue')} --execute`,
    );
    expect([elsewhere.exitCode, elsewhere.err]).toEqual([2, expect.stringContaining('--subscription says whose')]);
    expect(account.depth(DEAD)).toEqual([6, 0]);
  });

  test('returns to each subscriber what it missed, and nothing that it has', async () => {
    const { deployed } = account;
    const each = [
      `--to ${deployed.arn('Inbox')} `,
      `--subscription ${subscriptionArn('Worker')} `,
      `--subscription ${subscriptionArn('Partner')} --to ${deployed.arn('Relay/Queue')} `,
    ];
    for (const [at, options] of each.entries()) {
      const { exitCode, out } = await account.redrive(DEAD, `--canary 0 ${options}`);
      expect([exitCode, out]).toEqual([0, expect.stringMatching(/^2 messages moved/)]);
      expect(account.depth(DEAD)).toEqual([4 - 2 * at, 0]);
    }
    await deployed.advance({ minutes: 5 });

    const bodies = [...(await deployed.take('Inbox')), ...(await deployed.take('Inbox'))];
    const all = ['first', 'second', 'third', 'fourth'].toSorted();
    expect(bodies.map(body => JSON.parse(body).Message).toSorted()).toEqual(all);
    const done = account.done('Worker').map(line => line.split(' '));
    expect(done.map(([text]) => text).toSorted()).toEqual(all);
    expect(new Set(done.map(([, arn]) => arn))).toEqual(new Set([subscriptionArn('Worker')]));
    const requests = deployed.aws
      .endpoint(HOST)
      .requests.filter(({ reply }) => 'status' in reply && reply.status === 200);
    const notifications = requests
      .map(request => JSON.parse(Buffer.from(request.body).toString('utf8')))
      .filter(it => it.Type === 'Notification');
    expect(notifications.map(({ Message }) => Message).toSorted()).toEqual(all);
    expect(
      Ledger.of(deployed.aws.trace.events)
        .accounts()
        .map(({ lost }) => lost),
    ).toEqual([0, 0, 0, 0]);
  });
});
