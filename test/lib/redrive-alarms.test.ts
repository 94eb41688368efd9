import { type App, Duration, Stack, Validations } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmRule,
  CompositeAlarm,
  type IAlarm,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { AwsSolutionsChecks } from 'cdk-nag';
import { ProcessingQueue, type RedriveOptions } from '../../lib';
import { acknowledgeFunctions, findings } from '../support/validations';
import { grantsOf } from './redrive-told';
import { newApp, newStack, opsTopic, templateOf, textToken, warningIds, warningText } from './support';

const SCHEDULES = [ScheduleExpression.rate(Duration.hours(1))];

const ordersIn = (stack: Stack) => new ProcessingQueue(stack, 'Orders', { alarmActions: [opsTopic(stack)] });

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

describe.each(KINDS)('To be told of %s', (_, alarmIn, resource) => {
  test.each(['recoveryAlarms', 'healthAlarms'] as const)(
    'among %s takes no more than CloudWatch asks for',
    property => {
      const stack = newStack({ account: '123456789012', region: 'us-east-1' });
      const orders = ordersIn(stack);
      orders.redriveDeadLetters('Redrive', { healthAlarms: [orders.ageAlarm], [property]: [alarmIn(stack)] });
      expect(grantsOf(templateOf(stack)).filter(it => it.includes('Alarm'))).toEqual([
        expect.stringMatching(`^cloudwatch:DescribeAlarmHistory .*${resource.replace('*', '\\*')}$`),
        expect.stringMatching(`^cloudwatch:DescribeAlarms .*${resource.replace('*', '\\*')}$`),
      ]);
      expect(warningIds(stack)).toEqual([]);
    },
  );

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
  ])('waits, or not, for an alarm that takes missing data %s', (_, treatMissingData, isShut) => {
    const ids = isShut ? ['redrive-shut-without-data'] : [];
    for (const property of ['recoveryAlarms', 'healthAlarms']) {
      expect(warned(stack => ({ [property]: [errorsIn(stack, treatMissingData)] })).ids).toEqual(ids);
    }
  });

  test('names each alarm that is shut without data, and once that is passed twice', () => {
    const { stack } = warned(stack => {
      const alarms = [errorsIn(stack, undefined, 'A'), errorsIn(stack, TreatMissingData.IGNORE, 'B'), errorsIn(stack)];
      return { recoveryAlarms: alarms, healthAlarms: alarms };
    });
    expect(warningText(stack, 'redrive-shut-without-data')).toContain('let Stack/A, Stack/Errors take missing data as');
  });

  test('says nothing of an alarm of which that is not known', () => {
    const token = textToken() as TreatMissingData;
    expect(warned(stack => ({ recoveryAlarms: [errorsIn(stack, token), importedIn(stack)] })).ids).toEqual([]);
  });

  test.each<[string, (stack: Stack, orders: ProcessingQueue) => IAlarm | undefined, string[]]>([
    ['how old the letters are', (_, orders) => orders.watchedDeadLetters?.ageAlarm, ['redrive-bars-itself']],
    ['how many wait', (_, orders) => orders.watchedDeadLetters?.waitingAlarm, ['redrive-bars-itself']],
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
  ])('is warned, or not, of an alarm on %s', (_, alarmIn, ids) => {
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
  ])('begins runs: %s', (_, options, ids) => {
    expect(warned(() => options).ids).toEqual(ids);
  });

  test('begins them by a recovery alone', () => {
    const recovers = (stack: Stack) => ({
      enabled: true,
      recoveryAlarms: [errorsIn(stack, TreatMissingData.NOT_BREACHING)],
    });
    expect(warned(recovers).ids).toEqual([]);
  });
});

/** An alarm on what some metrics are together. */
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
