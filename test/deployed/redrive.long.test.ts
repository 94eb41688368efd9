import { CloudWatchClient, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { GetPolicyCommand, InvokeCommand, LambdaClient, RemovePermissionCommand } from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, SendMessageBatchCommand, StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { FunctionProps, IFunction } from 'aws-cdk-lib/aws-lambda';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import {
  DurableTopic,
  FunctionFailures,
  HttpRelay,
  OpsTopic,
  ProcessingQueue,
  Redrive,
  RedriveDestination,
  RedriveLane,
  type RedriveOptions,
  RelayEndpoint,
} from '../../lib';
import { redriveRows } from '../../lib/redrive/redrive-alarms';
import { Alarms } from '../../lib/shared/alarms';
import { response } from '../../local';
import { REDRIVE_METRICS } from '../../policy/metric-names';
import { REDRIVE_STATES, type RedriveState } from '../../policy/redrive/redrive-decision';
import { Deployed } from '../support/deployed';
import { inlineFunction } from '../support/inline-function';
import { turnSwitch } from '../support/redrive-switch';

describe('redrive', () => {
  const BILLING = 'billing.example.com';

  const MAILBOX = 'ops@example.com';

  /** Fails as long as the billing system does. */
  const BILLS = `exports.handler = async ({ Records }) => {
  for (const { body } of Records) {
    const { status } = await fetch('https://${BILLING}/', { method: 'POST', body });
    if (status >= 500) throw new Error('no invoice today');
  }
};`;

  const ORDERS = ['order 1', 'order 2', 'order 3', 'order 4', 'order 5'];

  /** Adds an encrypted queue whose consumer needs the billing system, and a redrive of its dead letters. */
  function ordersAndBilling(redriven: (orders: ProcessingQueue) => RedriveOptions | undefined): (stack: Stack) => void {
    return stack => {
      const ops = new OpsTopic(stack, 'Ops', { email: MAILBOX });
      const orders = new ProcessingQueue(stack, 'Orders', {
        encryptionMasterKey: new Key(stack, 'Key'),
        visibilityTimeout: Duration.seconds(30),
        alarmActions: [ops],
      });
      orders.addFunctionConsumer(inlineFunction(stack, 'Consumer', BILLS, { timeout: Duration.seconds(5) }), {
        batchSize: 1,
      });
      const options = redriven(orders);
      if (options) orders.redriveDeadLetters('Redrive', { resultsTopic: ops, ...options });
    };
  }

  /** Adds an alarm that fires while the function fails. */
  function alarmOn(handler: IFunction): Alarm {
    return new Alarm(handler.stack, 'Alarm', {
      metric: handler.metricErrors({ period: Duration.minutes(1) }),
      threshold: 0,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      evaluationPeriods: 1,
    });
  }

  const STEPS = [{ messagesPerSecond: 1, messages: 2 }, { messagesPerSecond: 10 }];

  /** Lets the billing system fail until every order is a dead letter. */
  async function fail(deployed: Deployed): Promise<void> {
    deployed.aws.confirmSubscription(MAILBOX);
    deployed.aws.endpoint(BILLING).behave({ reply: response(503) });
    for (const order of ORDERS) await deployed.send('Orders', order);
    await deployed.advance({ minutes: 10 });
    expect(deployed.happened('sqs.dead-lettered')).toHaveLength(ORDERS.length);
  }

  describe('The dead letters of a queue', () => {
    test('lie where they are without a redrive, however well all is again', async () => {
      const deployed = await Deployed.stack(ordersAndBilling(() => undefined));
      await fail(deployed);
      deployed.aws.endpoint(BILLING).behave();
      await deployed.advance({ hours: 2 });
      expect(await deployed.take('Orders/DeadLetterQueue')).toHaveLength(ORDERS.length);
    });

    test('go home when the alarm recovers, no faster than the canary, and a human is told of both', async () => {
      const deployed = await Deployed.stack(
        ordersAndBilling(({ consumers: [consumer] }) => ({
          enabled: true,
          recoveryAlarms: consumer ? [alarmOn(consumer.handler)] : [],
          steps: STEPS,
        })),
      );
      await fail(deployed);
      expect(deployed.rings('Alarm').map(({ to }) => to)).toEqual(['ALARM', 'OK']);
      const billing = deployed.aws.endpoint(BILLING);
      const before = billing.requests.length;
      billing.behave();
      await deployed.advance({ minutes: 12 });
      const requests = billing.requests.slice(before);
      expect(requests.map(({ body }) => Buffer.from(body).toString()).sort()).toEqual(ORDERS);
      expect(
        deployed.secondsAt(requests.at(-1)?.atMs ?? 0) - deployed.secondsAt(requests[0]?.atMs ?? 0),
      ).toBeGreaterThan(3);
      expect(await deployed.receive('Orders/DeadLetterQueue')).toEqual([]);
      const subjects = deployed.aws.recipients.receipts(MAILBOX).map(({ subject = '' }) => subject);
      expect(subjects.filter(it => it.includes('Moved '))).toEqual(['Moved 5 dead letters: Test/Orders/Redrive']);
      expect(deployed.alarmed('Orders/DeadLetterQueue/GrowthAlarm')).toHaveLength(1);
      expect(deployed.alarmed('Orders/Redrive/StoppedAlarm')).toEqual([]);
    });

    test('come back at most once if nothing is fixed, and an operator is notified once', async () => {
      const deployed = await Deployed.stack(
        ordersAndBilling(() => ({
          enabled: true,
          schedules: [ScheduleExpression.rate(Duration.minutes(12))],
          steps: STEPS,
        })),
      );
      await fail(deployed);
      await deployed.advance({ minutes: 40 });
      expect(deployed.happened('sqs.move-task-started')).toHaveLength(1);
      expect(await deployed.take('Orders/DeadLetterQueue')).toHaveLength(ORDERS.length);
      expect(deployed.alarmed('Orders/Redrive/StoppedAlarm')).toHaveLength(1);
    });

    test('stay where they are while an operator has switched it off', async () => {
      const schedules = [ScheduleExpression.rate(Duration.minutes(12))];
      const deployed = await Deployed.stack(ordersAndBilling(() => ({ enabled: true, schedules })));
      await turnSwitch(deployed, 'Orders/Redrive', 'off');
      await fail(deployed);
      deployed.aws.endpoint(BILLING).behave();
      await deployed.advance({ minutes: 4 });
      expect(deployed.happened('sqs.move-task-started')).toEqual([]);
      expect(deployed.log(deployed.ref('Orders/Redrive/Log')).join()).toContain('"cause":"switched-off"');
    });
  });

  test('Messages are copied if SQS does not move them, because no queue names their queue as its dead-letter queue', async () => {
    const deployed = await Deployed.stack(stack => {
      const alarmActions = [new OpsTopic(stack, 'Ops', { email: MAILBOX })];
      const deadLetterQueue = new Queue(stack, 'Dead', { encryptionMasterKey: new Key(stack, 'DeadKey') });
      const queue = new ProcessingQueue(stack, 'Queue', {
        encryptionMasterKey: new Key(stack, 'QueueKey'),
        alarmActions,
      });
      const destination = RedriveDestination.queue(queue);
      const schedules = [ScheduleExpression.rate(Duration.minutes(5))];
      new Redrive(stack, 'Redrive', {
        deadLetterQueue,
        destination,
        enabled: true,
        schedules,
        anchor: false,
        alarmActions,
      });
    });
    for (const order of ORDERS) await deployed.send('Dead', order);
    await deployed.advance({ minutes: 10 });
    expect(deployed.happened('sqs.move-task-started')).toEqual([]);
    expect([...(await deployed.take('Queue'))].sort()).toEqual(ORDERS);
    expect(await deployed.receive('Dead')).toEqual([]);
  });

  const PARTNER = 'partner.example.com';

  /** Logs its event, or fails as long as the billing system does. */
  const SAYS = `exports.handler = async event => {
  const { status } = await fetch('https://${BILLING}/');
  if (status >= 500) throw new Error('no invoice today');
  console.log('event: ' + JSON.stringify(event));
};`;

  /** Adds every kind of dead-letter queue except a queue's own. All are redriven at ten past the hour. */
  function everyKind(stack: Stack): void {
    const alarmActions = [new OpsTopic(stack, 'Ops', { email: MAILBOX })];
    const options = { enabled: true, alarmActions, schedules: [ScheduleExpression.cron({ minute: '10' })] };
    const topic = new DurableTopic(stack, 'Topic', { alarmActions, masterKey: new Key(stack, 'TopicKey') });
    const queue = new ProcessingQueue(stack, 'Queue', {
      alarmActions,
      encryptionMasterKey: new Key(stack, 'QueueKey'),
    });
    // The queue has no consumer: the test reads its messages below.
    const unproven = { ...options, proofOfHealth: false };
    topic.deliverToQueue('Queue', queue).redriveDeadLetters(stack, 'QueueRedrive', unproven);

    const subscriber = inlineFunction(stack, 'Subscriber', SAYS);
    new FunctionFailures(stack, 'SubscriberFailures', { handler: subscriber, alarmActions });
    topic.deliverToFunction('Subscriber', subscriber).redriveDeadLetters(stack, 'SubscriberRedrive', options);

    const relay = new HttpRelay(stack, 'Relay', {
      endpoint: RelayEndpoint.fromUrl(`https://${PARTNER}/`),
      alarmActions,
    });
    const { deadLetterQueue } = topic.deliverToEndpoint('Partner', `https://${PARTNER}/`);
    const destination = RedriveDestination.relay(relay);
    new Redrive(stack, 'PartnerRedrive', { ...options, deadLetterQueue, destination });

    const handler = inlineFunction(stack, 'Handler', SAYS);
    const encryptionKey = new Key(stack, 'FailuresKey');
    new FunctionFailures(stack, 'Failures', { handler, alarmActions, encryptionKey }).redriveDeadLetters(
      'Redrive',
      options,
    );
  }

  /** Publishes messages that cannot be delivered, and lets a function fail, until all are dead letters. */
  async function failEverywhere(deployed: Deployed): Promise<void> {
    const { aws } = deployed;
    aws.confirmSubscription(MAILBOX);
    await deployed.advance({ seconds: 10 });
    aws.services.sns.confirm(`https://${PARTNER}/`);
    aws.endpoint(PARTNER).behave({ reply: response(403) });
    aws.endpoint(BILLING).behave({ reply: response(503) });
    await deployed.takeQueuePolicyAway('Queue');
    const lambda = new LambdaClient(aws.clientConfig());
    const FunctionName = deployed.ref('Subscriber');
    const { Policy = '{}' } = await lambda.send(new GetPolicyCommand({ FunctionName }));
    const { Statement }: { Statement: { Sid: string }[] } = JSON.parse(Policy);
    for (const { Sid } of Statement) await lambda.send(new RemovePermissionCommand({ FunctionName, StatementId: Sid }));
    const Payload = Buffer.from('{"order":8}');
    await lambda.send(new InvokeCommand({ FunctionName: deployed.ref('Handler'), InvocationType: 'Event', Payload }));
    await deployed.publish('Topic', 'order 7');
    await deployed.advance({ minutes: 8 });
  }

  const ONE = { Attributes: { ApproximateNumberOfMessages: '1' } };

  const countOf = (deployed: Deployed, queue: string) =>
    new GetQueueAttributesCommand({
      QueueUrl: deployed.ref(queue),
      AttributeNames: ['ApproximateNumberOfMessages'],
    });

  const DEAD = [
    'Topic/Deliveries/Queue/DeadLetterQueue',
    'Topic/Deliveries/Subscriber/DeadLetterQueue',
    'Topic/Deliveries/Partner/DeadLetterQueue',
    'Failures/DeadLetterQueue',
  ];

  describe('The dead letters of a topic and of a function', () => {
    let deployed: Deployed;

    beforeAll(async () => {
      deployed = await Deployed.stack(everyKind);
      await failEverywhere(deployed);
      for (const queue of DEAD) expect(await deployed.sqs.send(countOf(deployed, queue))).toMatchObject(ONE);
      deployed.aws.endpoint(PARTNER).behave();
      deployed.aws.endpoint(BILLING).behave();
      await deployed.advance({ minutes: 15 });
    });

    const events = (handler: string) =>
      deployed
        .log(`/aws/lambda/${deployed.ref(handler)}`)
        .flatMap(line => /event: (\{.*\})/.exec(line)?.[1] ?? [])
        .map(text => JSON.parse(text));

    test('go to the queue that subscribes, in the envelope it would have got', async () => {
      const [message, ...others] = await deployed.take('Queue');
      expect(others).toEqual([]);
      expect(JSON.parse(message ?? '{}')).toMatchObject({ Type: 'Notification', Message: 'order 7' });
    });

    test('become the event the function that subscribes would have got', () => {
      const EventSubscriptionArn = deployed.ref('Topic/Deliveries/Subscriber/Subscription');
      expect(events('Subscriber')).toEqual([
        {
          Records: [
            {
              EventSource: 'aws:sns',
              EventVersion: '1.0',
              EventSubscriptionArn,
              Sns: expect.objectContaining({ Type: 'Notification', Message: 'order 7', MessageAttributes: {} }),
            },
          ],
        },
      ]);
    });

    test('are relayed to the endpoint', () => {
      const [, ...requests] = deployed.aws.endpoint(PARTNER).requests;
      const bodies = requests.map(({ body }) => JSON.parse(Buffer.from(body).toString()));
      // The endpoint refused the request of SNS, and accepted that of the relay.
      expect(bodies.map(({ Message }) => Message)).toEqual(['order 7', 'order 7']);
    });

    test('are the event that the function failed on, with which it is invoked again', () => {
      expect(events('Handler')).toEqual([{ order: 8 }]);
    });

    test('are gone from where they lay, and nothing stopped', async () => {
      for (const queue of DEAD) expect(await deployed.receive(queue)).toEqual([]);
      for (const redrive of ['QueueRedrive', 'SubscriberRedrive', 'PartnerRedrive', 'Failures/Redrive']) {
        expect(deployed.alarmed(`${redrive}/StoppedAlarm`)).toEqual([]);
        expect(deployed.alarmed(`${redrive}/ErrorsAlarm`)).toEqual([]);
      }
    });
  });
});

describe('redrive alarms', () => {
  const LONGEST_LOOK_MINUTES = 15;

  /** Deploys the alarms of a redrive on a function that is invoked once a minute. The test publishes the state metric itself. */
  async function watched(code: string, props: Partial<FunctionProps> = {}) {
    const deployed = await Deployed.stack(stack => {
      const handler = inlineFunction(stack, 'Redrive', code, {
        retryAttempts: 0,
        maxEventAge: Duration.minutes(1),
        ...props,
      });
      new Rule(stack, 'Tick', { schedule: Schedule.rate(Duration.minutes(1)), targets: [new FunctionTarget(handler)] });
      const actions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
      const alarms = new Alarms(stack, { actions, withoutActions: 'A redrive stops' });
      for (const row of redriveRows(handler, Duration.minutes(LONGEST_LOOK_MINUTES))) alarms.watch(row);
    });
    const cloudWatch = new CloudWatchClient(deployed.aws.clientConfig());
    const say = async (state: RedriveState) => {
      const { namespace: Namespace, dimension: Name } = REDRIVE_METRICS;
      const Dimensions = [{ Name, Value: deployed.ref('Redrive') }];
      const Timestamp = new Date(deployed.aws.nowMs);
      const MetricData = [{ MetricName: 'RedriveState', Value: REDRIVE_STATES[state], Timestamp, Dimensions }];
      await cloudWatch.send(new PutMetricDataCommand({ Namespace, MetricData }));
    };
    /** Publishes one state each minute, or none. */
    const live = async (looks: readonly (RedriveState | undefined)[]) => {
      for (const state of looks) {
        if (state) await say(state);
        await deployed.advance({ minutes: 1 });
      }
    };
    return { deployed, live };
  }

  const times = <T>(count: number, it: T): T[] => Array.from({ length: count }, () => it);

  describe('The alarms of a redrive', () => {
    test('tell once of each run that stopped, however often that is said, and of none that goes on or ends well', async () => {
      const { deployed, live } = await watched('exports.handler = async () => {};');
      await live(['idle', 'moving', 'settling', 'moving', 'settling', 'settling', 'idle', 'idle']);
      expect(deployed.alarmed('StoppedAlarm')).toEqual([]);
      await live([
        'moving',
        ...times(10, 'stopped' as const),
        ...times(10, undefined),
        ...times(10, 'stopped' as const),
      ]);
      expect(deployed.alarmed('StoppedAlarm')).toHaveLength(1);
      await live(['moving', 'settling', ...times(5, 'stopped' as const), ...times(3, 'idle' as const)]);
      expect(deployed.alarmed('StoppedAlarm')).toHaveLength(2);
      expect(deployed.rings('StoppedAlarm').at(-1)?.to).toBe('OK');
      expect([...deployed.alarmed('ErrorsAlarm'), ...deployed.alarmed('ThrottlesAlarm')]).toEqual([]);
    });

    test('tell within five minutes that looks fail, and not of one that did', async () => {
      const failing = 'exports.handler = async () => { throw new Error("no such queue"); };';
      const { deployed, live } = await watched(failing);
      await live(times(2, undefined));
      expect(deployed.alarmed('ErrorsAlarm')).toEqual([]);
      await live(times(6, undefined));
      expect(deployed.alarmed('ErrorsAlarm')).toHaveLength(1);
    });

    test('tell of throttles that keep it from looking, and not of those that a long look brings about', async () => {
      const { deployed, live } = await watched('exports.handler = async () => {};', {
        reservedConcurrentExecutions: 0,
      });
      for (let look = 0; look < 3; look += 1) await live(['moving', ...times(LONGEST_LOOK_MINUTES - 1, undefined)]);
      expect(await deployed.functionSum('Redrive', 'Throttles')).toBeGreaterThanOrEqual(40);
      expect(deployed.alarmed('ThrottlesAlarm')).toEqual([]);
      await live(times(12, undefined));
      expect(deployed.alarmed('ThrottlesAlarm')).toHaveLength(1);
    });
  });
});

describe('redrive lane', () => {
  /** Fails on the whole batch because of one message, and logs what it did. */
  const CLUMSY = `exports.handler = async ({ Records }) => {
  if (Records.some(({ body }) => body.startsWith('poison'))) throw new Error('indigestible');
  for (const { body } of Records) console.log('done: ' + body);
};`;

  const MAILBOX = 'ops@example.com';

  const GOOD = ['order 1', 'order 2', 'order 3', 'order 4'];
  const POISON = ['poison 1', 'poison 2'];

  function lane(fifo: boolean): (stack: Stack) => void {
    return stack => {
      const alarmActions = [new OpsTopic(stack, 'Ops', { email: MAILBOX })];
      const encryptionMasterKey = new Key(stack, 'Key');
      const orders = new ProcessingQueue(stack, 'Orders', { encryptionMasterKey, alarmActions, ...(fifo && { fifo }) });
      orders.addFunctionConsumer(inlineFunction(stack, 'Consumer', CLUMSY, { timeout: Duration.seconds(5) }));
      new RedriveLane(stack, 'Lane', { laneOf: orders, alarmActions });
    };
  }

  describe.each([false, true])('A lane, FIFO: %s', fifo => {
    let deployed: Deployed;

    const receivesIn = (queue: string, messageId: string) =>
      deployed
        .happened('sqs.received')
        .filter(it => it.queueArn === deployed.arn(queue) && it.messageId === messageId)
        .map(({ receiveCount }) => receiveCount);

    const done = () =>
      deployed.log(`/aws/lambda/${deployed.ref('Consumer')}`).flatMap(line => /done: (\w+ \d)/.exec(line)?.[1] ?? []);

    beforeAll(async () => {
      deployed = await Deployed.stack(lane(fifo));
      deployed.aws.confirmSubscription(MAILBOX);
      const Entries = ['order 1', 'poison 1', 'order 2', 'order 3', 'poison 2', 'order 4'].map((body, index) => ({
        Id: `${index}`,
        MessageBody: body,
        ...(fifo && { MessageGroupId: 'customer-7', MessageDeduplicationId: `${index}` }),
      }));
      await deployed.sqs.send(
        new SendMessageBatchCommand({ QueueUrl: deployed.ref('Orders/DeadLetterQueue'), Entries }),
      );
      const [SourceArn, DestinationArn] = [deployed.arn('Orders/DeadLetterQueue'), deployed.arn('Lane/Queue')];
      await deployed.sqs.send(new StartMessageMoveTaskCommand({ SourceArn, DestinationArn }));
      await deployed.advance({ minutes: 10 });
    });

    test('takes the good ones home, of whatever batch, and none of them twice', () => {
      expect([...done()].sort()).toEqual(GOOD);
    });

    test('puts poison into quarantine after the three receives of its one pass, and it stays there', async () => {
      const messages = await deployed.receive('Lane/Quarantine');
      expect(messages.map(({ Body }) => Body).sort()).toEqual(POISON);
      for (const { MessageId = '' } of messages) expect(receivesIn('Lane/Queue', MessageId)).toEqual([1, 2, 3]);
      await deployed.advance({ hours: 1 });
      expect(deployed.happened('sqs.dead-lettered')).toHaveLength(POISON.length);
      expect(await deployed.receive('Lane/Queue')).toEqual([]);
    });

    test('tells once, with what to do', () => {
      expect(deployed.alarmed('Lane/Quarantine/GrowthAlarm')).toHaveLength(1);
      const mails = deployed.aws.recipients.receipts(MAILBOX).filter(it => it.subject?.startsWith('ALARM'));
      expect(mails.map(({ body }) => body)).toEqual([expect.stringContaining('#dead-letters-in-quarantine')]);
    });
  });

  test('Without a lane, poison goes round as often as somebody redrives it', async () => {
    const deployed = await Deployed.stack(lane(false));
    const SourceArn = deployed.arn('Orders/DeadLetterQueue');
    await deployed.send('Orders', 'poison 1');
    await deployed.advance({ minutes: 5 });
    for (let time = 1; time <= 2; time += 1) {
      await deployed.sqs.send(new StartMessageMoveTaskCommand({ SourceArn }));
      await deployed.advance({ minutes: 5 });
      expect(deployed.happened('sqs.dead-lettered')).toHaveLength(1 + time);
    }
  });
});
