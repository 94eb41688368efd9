import { readFileSync } from 'node:fs';
import path from 'node:path';
import { CloudWatchLogsClient, CreateLogGroupCommand } from '@aws-sdk/client-cloudwatch-logs';
import { RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { LambdaSubscription, SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { CfnQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { DeadLetterQueue, DurableTopic, FunctionFailures, ProcessingQueue } from '../../lib';
import { deployCheck, LocalAws } from '../../local';
import { newStack, only, templateOf } from '../lib/support';
import { assemblyOfStack } from '../support/assembly';
import { inlineFunction } from '../support/inline-function';
import { ROOT } from './source-files';

const GUIDE = readFileSync(path.join(ROOT, 'docs/adopting.md'), 'utf8').replace(/\s+/g, ' ');

type Fill = (stack: Stack) => void;

/** What a team has deployed. */
const plain: Fill = stack => {
  new Topic(stack, 'Orders').addSubscription(new SqsSubscription(new Queue(stack, 'Fulfilment')));
};

/** A topic and a queue of ours under the same ids. */
const ours =
  (subscribe: (topic: DurableTopic, queue: ProcessingQueue, deadLetterQueue: DeadLetterQueue) => void): Fill =>
  stack => {
    const topic = new DurableTopic(stack, 'Orders');
    subscribe(topic, new ProcessingQueue(stack, 'Fulfilment'), new DeadLetterQueue(stack, 'Dlq'));
  };
const kept = ours((topic, queue, deadLetterQueue) =>
  topic.addSubscription(new SqsSubscription(queue, { deadLetterQueue })),
);
const unsubscribed = ours(() => {});
const delivered = (id: string) =>
  ours((topic, queue, deadLetterQueue) => void topic.deliverToQueue(id, queue, { deadLetterQueue }));

function subscriptionId(fill: Fill): string {
  const stack = newStack();
  fill(stack);
  return only(templateOf(stack), 'AWS::SNS::Subscription')[0];
}
const renamed: Fill = stack => {
  delivered('Partner')(stack);
  stack.renameLogicalId(subscriptionId(delivered('Partner')), subscriptionId(delivered('ToPartner')));
};

const queueOf =
  (removalPolicy?: RemovalPolicy): Fill =>
  stack => {
    plain(stack);
    new DeadLetterQueue(stack, 'Old', removalPolicy === undefined ? {} : { removalPolicy });
  };
const processing: Fill = stack => {
  plain(stack);
  new ProcessingQueue(stack, 'Old', { removalPolicy: RemovalPolicy.DESTROY });
};

/** A function that is subscribed, and whose failed events go to the dead-letter queue `Failed`. */
const billing =
  (failures: (stack: Stack) => Queue | undefined): Fill =>
  stack => {
    const deadLetterQueue = failures(stack);
    const handler = inlineFunction(stack, 'Billing', '0;', deadLetterQueue && { deadLetterQueue });
    new Topic(stack, 'Orders').addSubscription(new LambdaSubscription(handler));
    if (deadLetterQueue) return;
    new FunctionFailures(stack, 'Failures', { handler, deadLetterQueue: new DeadLetterQueue(stack, 'Failed') });
  };

describe('the guide to adopting says what deployments do, as dlo deploy-check finds', () => {
  test.each<[says: string, before: Fill, after: Fill, effects: readonly string[], failure: RegExp | undefined]>([
    ['CloudFormation updates the live resource in place', plain, kept, [], undefined],
    [
      '*Subscription already exists with different attributes*',
      plain,
      delivered('ToFulfilment'),
      [],
      /Subscription already exists with different attributes/,
    ],
    [
      'The deployment succeeds, and the topic has no subscription.',
      kept,
      delivered('ToFulfilment'),
      ['lost'],
      undefined,
    ],
    [
      'It is only a name in the code, so leave it as it is.',
      delivered('ToPartner'),
      delivered('Partner'),
      ['lost'],
      undefined,
    ],
    ['this.renameLogicalId(', delivered('ToPartner'), renamed, [], undefined],
    [
      'the queue stays in the account with its messages',
      queueOf(),
      plain,
      ['left-behind', 'stops-arriving'],
      undefined,
    ],
    [
      'set `removalPolicy: RemovalPolicy.DESTROY` on a',
      queueOf(RemovalPolicy.DESTROY),
      plain,
      ['lost', 'stops-arriving'],
      undefined,
    ],
    [
      'CloudFormation deletes it with its messages, like a `Queue`',
      processing,
      plain,
      ['lost', 'stops-arriving'],
      undefined,
    ],
    [
      'The queue stays, with its messages.',
      billing(stack => new Queue(stack, 'Failed')),
      billing(() => undefined),
      [],
      undefined,
    ],
  ])('%s', async (says, before, after, effects, failure) => {
    expect(GUIDE).toContain(says);
    const check = await deployCheck(assemblyOfStack(before), assemblyOfStack(after));
    const found = check.receivers.flatMap(({ changes }) => changes.map(({ kind }) => kind));
    expect([...new Set(found)]).toEqual(effects);
    if (failure) expect(check.failure).toMatch(failure);
    else expect(check.failure).toBeUndefined();
  });

  const published = (aws: LocalAws, text: string) => aws.publish('Test/Orders', text);
  const deployed = async (fill: Fill, act: (aws: LocalAws) => Promise<void>) => {
    const aws = await LocalAws.deploy(assemblyOfStack(fill));
    await act(aws);
    await aws.close();
  };

  test('SNS does not deliver what is published in between.', () =>
    deployed(kept, async aws => {
      await aws.update(assemblyOfStack(unsubscribed));
      published(aws, 'between');
      await aws.update(assemblyOfStack(delivered('ToFulfilment')));
      published(aws, 'after');
      await aws.advance({ seconds: 1 });
      expect(GUIDE).toContain('SNS does not deliver what is published in between.');
      expect(aws.drain('Test/Fulfilment').map(({ body }) => JSON.parse(body).Message)).toEqual(['after']);
    }));

  test('the rollback keeps dead-letter queues, except those with a stated name', () =>
    deployed(plain, async aws => {
      expect(GUIDE).toContain('deletes what the failed deployment created, except dead-letter queues');
      expect(GUIDE).toContain('the rollback of the deployment that created it deletes it');
      const failing: Fill = stack => {
        plain(stack);
        const created = [
          new DeadLetterQueue(stack, 'Dlq'),
          new DeadLetterQueue(stack, 'Named', { queueName: 'named' }),
        ];
        const bad = new CfnQueue(stack, 'Bad', { delaySeconds: 5_000 });
        bad.node.addDependency(new Queue(stack, 'Other'), ...created);
      };
      await expect(aws.update(assemblyOfStack(failing))).rejects.toThrow('UPDATE_ROLLBACK_COMPLETE');
      const names = aws.state().queues.map(({ name }) => name.replace(/\w{8}-\w{12}$/, ''));
      expect(names).toEqual(['Test-Fulfilment', 'Test-Dlq']);
    }));

  test('the deployment fails with *already exists*', () =>
    deployed(plain, async aws => {
      const logs = new CloudWatchLogsClient(aws.clientConfig());
      const topic = aws.resource('Test/Orders').ref.split(':').at(-1);
      const logGroupName = `sns/us-east-1/123456789012/${topic}`;
      await logs.send(new CreateLogGroupCommand({ logGroupName }));
      await expect(aws.update(assemblyOfStack(kept))).rejects.toThrow(/already exists/);
      expect(GUIDE).toContain('the deployment fails with *already exists*');
    }));
});
