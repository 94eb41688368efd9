import { type App, Duration, Stack, Stage, TimeZone, Validations } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import {
  Alarm,
  AlarmRule,
  CompositeAlarm,
  type IAlarm,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { Subscription, SubscriptionProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks } from 'cdk-nag';
import {
  AlarmSet,
  DeadLetterQueue,
  ProcessingQueue,
  type ProcessingQueueProps,
  Redrive,
  RedriveDestination,
  type RedriveOptions,
} from '../../../lib';
import { inlineFunction, newFunction } from '../../support/inline-function';
import { acknowledgeFunctions, findings } from '../../support/validations';
import { APP_ENV, arn } from '../bad-input/refused';
import {
  newApp,
  newStack,
  numberToken,
  only,
  opsTopic,
  problemsOf,
  templateOf,
  textToken,
  warningIds,
  warningText,
} from '../support';
import { grantsOf, nameOf, settingsOf } from './redrive-support';

function ordersIn(stack: Stack, props: ProcessingQueueProps = {}): ProcessingQueue {
  return new ProcessingQueue(stack, 'Orders', { alarmActions: [opsTopic(stack)], alarms: AlarmSet.ALL, ...props });
}

const DAYS = (count: number) => ScheduleExpression.rate(Duration.days(count));

const HOURLY = ScheduleExpression.rate(Duration.hours(1));

describe('A redrive', () => {
  test('has defaults, which its function reads as settings', () => {
    const orders = ordersIn(newStack(), { visibilityTimeout: Duration.seconds(60) });
    expect(settingsOf(orders.redriveDeadLetters('Redrive'))).toEqual({
      enabled: false,
      name: 'Stack/Orders/Redrive',
      deadLetters: { url: 'OrdersDeadLetterQueue', arn: 'OrdersDeadLetterQueue.Arn' },
      destination: { kind: 'queue', url: 'Orders', arn: 'Orders.Arn' },
      carrier: 'task',
      mayMoveMessages: false,
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

  test('passes all stated properties to its function', () => {
    const stack = newStack();
    const orders = ordersIn(stack);
    const redrive = orders.redriveDeadLetters('Redrive', {
      enabled: true,
      recoveryAlarms: [orders.ageAlarm],
      healthAlarms: [orders.ageAlarm],
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
      healthAlarms: ['OrdersAgeAlarm'],
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
  ])('of at most %s messages a second has the steps %j', (maxMessagesPerSecond, rates) => {
    const options = maxMessagesPerSecond === undefined ? {} : { maxMessagesPerSecond };
    const { steps } = settingsOf(ordersIn(newStack()).redriveDeadLetters('Redrive', options));
    expect(steps.map(({ messagesPerSecond }) => messagesPerSecond)).toEqual(rates);
    expect(steps.map(({ messages }) => messages)).toEqual([...[10, 100].slice(0, rates.length - 1), undefined]);
  });

  test('sends its alarms to the actions of the queue, unless others are stated', () => {
    const stack = newStack();
    const orders = ordersIn(stack, { alarms: AlarmSet.ESSENTIAL });
    const own = opsTopic(stack, 'Own');
    expect(orders.redriveDeadLetters('Redrive').alarms).toHaveLength(2);
    new ProcessingQueue(stack, 'Bills', { alarmActions: [opsTopic(stack, 'Another')] }).redriveDeadLetters('Redrive', {
      alarmActions: [own],
    });
    const alarms = Object.entries(templateOf(stack).findResources('AWS::CloudWatch::Alarm'));
    const reported = (begin: string) =>
      alarms.flatMap(([id, { Properties }]) => (id.startsWith(begin) ? [nameOf(Properties.AlarmActions[0])] : []));
    expect(reported('OrdersRedrive')).toEqual(['Ops', 'Ops']);
    expect(reported('BillsRedrive')).toEqual(['Own', 'Own']);
    expect(warningIds(stack)).toEqual([]);
  });

  test('gets a warning if it notifies no topic', () => {
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
  ])('gets no warning about a start %s', (_, options) => {
    const stack = newStack();
    const orders = ordersIn(stack, { visibilityTimeout: Duration.seconds(40) });
    orders.redriveDeadLetters('Redrive', options(orders));
    expect(warningIds(stack)).toEqual([]);
  });

  test('accepts values that are known only at deployment', () => {
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
  ])('with enabled: %s are %s', (enabled, state) => {
    const template = triggered({ schedules: [HOURLY, NIGHTLY], ...(enabled !== undefined && { enabled }) });
    const rules = Object.values(template.findResources('AWS::Events::Rule'));
    const schedules = Object.values(template.findResources('AWS::Scheduler::Schedule'));
    expect([...rules, ...schedules].map(({ Properties }) => Properties.State)).toEqual([state, state, state, state]);
  });

  test('of schedules with a time zone are those of EventBridge Scheduler', () => {
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

  test('of EventBridge Scheduler have a role that may only invoke the function', () => {
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

  test('are the change of a recovery alarm from ALARM to OK, and of no other alarm, and each minute', () => {
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

  test('are only the tick if it has no schedule and no recovery alarm', () => {
    const template = triggered({ recoveryAlarms: [] });
    template.resourceCountIs('AWS::Events::Rule', 1);
    template.resourceCountIs('AWS::Scheduler::Schedule', 0);
    template.resourceCountIs('AWS::IAM::Role', 1);
  });

  test('can be a composite alarm', () => {
    const stack = newStack();
    const orders = ordersIn(stack);
    const any = new CompositeAlarm(stack, 'Any', { alarmRule: AlarmRule.anyOf(...orders.alarms) });
    const redrive = orders.redriveDeadLetters('Redrive', { recoveryAlarms: [any] });
    expect(settingsOf(redrive).recoveryAlarms).toEqual(['Any']);
  });
});

describe('the alarms that a redrive reads:', () => {
  const SCHEDULES = [ScheduleExpression.rate(Duration.hours(1))];

  const ordersIn = (stack: Stack) =>
    new ProcessingQueue(stack, 'Orders', { alarms: AlarmSet.ALL, alarmActions: [opsTopic(stack)] });

  /** A metric alarm of the app. */
  const errorsIn = (stack: Stack, treatMissingData?: TreatMissingData, id = 'Errors') =>
    new Alarm(stack, id, {
      metric: new Metric({ namespace: 'Shop', metricName: 'Errors' }),
      threshold: 1,
      evaluationPeriods: 1,
      ...(treatMissingData && { treatMissingData }),
    });

  const compositeIn = (stack: Stack) =>
    new CompositeAlarm(stack, 'Any', { alarmRule: AlarmRule.anyOf(errorsIn(stack, TreatMissingData.NOT_BREACHING)) });

  const importedIn = (stack: Stack) =>
    Alarm.fromAlarmArn(stack, 'Imported', 'arn:aws:cloudwatch:us-east-1:123456789012:alarm:billing');

  const KINDS: readonly [string, (stack: Stack) => IAlarm, string][] = [
    ['a metric alarm', stack => errorsIn(stack, TreatMissingData.IGNORE), ':alarm:*'],
    ['a composite alarm', compositeIn, '*'],
    ['an alarm that was made elsewhere, and may be a composite one,', importedIn, '*'],
  ];

  describe.each(KINDS)('The permission to read %s', (_, alarmIn, resource) => {
    test.each(['recoveryAlarms', 'healthAlarms'] as const)('in %s is only what CloudWatch requires', property => {
      const stack = newStack({ account: '123456789012', region: 'us-east-1' });
      const orders = ordersIn(stack);
      orders.redriveDeadLetters('Redrive', { healthAlarms: [orders.ageAlarm], [property]: [alarmIn(stack)] });
      expect(grantsOf(templateOf(stack)).filter(it => it.includes('Alarm'))).toEqual([
        expect.stringMatching(`^cloudwatch:DescribeAlarmHistory .*${resource.replace('*', '\\*')}$`),
        expect.stringMatching(`^cloudwatch:DescribeAlarms .*${resource.replace('*', '\\*')}$`),
      ]);
      expect(warningIds(stack)).toEqual([]);
    });

    test('cdk-nag finds nothing that is not acknowledged', () => {
      const app: App = newApp();
      acknowledgeFunctions(app);
      Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
      const stack = new Stack(app, 'Stack', { env: { account: '123456789012', region: 'us-east-1' } });
      ordersIn(stack).redriveDeadLetters('Redrive', { recoveryAlarms: [alarmIn(stack)] });
      expect(findings(app)).toEqual([]);
    });
  });

  describe('A redrive', () => {
    const warned = (options: (stack: Stack, orders: ProcessingQueue) => RedriveOptions) => {
      const stack = newStack({ account: '123456789012', region: 'us-east-1' });
      const orders = ordersIn(stack);
      orders.redriveDeadLetters('Redrive', options(stack, orders));
      return { stack, ids: warningIds(stack) };
    };

    test.each<[string, TreatMissingData | undefined, boolean]>([
      ['as CDK has it', undefined, true],
      ['as missing', TreatMissingData.MISSING, true],
      ['as breaching', TreatMissingData.BREACHING, true],
      ['as good', TreatMissingData.NOT_BREACHING, false],
      ['as before', TreatMissingData.IGNORE, false],
    ])('gets the right warning if one treats missing data %s', (_, treatMissingData, isShut) => {
      const ids = isShut ? ['redrive-shut-without-data'] : [];
      for (const property of ['recoveryAlarms', 'healthAlarms']) {
        expect(warned(stack => ({ [property]: [errorsIn(stack, treatMissingData)] })).ids).toEqual(ids);
      }
    });

    test('names each alarm that blocks it without data, once, even if it is passed twice', () => {
      const { stack } = warned(stack => {
        const alarms = [
          errorsIn(stack, undefined, 'A'),
          errorsIn(stack, TreatMissingData.IGNORE, 'B'),
          errorsIn(stack),
        ];
        return { recoveryAlarms: alarms, healthAlarms: alarms };
      });
      expect(warningText(stack, 'redrive-shut-without-data')).toContain(
        'set treatMissingData of Stack/A, Stack/Errors',
      );
    });

    test('gets no warning about an alarm whose treatment of missing data is unknown', () => {
      const token = textToken() as TreatMissingData;
      expect(warned(stack => ({ recoveryAlarms: [errorsIn(stack, token), importedIn(stack)] })).ids).toEqual([]);
    });

    test.each<[string, (stack: Stack, orders: ProcessingQueue) => IAlarm | undefined, string[]]>([
      ['how old the letters are', (_, orders) => orders.watchedDeadLetters?.ageAlarm, ['redrive-bars-itself']],
      ['how many wait', (_, orders) => orders.watchedDeadLetters?.waitingAlarm, ['redrive-bars-itself']],
      [
        'how many more wait than before',
        (_, orders) => orders.watchedDeadLetters?.growthAlarm,
        ['redrive-bars-itself'],
      ],
      [
        'how many wait, and has no data where nobody uses the queue,',
        (_, orders) => orders.watchedDeadLetters?.unattendedAlarm,
        ['redrive-bars-itself', 'redrive-shut-without-data'],
      ],
      ['how old messages of its destination are', (_, orders) => orders.ageAlarm, []],
      [
        'how many letters are sent to the queue',
        (stack, { deadLetters }) => sumOf(stack, deadLetters.metricNumberOfMessagesSent()),
        [],
      ],
      [
        'how many wait there and in another queue',
        (stack, { deadLetters }) =>
          sumOf(
            stack,
            deadLetters.metricApproximateNumberOfMessagesVisible(),
            new Metric({ namespace: 'A', metricName: 'B' }),
          ),
        ['redrive-bars-itself'],
      ],
    ])('gets the right warning about an alarm on %s', (_, alarmIn, ids) => {
      const options = (stack: Stack, orders: ProcessingQueue): RedriveOptions => {
        const alarm = alarmIn(stack, orders);
        if (!alarm) throw new Error('there is no such alarm');
        return { recoveryAlarms: [alarm] };
      };
      expect(warned(options).ids.sort()).toEqual(ids);
    });

    test.each<[string, RedriveOptions, string[]]>([
      ['enabled, and by nothing', { enabled: true }, ['redrive-by-hand-alone']],
      [
        'enabled, and by lists of nothing',
        { enabled: true, schedules: [], recoveryAlarms: [] },
        ['redrive-by-hand-alone'],
      ],
      ['enabled, and by schedules', { enabled: true, schedules: SCHEDULES }, []],
      ['not enabled yet', {}, []],
    ])('gets the right warning about what starts its runs: %s', (_, options, ids) => {
      expect(warned(() => options).ids).toEqual(ids);
    });

    test('starts runs only by a recovery alarm, without a warning', () => {
      const recovers = (stack: Stack) => ({
        enabled: true,
        recoveryAlarms: [errorsIn(stack, TreatMissingData.NOT_BREACHING)],
      });
      expect(warned(recovers).ids).toEqual([]);
    });
  });

  /** An alarm on the sum of some metrics. */
  function sumOf(stack: Stack, ...metrics: readonly Metric[]): IAlarm {
    const usingMetrics = Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]));
    const expression = Object.keys(usingMetrics).join(' + ');
    return new Alarm(stack, 'Sum', {
      metric: new MathExpression({ expression, usingMetrics }),
      threshold: 1,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
});

const NOTHING = 'exports.handler = async () => {};';

const importedIn = (stack: Stack) => Queue.fromQueueArn(stack, 'Dead', arn('sqs', 'dead'));

/** Redrives a queue to another. */
function redriven(queueIn: (stack: Stack) => IQueue): Stack {
  const stack = newStack(APP_ENV);
  const alarmActions = [opsTopic(stack)];
  const destination = RedriveDestination.queue(new ProcessingQueue(stack, 'Orders', { alarmActions }));
  new Redrive(stack, 'It', { deadLetterQueue: queueIn(stack), destination, alarmActions });
  return stack;
}

describe('A redrive of a queue', () => {
  test.each<[string, (stack: Stack) => IQueue, string[]]>([
    ['of which nothing is known', importedIn, ['redrive-source-unknown']],
    ['that is made here, and that nobody names', stack => new Queue(stack, 'Dead'), ['redrive-source-unknown']],
    [
      'that a queue names',
      stack => {
        const queue = importedIn(stack);
        new Queue(stack, 'Source', { deadLetterQueue: { queue, maxReceiveCount: 3 } });
        return queue;
      },
      [],
    ],
    [
      'that a subscription names',
      stack => {
        const deadLetterQueue = importedIn(stack);
        const endpoint = new Queue(stack, 'Subscriber', {
          deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: 3 },
        });
        const topic = new Topic(stack, 'Topic');
        const protocol = SubscriptionProtocol.SQS;
        new Subscription(stack, 'Subscription', { topic, protocol, endpoint: endpoint.queueArn, deadLetterQueue });
        return deadLetterQueue;
      },
      [],
    ],
    [
      'that is imported as a dead-letter queue',
      stack => {
        const { queueArn } = importedIn(stack);
        return DeadLetterQueue.fromQueueArn(stack, 'Imported', queueArn);
      },
      ['alarm-tells-nobody'],
    ],
  ])('%s gets the right warning that its source may be at work', (_, queueIn, ids) => {
    expect(warningIds(redriven(queueIn))).toEqual(ids);
  });

  test('is refused if a function of another stack consumes that queue, by whatever construct', () => {
    const stack = redriven(importedIn);
    const handler = inlineFunction(new Stack(stack.node.root, 'Elsewhere', { env: APP_ENV }), 'Function', NOTHING);
    handler.addEventSourceMapping('Mapping', { eventSourceArn: arn('sqs', 'dead') });
    const lines = problemsOf(() => Stage.of(stack)?.synth());
    expect(lines.join()).toContain(
      'deadLetterQueue must be a dead-letter queue, but an event source mapping sends its messages to a function, got "Elsewhere/Function/Mapping/Resource"',
    );
  });

  test('is accepted if that function’s mapping is disabled', () => {
    const stack = redriven(scope => {
      const eventSourceArn = arn('sqs', 'dead');
      const target = newFunction(scope, { timeout: Duration.seconds(5) });
      new EventSourceMapping(scope, 'Mapping', { target, eventSourceArn, enabled: false });
      return importedIn(scope);
    });
    templateOf(stack).resourceCountIs('AWS::Lambda::EventSourceMapping', 1);
  });
});
