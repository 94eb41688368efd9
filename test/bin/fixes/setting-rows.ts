import { CloudWatchClient, DisableAlarmActionsCommand } from '@aws-sdk/client-cloudwatch';
import {
  LambdaClient,
  ListEventSourceMappingsCommand,
  PutFunctionConcurrencyCommand,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Topic, type TopicProps } from 'aws-cdk-lib/aws-sns';
import { LambdaSubscription, SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';
import { done, held, inDead, invokes, may, OF_SERVICES, roleWith, SAYS, THROWS } from './access-rows';
import { allow, dead, deny, EVENTS, type FixRow, orders, publishes, subscribe, toQueue } from './fix-row';

const PHONE = '+15555550100';
/** The phone takes nothing. */
const blocks = async ({ aws }: Deployed) => {
  const outcome = { kind: 'answered', statusCode: 400, errorCode: 'Phone carrier has blocked this message' } as const;
  aws.recipients.behave(PHONE, { outcome });
};

/** The messages in a queue that a fix created. */
const inNewQueue = (nameOf: (on: Deployed) => string) => async (on: Deployed) => {
  const url = await on.sqs.send(new GetQueueUrlCommand({ QueueName: nameOf(on) })).catch(() => undefined);
  if (url === undefined) return 0;
  const { Messages = [] } = await on.sqs.send(new ReceiveMessageCommand({ QueueUrl: url.QueueUrl }));
  return Messages.length;
};

const later = (days: number) => async (on: Deployed) => {
  await publishes(on);
  await on.advance({ days });
};

const retains = (days: number): QueueProps => ({ retentionPeriod: Duration.days(days) });

/** A queue `Work` that a function reads; its dead letters go to `Dead`. */
function worked(code: string, work: QueueProps & { readonly maxReceiveCount: number }, timeout = 3) {
  return (stack: Stack) => {
    const { maxReceiveCount, ...props } = work;
    const deadLetterQueue = { queue: new Queue(stack, 'Dead', retains(14)), maxReceiveCount };
    const queue = new Queue(stack, 'Work', {
      visibilityTimeout: Duration.seconds(timeout * 6),
      ...props,
      deadLetterQueue,
    });
    const reader = inlineFunction(stack, 'Bill', code, { timeout: Duration.seconds(timeout) });
    reader.addEventSource(new SqsEventSource(queue, { batchSize: 1 }));
  };
}
const works = async (on: Deployed) => {
  await on.send('Work', 'an order');
  await on.advance({ minutes: 10 });
};
const SLOW = (seconds: number) =>
  `exports.handler = async () => { await new Promise(it => setTimeout(it, ${seconds * 1_000})); console.log('done'); };`;
const SECOND_TIME = `exports.handler = async ({ Records: [it] }) => {
  if (it.attributes.ApproximateReceiveCount === '1') throw new Error('busy');
  console.log('done');
};`;

const setsWork = (Attributes: Record<string, string>) => (on: Deployed) =>
  on.sqs.send(new SetQueueAttributesCommand({ QueueUrl: on.ref('Work'), Attributes }));

/** What the function did, without what SQS also counted as dead. */
function doneOnce() {
  const [ofFunction, known] = [done('Bill'), new Map<Deployed, number>()];
  return async (on: Deployed) => {
    const before = known.get(on) ?? 0;
    const now = await held(on);
    known.set(on, now);
    return ofFunction(on) - (now - before);
  };
}

/** Reserves no concurrency, so that a function does not run. */
const stops = (on: Deployed) =>
  new LambdaClient(on.aws.clientConfig()).send(
    new PutFunctionConcurrencyCommand({ FunctionName: on.ref('Bill'), ReservedConcurrentExecutions: 0 }),
  );

/** A topic `Ops` with a queue `Bills`. */
function ops(stack: Stack, props: TopicProps = {}): Topic {
  const topic = new Topic(stack, 'Ops', props);
  topic.addSubscription(new SqsSubscription(new Queue(stack, 'Bills')));
  return topic;
}

function alarm(stack: Stack, metric: IMetric, topic: Topic): void {
  const comparisonOperator = ComparisonOperator.GREATER_THAN_THRESHOLD;
  const it = new Alarm(stack, 'Alarm', { metric, threshold: 0, comparisonOperator, evaluationPeriods: 1 });
  it.addAlarmAction(new SnsAction(topic));
}

/** A dead-letter queue `Dead` with an alarm that tells the topic `Ops`. */
function alarmed(props: TopicProps = {}, change: (topic: Topic) => unknown = () => {}) {
  return (stack: Stack) => {
    const topic = ops(stack, props);
    change(topic);
    const queue = dead(stack);
    subscribe(orders(stack), PHONE, 'sms', queue);
    alarm(stack, queue.metricApproximateNumberOfMessagesVisible(), topic);
  };
}

/** Sends a dead letter, and takes it away, so that the alarm can rise again. */
const patiently = (sends: (on: Deployed) => Promise<unknown>) => async (on: Deployed) => {
  await sends(on);
  await on.advance({ minutes: 10 });
  await on.take('Dead');
  await on.advance({ minutes: 10 });
};
const rises = patiently(on => on.send('Dead', 'an order'));

const PUBLISHES = `const { PublishCommand, SNSClient } = require('@aws-sdk/client-sns');
exports.handler = () => new SNSClient({}).send(new PublishCommand({ TopicArn: process.env.TOPIC, Message: 'an order' }));`;

export const SETTING_FIX_ROWS: readonly FixRow[] = [
  {
    what: 'subscription of a phone',
    check: 'sms-without-dead-letter-queue',
    fill: stack => subscribe(orders(stack), PHONE, 'sms'),
    breaks: blocks,
    receives: inNewQueue(on => `${on.name('Orders')}-topic-dead-letters`),
  },
  {
    what: 'subscription of a queue that is closed',
    check: 'no-dead-letter-queue',
    fill: stack => subscribe(orders(stack), new Queue(stack, 'Bills').queueArn, 'sqs'),
    receives: inNewQueue(on => `${on.name('Orders')}-topic-dead-letters`),
  },
  {
    what: 'function that fails',
    check: 'function-keeps-nothing',
    fill: stack => orders(stack).addSubscription(new LambdaSubscription(inlineFunction(stack, 'Bill', THROWS))),
    sends: async on => {
      await publishes(on);
      await on.advance({ minutes: 10 });
    },
    receives: inNewQueue(on => `${on.ref('Bill')}-function-dead-letters`),
  },
  {
    what: 'topic whose failures no log shows: the record of one',
    check: 'logging-off',
    fill: stack => subscribe(new Topic(stack, 'Orders'), new Queue(stack, 'Bills').queueArn, 'sqs', dead(stack)),
    receives: on => on.log(`sns/us-east-1/123456789012/${on.name('Orders')}/Failure`).length,
  },
  {
    what: 'dead-letter queue of two hours, and a look after a day',
    check: 'dead-letters-kept-too-short',
    fill: stack =>
      subscribe(orders(stack), PHONE, 'sms', dead(stack, undefined, { retentionPeriod: Duration.hours(2) })),
    breaks: blocks,
    sends: later(1),
    receives: inDead,
  },
  {
    what: 'dead-letter queue of 4 days, as its source, and a look after 6',
    check: 'dead-letters-expire-early',
    fill: stack => {
      const queue = new Queue(stack, 'Dead', retains(4));
      new Queue(stack, 'Work', {
        ...retains(4),
        visibilityTimeout: Duration.seconds(1),
        deadLetterQueue: { queue, maxReceiveCount: 3 },
      });
    },
    sends: async on => {
      await on.send('Work', 'an order');
      await on.advance({ days: 3 });
      for (let receive = 0; receive < 4; receive += 1) {
        await on.receive('Work');
        await on.advance({ seconds: 2 });
      }
      await on.advance({ days: 3 });
    },
    receives: inDead,
  },
  {
    what: 'dead-letter queue that denies its source: SQS takes the redrive policy',
    check: 'redrive-allow-policy-keeps-out',
    fill: worked(SAYS, { maxReceiveCount: 3 }),
    breaks: on => {
      const Attributes = { RedriveAllowPolicy: '{"redrivePermission":"denyAll"}' };
      return on.sqs.send(new SetQueueAttributesCommand({ QueueUrl: on.ref('Dead'), Attributes }));
    },
    sends: async () => {},
    receives: async on => {
      const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: on.arn('Dead'), maxReceiveCount: 4 });
      return setsWork({ RedrivePolicy })(on).then(
        () => 1,
        () => 0,
      );
    },
  },
  {
    what: 'function that is slower than its queue hides a message: it does it once',
    check: 'visibility-too-short',
    cause: 'visibility-too-short',
    fill: worked(SLOW(10), { maxReceiveCount: 1 }, 20),
    breaks: setsWork({ VisibilityTimeout: '5' }),
    sends: works,
    receives: doneOnce(),
  },
  {
    what: 'function that fails once',
    check: 'too-few-receives',
    fill: worked(SECOND_TIME, { maxReceiveCount: 1 }),
    sends: works,
    receives: done('Bill'),
  },
  {
    what: 'function that times out',
    cause: 'function-timed-out',
    fill: worked(SLOW(5), { maxReceiveCount: 3 }),
    sends: works,
    receives: done('Bill'),
  },
  {
    what: 'function of a queue that may not run',
    cause: 'consumer-throttled',
    fill: worked(SAYS, { maxReceiveCount: 3 }),
    breaks: stops,
    sends: works,
    receives: done('Bill'),
  },
  {
    what: 'mapping that is disabled, and another consumer',
    cause: 'mapping-disabled',
    fill: worked(SAYS, { maxReceiveCount: 1 }),
    breaks: async on => {
      const lambda = new LambdaClient(on.aws.clientConfig());
      const { EventSourceMappings = [] } = await lambda.send(new ListEventSourceMappingsCommand({}));
      const [{ UUID } = {}] = EventSourceMappings;
      await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: false }));
    },
    sends: async on => {
      await on.send('Work', 'an order');
      await on.advance({ minutes: 2 });
      await on.receive('Work');
      await on.advance({ minutes: 2 });
      await on.receive('Work');
    },
    receives: done('Bill'),
  },
  {
    what: 'function of a topic that may not run',
    cause: 'function-throttled',
    fill: stack => {
      const bill = inlineFunction(stack, 'Bill', SAYS, { deadLetterQueue: new Queue(stack, 'Dead', retains(14)) });
      orders(stack).addSubscription(new LambdaSubscription(bill));
    },
    breaks: stops,
    sends: async on => {
      await publishes(on);
      await on.advance({ hours: 7 });
    },
    receives: done('Bill'),
  },
  {
    what: 'queue that was deleted and created again',
    cause: 'queue-gone',
    fill: toQueue(
      arn => [allow(arn)],
      () => ({ queueName: 'bills' }),
    ),
    breaks: async on => {
      await on.sqs.send(new DeleteQueueCommand({ QueueUrl: on.ref('Bills') }));
      await on.advance({ minutes: 2 });
      await on.sqs.send(new CreateQueueCommand({ QueueName: 'bills' }));
    },
  },
  {
    what: 'queue that was deleted',
    cause: 'queue-gone',
    fill: toQueue(
      arn => [allow(arn)],
      () => ({ queueName: 'bills' }),
    ),
    breaks: async on => {
      await on.sqs.send(new DeleteQueueCommand({ QueueUrl: on.ref('Bills') }));
      await on.advance({ minutes: 2 });
    },
    receives: inNewQueue(() => 'bills'),
  },
  ...(
    [
      ['no permission', () => []],
      ['a Deny', arn => [may(['sns:Publish'], [arn]), may(['sns:*'], ['*'], 'Deny')]],
    ] satisfies [string, (topicArn: string) => readonly PolicyStatement[]][]
  ).map(
    ([what, statements]): FixRow => ({
      what: `role of a function that publishes: ${what}`,
      cause: 'role-denied',
      fill: stack => {
        const topic = ops(stack);
        const deadLetterQueue = new Queue(stack, 'Dead', retains(14));
        const role = roleWith(stack, 'lambda.amazonaws.com', may(['logs:*'], ['*']), ...statements(topic.topicArn));
        const environment = { TOPIC: topic.topicArn };
        inlineFunction(stack, 'Bill', PUBLISHES, { role, deadLetterQueue, environment, retryAttempts: 0 });
      },
      sends: invokes,
    }),
  ),
  {
    what: 'dead letters that no alarm reports',
    check: 'dead-letters-unwatched',
    fill: stack => {
      dead(stack);
      subscribe(orders(stack), PHONE, 'sms', stack.node.findChild('Dead') as Queue);
      alarm(stack, new Queue(stack, 'Work').metricApproximateAgeOfOldestMessage(), ops(stack));
    },
    breaks: blocks,
    sends: patiently(publishes),
  },
  {
    what: 'losses that no alarm reports',
    check: 'losses-unwatched',
    fill: stack => {
      subscribe(orders(stack), PHONE, 'sms', new Queue(stack, 'Dead', retains(14)));
      alarm(stack, new Queue(stack, 'Work').metricApproximateAgeOfOldestMessage(), ops(stack));
    },
    breaks: blocks,
    sends: patiently(publishes),
  },
  {
    what: 'alarm on a metric that does not count what SQS moves',
    check: 'alarm-on-sent-never-fires',
    fill: stack => {
      worked(THROWS, { maxReceiveCount: 3 })(stack);
      alarm(stack, (stack.node.findChild('Dead') as Queue).metricNumberOfMessagesSent(), ops(stack));
    },
    sends: patiently(works),
  },
  {
    what: 'alarm whose actions are disabled',
    check: 'alarm-tells-nobody',
    fill: alarmed(),
    breaks: on =>
      new CloudWatchClient(on.aws.clientConfig()).send(
        new DisableAlarmActionsCommand({ AlarmNames: [on.ref('Alarm')] }),
      ),
    sends: rises,
  },
  {
    what: 'topic of an alarm: a Deny',
    check: 'alarm-topic-closed',
    fill: alarmed({}, topic => topic.addToResourcePolicy(deny('sns:Publish', topic.topicArn, OF_SERVICES))),
    sends: rises,
  },
  {
    what: 'topic of an alarm: its policy lets a rule in alone',
    check: 'alarm-topic-closed',
    fill: alarmed({}, topic => topic.grantPublish(EVENTS)),
    sends: rises,
  },
  {
    what: 'key of the topic of an alarm',
    check: 'alarm-topic-closed',
    fill: stack => alarmed({ masterKey: new Key(stack, 'Key') })(stack),
    sends: rises,
  },
];
