import { CloudWatchClient, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { Duration, type Stack } from 'aws-cdk-lib';
import { type IAlarmAction, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic, type TopicProps } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription, LambdaSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AlarmDefaults, AlarmSet, DurableTopic, FunctionFailures, OpsTopic, ProcessingQueue } from '../../lib';
import { LocalAws } from '../../local';
import { assemblyOfStack, editTemplate } from '../support/assembly';
import { Deployed } from '../support/deployed';
import { inlineFunction } from '../support/inline-function';
import { annotations } from '../support/validations';

const MAILBOX = 'ops@example.com';
const NAMESPACE = 'Shop';

/** Adds an alarm on failures of the shop, with this action. */
function alarmOnFailures(stack: Stack, action: IAlarmAction): void {
  AlarmDefaults.of(stack).use(AlarmSet.ALL);
  const metric = new Metric({ namespace: NAMESPACE, metricName: 'Failures', statistic: Stats.SUM });
  const alarm = metric.createAlarm(stack, 'Alarm', {
    alarmName: 'Shop-Failures',
    threshold: 1,
    evaluationPeriods: 1,
  });
  alarm.addAlarmAction(action);
}

/** Deploys, confirms the mailbox if SNS asked it to, and lets the shop fail. */
async function failing(fill: (stack: Stack) => IAlarmAction): Promise<Deployed> {
  const deployed = await Deployed.stack(stack => alarmOnFailures(stack, fill(stack)));
  await deployed.aws.runUntilIdle();
  deployed.aws.services.sns.confirm(MAILBOX);
  const cloudWatch = new CloudWatchClient(deployed.aws.clientConfig());
  const MetricData = [{ MetricName: 'Failures', Value: 1, Timestamp: new Date(deployed.aws.nowMs) }];
  await cloudWatch.send(new PutMetricDataCommand({ Namespace: NAMESPACE, MetricData }));
  await deployed.advance({ minutes: 10 });
  expect(deployed.alarmed('Alarm')).toHaveLength(1);
  return deployed;
}

function mails({ aws }: Deployed) {
  return aws.services.sns.recipients.receipts(MAILBOX).filter(({ token }) => token === undefined);
}

describe('OpsTopic', () => {
  test.each([
    { how: 'encrypted with a customer-managed key', encrypted: true },
    { how: 'not encrypted', encrypted: false },
  ])('brings an alarm to the mailbox, $how', async ({ encrypted }) => {
    const deployed = await failing(stack => {
      const masterKey = encrypted ? new Key(stack, 'Key') : undefined;
      return new OpsTopic(stack, 'Ops', { email: MAILBOX, masterKey });
    });
    const [mail, ...others] = mails(deployed);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ protocol: 'email', topicArn: deployed.ref('Ops') });
    expect(mail?.subject).toContain('ALARM: "Shop-Failures"');
    expect(mail?.body).toContain('"NewStateValue":"ALARM"');
    expect(deployed.happened('cloudwatch.action-executed')).toMatchObject([{ actionArn: deployed.ref('Ops') }]);
    expect(deployed.happened('cloudwatch.action-failed')).toEqual([]);
  });

  test.each([
    { how: 'encrypted', encrypted: true },
    { how: 'not encrypted', encrypted: false },
  ])('brings what an EventBridge rule sends to the mailbox, $how', async ({ encrypted }) => {
    const deployed = await Deployed.stack(stack => {
      AlarmDefaults.of(stack).use(AlarmSet.ALL);
      const masterKey = encrypted ? new Key(stack, 'Key') : undefined;
      const target = new SnsTopic(new OpsTopic(stack, 'Ops', { email: MAILBOX, masterKey }));
      new Rule(stack, 'Rule', { schedule: Schedule.rate(Duration.minutes(1)), targets: [target] });
    });
    deployed.aws.services.sns.confirm(MAILBOX);
    await deployed.advance({ minutes: 2 });
    expect(deployed.happened('events.dropped')).toEqual([]);
    expect(mails(deployed).length).toBeGreaterThan(0);
  });

  test('hears every alarm of the constructs it was passed to, and of each failure once', async () => {
    const deployed = await Deployed.stack(stack => {
      const masterKey = new Key(stack, 'Key');
      const alarmActions = [new OpsTopic(stack, 'Ops', { email: MAILBOX, masterKey })];
      new DurableTopic(stack, 'Orders', { alarmActions, masterKey }).deliverToQueue('Queue', new Queue(stack, 'Queue'));
      new ProcessingQueue(stack, 'Work', { alarmActions, maxReceiveCount: 1 });
      const handler = inlineFunction(stack, 'Handler', 'exports.handler = async () => { throw new Error("x"); };');
      new FunctionFailures(stack, 'Failures', { handler, retryAttempts: 0, alarmActions });
      new Topic(stack, 'Events').addSubscription(new LambdaSubscription(handler));
    });
    await deployed.aws.runUntilIdle();
    deployed.aws.services.sns.confirm(MAILBOX);
    await deployed.takeQueuePolicyAway('Queue');
    await deployed.publish('Orders', 'kept');
    await deployed.aws.runUntilIdle();
    await deployed.takeQueuePolicyAway('Orders/Deliveries/Queue/DeadLetterQueue');
    await deployed.publish('Orders', 'lost');
    await deployed.publish('Events', 'x');
    await deployed.send('Work', 'poison');
    await deployed.receive('Work');
    await deployed.advance({ minutes: 1 });
    await deployed.receive('Work');
    await deployed.send('Work', 'left lying about');
    await deployed.advance({ hours: 1, minutes: 10 });
    const reported = mails(deployed).map(({ body }) => JSON.parse(body).AlarmName);
    const alarms = [
      'Orders/DeadLetteredAlarm',
      'Orders/LostMessagesAlarm',
      'Failures/DeadLetterQueue/ArrivalsAlarm',
      'Work/DeadLetterQueue/GrowthAlarm',
      'Work/AgeAlarm',
    ];
    expect(reported.sort()).toEqual(alarms.map(alarm => deployed.ref(alarm)).sort());
  });

  test('takes an alarm that nobody hears where nobody is subscribed, and only its warning at synthesis says so', async () => {
    const stacks: Stack[] = [];
    const unheard = await failing(stack => {
      stacks.push(stack);
      return new OpsTopic(stack, 'Ops');
    });
    expect(unheard.happened('cloudwatch.action-executed')).toHaveLength(1);
    expect(unheard.happened('sns.published')).toHaveLength(1);
    expect(unheard.happened('sns.delivered')).toEqual([]);
    expect(stacks.flatMap(annotations)).toEqual([expect.stringContaining('dead-letter-office:ops-topic-unheard')]);
  });

  test('tells nobody who has not confirmed', async () => {
    const deployed = await Deployed.stack(stack => void new OpsTopic(stack, 'Ops', { email: MAILBOX }));
    await deployed.publish('Ops', 'hello');
    await deployed.aws.runUntilIdle();
    expect(mails(deployed)).toEqual([]);
    expect(deployed.aws.services.sns.recipients.receipts(MAILBOX)).toMatchObject([{ token: expect.any(String) }]);
  });

  test('is closed to the alarms of others', async () => {
    const deployed = await Deployed.stack(stack => void new OpsTopic(stack, 'Ops'));
    const TopicArn = deployed.ref('Ops');
    const alarmIn = (account: string) => ({
      principal: { kind: 'service', service: 'cloudwatch.amazonaws.com' } as const,
      context: {
        'aws:SourceArn': `arn:aws:cloudwatch:us-east-1:${account}:alarm:Shop-Failures`,
        'aws:SourceAccount': account,
        'aws:SecureTransport': 'true',
      },
    });
    const { sns } = deployed.aws.services;
    const publish = (account: string) => sns.call('Publish', alarmIn(account), { TopicArn, Message: 'x' });
    expect(publish('123456789012').MessageId).toEqual(expect.any(String));
    expect(() => publish('999999999999')).toThrow('not authorized to perform: SNS:Publish');
  });
});

/** The same alarm with a plain action of aws-cdk-lib: if the topic has a key or its own policy, no notification arrives. */
describe('SnsAction on a Topic of plain aws-cdk-lib', () => {
  const plain = (props: (stack: Stack) => TopicProps) => (stack: Stack) => {
    const topic = new Topic(stack, 'Ops', props(stack));
    topic.addSubscription(new EmailSubscription(MAILBOX));
    return new SnsAction(topic);
  };

  test('brings the alarm to the mailbox while the topic is not encrypted', async () => {
    expect(mails(await failing(plain(() => ({}))))).toHaveLength(1);
  });

  test.each([
    { what: 'a customer-managed key', props: (stack: Stack) => ({ masterKey: new Key(stack, 'Key') }), says: /KMS/ },
    { what: 'enforceSSL', props: () => ({ enforceSSL: true }), says: /not authorized/ },
  ])('tells nobody once it has $what', async ({ props, says }) => {
    const deployed = await failing(plain(props));
    expect(mails(deployed)).toEqual([]);
    expect(deployed.happened('cloudwatch.action-failed')).toMatchObject([
      { alarmName: 'Shop-Failures', reason: expect.stringMatching(says) },
    ]);
  });
});

describe('alarm after policy', () => {
  /** The order of resources in a template does not matter: only dependencies decide which is created first. */
  test.each([false, true])(
    'No alarm is there before its OpsTopic lets it publish (template reversed: %s)',
    async reversed => {
      const assembly = assemblyOfStack(stack => {
        AlarmDefaults.of(stack).use(AlarmSet.ALL);
        const ops = new OpsTopic(stack, 'Ops');
        const metric = new Metric({ namespace: 'Shop', metricName: 'Failures' });
        metric.createAlarm(stack, 'Alarm', { threshold: 1, evaluationPeriods: 1 }).addAlarmAction(ops);
      });
      editTemplate(assembly, 'Test', template => {
        const resources = Object.entries(template.Resources);
        Object.assign(template, { Resources: Object.fromEntries(reversed ? resources.reverse() : resources) });
      });
      const aws = await LocalAws.deploy(assembly);
      const made = [...(aws.stacks[0]?.resources.values() ?? [])].map(({ path = '' }) => path);
      await aws.close();

      expect(made).toEqual(expect.arrayContaining(['Test/Ops/Policy/Resource', 'Test/Alarm/Resource']));
      expect(made.indexOf('Test/Ops/Policy/Resource')).toBeLessThan(made.indexOf('Test/Alarm/Resource'));
    },
  );
});

const FAILURES = { namespace: 'Shop', metricName: 'Failures' };

/** Deploys an alarm that publishes to a topic, and makes it fire. */
async function ringing(topicIn: (stack: Stack) => Topic): Promise<Deployed> {
  const deployed = await Deployed.stack(stack => {
    AlarmDefaults.of(stack).use(AlarmSet.ALL);
    const metric = new Metric({ ...FAILURES, statistic: Stats.SUM });
    metric
      .createAlarm(stack, 'Alarm', { threshold: 1, evaluationPeriods: 1 })
      .addAlarmAction(new SnsAction(topicIn(stack)));
  });
  const MetricData = [{ MetricName: FAILURES.metricName, Value: 1, Timestamp: new Date(deployed.aws.nowMs) }];
  const cloudWatch = new CloudWatchClient(deployed.aws.clientConfig());
  await cloudWatch.send(new PutMetricDataCommand({ Namespace: FAILURES.namespace, MetricData }));
  await deployed.advance({ minutes: 10 });
  expect(deployed.alarmed('Alarm')).toHaveLength(1);
  return deployed;
}

function heard(deployed: Deployed) {
  return {
    executed: deployed.happened('cloudwatch.action-executed').length,
    failed: deployed.happened('cloudwatch.action-failed').map(({ reason }) => reason),
  };
}

describe('An alarm that speaks to a topic', () => {
  test.each<[string, (stack: Stack) => Topic]>([
    ['a plain Topic', stack => new Topic(stack, 'Topic')],
    ['the DurableTopic put in its place', stack => new DurableTopic(stack, 'Topic')],
  ])('is heard by %s', async (_, topicIn) => {
    expect(heard(await ringing(topicIn))).toEqual({ executed: 1, failed: [] });
  });

  test('is not heard by a plain Topic once that refuses plain HTTP', async () => {
    const props: TopicProps = { enforceSSL: true };
    const { executed, failed } = heard(await ringing(stack => new Topic(stack, 'Topic', props)));
    expect(executed).toBe(0);
    expect(failed).toEqual([expect.stringContaining('not authorized')]);
  });

  test('of another account is refused by a DurableTopic', async () => {
    const deployed = await Deployed.stack(stack => void new DurableTopic(stack, 'Topic'));
    const { sns } = deployed.aws.services;
    const alarmIn = (account: string) => ({
      principal: { kind: 'service', service: 'cloudwatch.amazonaws.com' } as const,
      context: { 'aws:SourceAccount': account, 'aws:SecureTransport': 'true' },
    });
    const publish = (account: string) =>
      sns.call('Publish', alarmIn(account), { TopicArn: deployed.ref('Topic'), Message: 'x' });
    expect(publish('123456789012').MessageId).toEqual(expect.any(String));
    expect(() => publish('999999999999')).toThrow('not authorized to perform: SNS:Publish');
  });
});
