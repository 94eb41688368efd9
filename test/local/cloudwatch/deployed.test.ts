import { Duration, type Stack } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmRule,
  ComparisonOperator,
  CompositeAlarm,
  Dashboard,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaAction, SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';

/** Counts an order as a metric, the way libraries for structured logs do: by writing a line. */
const ORDERING = `
  exports.handler = async event => {
    console.log(JSON.stringify({
      _aws: {
        Timestamp: Date.now(),
        CloudWatchMetrics: [{ Namespace: 'Rental', Dimensions: [['service']], Metrics: [{ Name: 'Refused' }, { Name: 'Taken' }] }],
      },
      service: 'orders',
      Refused: event.refused,
      Taken: event.taken,
    }));
  };`;

const PAGING =
  'exports.handler = async event => { console.log(event.alarmData.alarmName, event.alarmData.state.value); };';

const counted = (metricName: string) =>
  new Metric({
    namespace: 'Rental',
    metricName,
    dimensionsMap: { service: 'orders' },
    statistic: 'Sum',
    period: Duration.minutes(1),
  });

/** An alarm on the rate of refused orders; a function, a topic and a bus learn of it. */
function rental(stack: Stack): void {
  inlineFunction(stack, 'Ordering', ORDERING);
  const expression =
    'IF(FILL(refused, 0) + FILL(taken, 0) > 0, FILL(refused, 0) / (FILL(refused, 0) + FILL(taken, 0)), 0)';
  const refusals = new Alarm(stack, 'Refusals', {
    metric: new MathExpression({
      expression,
      usingMetrics: { refused: counted('Refused'), taken: counted('Taken') },
      period: Duration.minutes(1),
    }),
    threshold: 0.5,
    evaluationPeriods: 1,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
  refusals.addAlarmAction(new LambdaAction(inlineFunction(stack, 'Paging', PAGING)));
  const ops = new Topic(stack, 'Ops');
  const inbox = new Queue(stack, 'Inbox');
  ops.addSubscription(new SqsSubscription(inbox, { rawMessageDelivery: true }));
  const above = new CompositeAlarm(stack, 'Above', {
    alarmRule: AlarmRule.anyOf(refusals, AlarmRule.fromBoolean(false)),
  });
  above.addAlarmAction(new SnsAction(ops));
  new Rule(stack, 'Changes', {
    eventPattern: {
      source: ['aws.cloudwatch'],
      detailType: ['CloudWatch Alarm State Change'],
      detail: { state: { value: ['ALARM'] } },
    },
    targets: [new SqsQueue(new Queue(stack, 'Events'))],
  });
  new Dashboard(stack, 'Board', { widgets: [] });
}

const order = (deployed: Deployed, refused: number, taken: number) => {
  const { lambda, cloudWatch } = deployed.aws.services;
  return lambda.call('Invoke', cloudWatch.owner, {
    FunctionName: deployed.ref('Ordering'),
    InvocationType: 'Event',
    Payload: JSON.stringify({ refused, taken }),
  });
};

test('a function counts by writing lines; an expression alarms; a function, a topic and a bus learn of it', async () => {
  const deployed = await Deployed.stack(rental);
  await deployed.advance({ minutes: 1 });
  await order(deployed, 1, 3);
  await deployed.advance({ minutes: 1 });
  expect(await deployed.sum('Rental', 'Taken', { service: 'orders' })).toBe(3);
  await order(deployed, 3, 1);
  await deployed.advance({ minutes: 2 });

  expect(deployed.alarmed('Refusals')).toHaveLength(1);
  expect(deployed.alarmed('Above')).toEqual(deployed.alarmed('Refusals'));
  const group = deployed.aws.services.logs.groupNames.find(name => name.includes('Paging')) ?? '';
  const lines = deployed.aws.services.logs.events(group).map(({ message }) => message);
  expect(lines).toContainEqual(expect.stringContaining(`${deployed.ref('Refusals')} ALARM`));
  const [notification] = (await deployed.take('Inbox')).map(body => JSON.parse(body));
  expect(notification).toMatchObject({ AlarmName: deployed.ref('Above'), NewStateValue: 'ALARM' });
  const events = (await deployed.take('Events')).map(body => JSON.parse(body).detail.alarmName);
  expect(events.sort()).toEqual([deployed.ref('Above'), deployed.ref('Refusals')].sort());
  expect(deployed.happened('cloudwatch.action-failed')).toEqual([]);
});

test('a function that lets nobody in is not invoked, and the alarm says so', async () => {
  const deployed = await Deployed.stack(stack => {
    const paging = inlineFunction(stack, 'Paging', PAGING);
    const alarm = new Alarm(stack, 'Depth', { metric: counted('Depth'), threshold: 0, evaluationPeriods: 1 });
    alarm.addAlarmAction({ bind: () => ({ alarmActionArn: paging.functionArn }) });
  });
  const { cloudWatch } = deployed.aws.services;
  const StateReason = 'a drill';
  cloudWatch.call('SetAlarmState', cloudWatch.owner, {
    AlarmName: deployed.ref('Depth'),
    StateValue: 'ALARM',
    StateReason,
  });
  expect(deployed.happened('cloudwatch.action-failed')).toMatchObject([
    { actionArn: deployed.arn('Paging'), reason: expect.stringContaining('AccessDeniedException') },
  ]);
});
