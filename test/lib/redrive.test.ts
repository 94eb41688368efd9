import { Duration, type Stack, TimeZone } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { AlarmRule, CompositeAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import {
  ProcessingQueue,
  type ProcessingQueueProps,
  Redrive,
  RedriveDestination,
  type RedriveOptions,
} from '../../lib';
import { nameOf, settingsOf } from './redrive-told';
import { newStack, numberToken, only, opsTopic, templateOf, textToken, warningIds } from './support';

function ordersIn(stack: Stack, props: ProcessingQueueProps = {}): ProcessingQueue {
  return new ProcessingQueue(stack, 'Orders', { alarmActions: [opsTopic(stack)], ...props });
}

const DAYS = (count: number) => ScheduleExpression.rate(Duration.days(count));

const HOURLY = ScheduleExpression.rate(Duration.hours(1));

describe('A redrive', () => {
  test('goes by defaults which its function reads as it was told them', () => {
    const orders = ordersIn(newStack(), { visibilityTimeout: Duration.seconds(60) });
    expect(settingsOf(orders.redriveDeadLetters('Redrive'))).toEqual({
      enabled: false,
      name: 'Stack/Orders/Redrive',
      deadLetters: { url: 'OrdersDeadLetterQueue', arn: 'OrdersDeadLetterQueue.Arn' },
      destination: { kind: 'queue', url: 'Orders', arn: 'Orders.Arn' },
      carrier: 'task',
      mayCarry: false,
      failures: { url: 'OrdersDeadLetterQueue', arn: 'OrdersDeadLetterQueue.Arn' },
      mappingIds: [],
      recoveryAlarms: [],
      healthAlarms: [],
      healthyForMs: 300_000,
      proofOfHealth: true,
      steps: [
        { messagesPerSecond: 1, messages: 10 },
        { messagesPerSecond: 10, messages: 100 },
        { messagesPerSecond: 50 },
      ],
      settleMs: 300_000,
      maxReturnedPercent: 25,
      restMs: 43_200_000,
      runsPerDay: 6,
      messagesPerDay: 100_000,
      switchParameter: expect.stringMatching(/^\/dead-letter-office\/Stack\/StackOrdersRedrive[0-9A-F]{8}$/),
      switchMayBeAbsent: true,
      tickMs: 60_000,
      functionTimeoutMs: 60_000,
    });
  });

  test('tells its function all that was stated', () => {
    const stack = newStack();
    const orders = ordersIn(stack);
    const redrive = orders.redriveDeadLetters('Redrive', {
      enabled: true,
      recoveryAlarms: [orders.ageAlarm],
      healthAlarms: [orders.inFlightAlarm],
      healthyFor: Duration.minutes(10),
      maxBacklog: 100,
      maxAge: Duration.minutes(2),
      proofOfHealth: false,
      steps: [{ messagesPerSecond: 2, messages: 20 }, { messagesPerSecond: 500 }],
      maxReturnedPercent: 5,
      settle: Duration.minutes(20),
      restAfterReturn: Duration.hours(1),
      runsPerDay: 5,
      messagesPerDay: 1_000,
      resultsTopic: opsTopic(stack, 'Results'),
    });
    expect(settingsOf(redrive)).toMatchObject({
      enabled: true,
      recoveryAlarms: ['OrdersAgeAlarm'],
      healthAlarms: ['OrdersInFlightAlarm'],
      healthyForMs: 600_000,
      maxBacklog: 100,
      maxAgeSeconds: 120,
      proofOfHealth: false,
      steps: [{ messagesPerSecond: 2, messages: 20 }, { messagesPerSecond: 500 }],
      maxReturnedPercent: 5,
      settleMs: 1_200_000,
      restMs: 3_600_000,
      runsPerDay: 5,
      messagesPerDay: 1_000,
      resultsTopicArn: 'Results',
    });
  });

  test.each([
    [undefined, [1, 10, 50]],
    [500, [1, 10, 500]],
    [10, [1, 10]],
    [11, [1, 10, 11]],
    [5, [1, 5]],
    [1, [1]],
  ])('of at most %s messages a second goes by the steps %j', (maxMessagesPerSecond, rates) => {
    const options = maxMessagesPerSecond === undefined ? {} : { maxMessagesPerSecond };
    const { steps } = settingsOf(ordersIn(newStack()).redriveDeadLetters('Redrive', options));
    expect(steps.map(({ messagesPerSecond }) => messagesPerSecond)).toEqual(rates);
    expect(steps.map(({ messages }) => messages)).toEqual([...[10, 100].slice(0, rates.length - 1), undefined]);
  });

  test('tells the same of its alarms as the queue, unless others are named', () => {
    const stack = newStack();
    const orders = ordersIn(stack);
    const own = opsTopic(stack, 'Own');
    expect(orders.redriveDeadLetters('Redrive').alarms).toHaveLength(3);
    new ProcessingQueue(stack, 'Bills', { alarmActions: [opsTopic(stack, 'Another')] }).redriveDeadLetters('Redrive', {
      alarmActions: [own],
    });
    const alarms = Object.entries(templateOf(stack).findResources('AWS::CloudWatch::Alarm'));
    const reported = (begin: string) =>
      alarms.flatMap(([id, { Properties }]) => (id.startsWith(begin) ? [nameOf(Properties.AlarmActions[0])] : []));
    expect(reported('OrdersRedrive')).toEqual(['Ops', 'Ops', 'Ops']);
    expect(reported('BillsRedrive')).toEqual(['Own', 'Own', 'Own']);
    expect(warningIds(stack)).toEqual([]);
  });

  test('says that nobody is told', () => {
    const stack = newStack();
    const { deadLetters: deadLetterQueue } = ordersIn(stack);
    const destination = RedriveDestination.queue(
      new ProcessingQueue(stack, 'To', { alarmActions: [opsTopic(stack, 'A')] }),
    );
    new Redrive(stack, 'It', { deadLetterQueue, destination });
    expect(warningIds(stack)).toEqual(['alarm-tells-nobody']);
  });

  test.each<[string, (orders: ProcessingQueue) => RedriveOptions]>([
    [
      'by a rate shorter than letters lie, a day less than the two retentions differ by',
      () => ({ schedules: [DAYS(9)] }),
    ],
    ['by one such rate among others', () => ({ schedules: [DAYS(20), DAYS(9)] })],
    ['by a rate of which nobody knows', () => ({ schedules: [ScheduleExpression.expression(textToken())] })],
    ['by a recovery beside a rate', ({ ageAlarm }) => ({ schedules: [DAYS(20)], recoveryAlarms: [ageAlarm] })],
    [
      'by a cron expression beside a rate',
      () => ({ schedules: [DAYS(20), ScheduleExpression.cron({ minute: '10' })] }),
    ],
    ['that settles for as long as what fails takes to come back', () => ({ settle: Duration.seconds(200) })],
  ])('is not warned of %s', (_, options) => {
    const stack = newStack();
    const orders = ordersIn(stack, { visibilityTimeout: Duration.seconds(40) });
    orders.redriveDeadLetters('Redrive', options(orders));
    expect(warningIds(stack)).toEqual([]);
  });

  test('takes what is known only at deployment', () => {
    const seconds = Duration.seconds(numberToken());
    const count = numberToken();
    const stack = newStack();
    ordersIn(stack).redriveDeadLetters('Redrive', {
      healthyFor: seconds,
      settle: seconds,
      maxAge: seconds,
      restAfterReturn: seconds,
      maxBacklog: count,
      maxMessagesPerSecond: count,
      maxReturnedPercent: count,
      runsPerDay: count,
      messagesPerDay: count,
    });
    const [, { Properties }] = only(templateOf(stack), 'AWS::Lambda::Function');
    const written = JSON.stringify(Properties['Environment']);
    expect(written).toContain('\\"settleMs\\":",{"Ref":"AWS::AccountId"},"000,');
    expect(written).toContain('{\\"messagesPerSecond\\":",{"Ref":"AWS::AccountId"},"}]');
  });
});

describe('The triggers of a redrive', () => {
  const triggered = (options: RedriveOptions) => {
    const stack = newStack();
    const orders = ordersIn(stack);
    orders.redriveDeadLetters('Redrive', { recoveryAlarms: [orders.ageAlarm], ...options });
    return templateOf(stack);
  };

  const NIGHTLY = ScheduleExpression.cron({ hour: '3', minute: '30', timeZone: TimeZone.EUROPE_BERLIN });

  test.each([
    [undefined, 'DISABLED'],
    [false, 'DISABLED'],
    [true, 'ENABLED'],
  ])('of which enabled is %s are %s', (enabled, state) => {
    const template = triggered({ schedules: [HOURLY, NIGHTLY], ...(enabled !== undefined && { enabled }) });
    const rules = Object.values(template.findResources('AWS::Events::Rule'));
    const schedules = Object.values(template.findResources('AWS::Scheduler::Schedule'));
    expect([...rules, ...schedules].map(({ Properties }) => Properties.State)).toEqual([state, state, state, state]);
  });

  test('by schedule are those of EventBridge Scheduler, each with its time zone', () => {
    const template = triggered({ schedules: [HOURLY, NIGHTLY], enabled: true });
    const schedules = Object.values(template.findResources('AWS::Scheduler::Schedule')).map(it => it.Properties);
    expect(schedules.map(({ ScheduleExpression: when, ScheduleExpressionTimezone: zone }) => [when, zone])).toEqual([
      ['rate(1 hour)', 'Etc/UTC'],
      ['cron(30 3 * * ? *)', 'Europe/Berlin'],
    ]);
    for (const { Target } of schedules) {
      expect(JSON.parse(Target.Input)).toEqual({ trigger: 'schedule', time: '<aws.scheduler.scheduled-time>' });
      expect(Target.RetryPolicy).toEqual({ MaximumEventAgeInSeconds: 300, MaximumRetryAttempts: 5 });
    }
  });

  test('by schedule have a role that invokes the function and does nothing else', () => {
    const template = triggered({ schedules: [HOURLY] });
    template.hasResourceProperties('AWS::IAM::Role', {
      AssumeRolePolicyDocument: {
        Statement: [
          {
            Action: 'sts:AssumeRole',
            Effect: 'Allow',
            Principal: { Service: 'scheduler.amazonaws.com' },
            Condition: {
              StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' }, 'aws:SourceArn': Match.anyValue() },
            },
          },
        ],
      },
    });
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyName: Match.stringLikeRegexp('ScheduleRole'),
      PolicyDocument: {
        Statement: [
          {
            Action: 'lambda:InvokeFunction',
            Effect: 'Allow',
            Resource: { 'Fn::GetAtt': [Match.stringLikeRegexp('^OrdersRedriveFunction'), 'Arn'] },
          },
        ],
      },
    });
  });

  test('are the return of an alarm from ALARM to OK, and of no other, and each minute', () => {
    const rules = Object.values(triggered({}).findResources('AWS::Events::Rule')).map(({ Properties }) => Properties);
    const alarmArn = { 'Fn::GetAtt': [expect.stringMatching('^OrdersAgeAlarm'), 'Arn'] };
    expect(rules.map(({ EventPattern, ScheduleExpression: every }) => EventPattern ?? every)).toEqual([
      {
        source: ['aws.cloudwatch'],
        'detail-type': ['CloudWatch Alarm State Change'],
        resources: [alarmArn],
        detail: { state: { value: ['OK'] }, previousState: { value: ['ALARM'] } },
      },
      'rate(1 minute)',
    ]);
    expect(rules.map(({ Targets: [{ InputTransformer }] }) => InputTransformer)).toEqual([
      { InputPathsMap: { time: '$.time' }, InputTemplate: '{"trigger":"recovery","time":<time>}' },
      { InputPathsMap: { time: '$.time' }, InputTemplate: '{"trigger":"tick","time":<time>}' },
    ]);
  });

  test('are not there where there is nothing to tell of', () => {
    const template = triggered({ recoveryAlarms: [] });
    template.resourceCountIs('AWS::Events::Rule', 1);
    template.resourceCountIs('AWS::Scheduler::Schedule', 0);
    template.resourceCountIs('AWS::IAM::Role', 1);
  });

  test('are a composite alarm as well', () => {
    const stack = newStack();
    const orders = ordersIn(stack);
    const any = new CompositeAlarm(stack, 'Any', { alarmRule: AlarmRule.anyOf(...orders.alarms) });
    const redrive = orders.redriveDeadLetters('Redrive', { recoveryAlarms: [any] });
    expect(settingsOf(redrive).recoveryAlarms).toEqual(['Any']);
  });
});
