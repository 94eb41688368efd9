import { Duration, type Stack } from 'aws-cdk-lib';
import { ComparisonOperator, MathExpression, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LoggingProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import {
  DeadLetterQueue,
  DeliveryStatusLogging,
  DurableTopic,
  FunctionFailures,
  OpsTopic,
  ProcessingQueue,
} from '../../../lib';
import { type AlarmRow, Alarms, RunbookSection } from '../../../lib/shared/alarms';
import { newStack, only, opsTopic, templateOf, textToken, warningIds, warningText } from '../support';

const ROW: AlarmRow = {
  id: 'Late',
  metric: new Metric({ namespace: 'Post', metricName: 'Letters', period: Duration.minutes(5) }),
  threshold: 3,
  meaning: 'Letters are late.',
  runbook: RunbookSection.QUEUE_NOT_KEEPING_UP,
};

/** An owner in a stack, with its alarms. */
function owner(name?: string, isHeard = true) {
  const stack = newStack();
  const scope = new Construct(stack, 'Owner');
  const actions = isHeard ? [opsTopic(stack)] : [];
  return { stack, scope, alarms: new Alarms(scope, { name, actions, withoutActions: 'Letters are lost' }) };
}

/** The properties of the one alarm of a stack. */
function alarmOf({ stack }: ReturnType<typeof owner>, type = 'AWS::CloudWatch::Alarm') {
  return only(templateOf(stack), type)[1].Properties;
}

describe('An alarm', () => {
  test('fires in the first minute above its threshold and ignores missing data, unless its row says otherwise', () => {
    const own = owner();
    own.alarms.watch(ROW);
    expect(alarmOf(own)).toMatchObject({
      Period: 60,
      EvaluationPeriods: 1,
      DatapointsToAlarm: 1,
      Threshold: 3,
      ComparisonOperator: 'GreaterThanThreshold',
      TreatMissingData: 'notBreaching',
    });
  });

  test('has all properties of its row', () => {
    const own = owner();
    const comparison = ComparisonOperator.LESS_THAN_THRESHOLD;
    const missingData = TreatMissingData.BREACHING;
    own.alarms.watch({ ...ROW, period: Duration.hours(1), evaluationPeriods: 3, comparison, missingData });
    expect(alarmOf(own)).toMatchObject({
      Period: 3600,
      EvaluationPeriods: 3,
      DatapointsToAlarm: 3,
      ComparisonOperator: 'LessThanThreshold',
      TreatMissingData: 'breaching',
    });
  });

  test('watches an expression, and each metric in it, with the stated period', () => {
    const own = owner();
    const metric = new MathExpression({ expression: '2 * messages', usingMetrics: { messages: ROW.metric } });
    own.alarms.watch({ ...ROW, metric, evaluationPeriods: 5, datapointsToAlarm: 3 });
    const { Metrics: metrics, ...alarm } = alarmOf(own);
    expect(alarm).toMatchObject({ EvaluationPeriods: 5, DatapointsToAlarm: 3 });
    expect(metrics).toEqual([
      { Id: 'expr_1', Expression: '2 * messages', ReturnData: true },
      {
        Id: 'messages',
        MetricStat: { Metric: { Namespace: 'Post', MetricName: 'Letters' }, Period: 60, Stat: 'Average' },
        ReturnData: false,
      },
    ]);
  });

  test.each([
    ['a name', 'Orders', undefined, 'Orders-Late'],
    ['a name, with a suffix of its own', 'Orders', 'TooLate', 'Orders-TooLate'],
    ['a name that would be too long', 'x'.repeat(251), undefined, undefined],
    ['no name', undefined, undefined, undefined],
    ['a name that is not known before deployment', textToken(), undefined, undefined],
  ])('of an owner with %s gets its name from it', (_, name, suffix, expected) => {
    const own = owner(name);
    own.alarms.watch({ ...ROW, ...(suffix && { suffix }) });
    expect(alarmOf(own)['AlarmName']).toBe(expected);
  });

  test('describes what happened, with a link to its section of the runbook', () => {
    const own = owner();
    own.alarms.watch(ROW);
    expect(alarmOf(own)['AlarmDescription']).toMatch(/^Letters are late\. https:\S+#queue-not-keeping-up$/);
  });

  test('is created once, when it is first requested or at synthesis', () => {
    const { alarms, scope } = owner();
    expect(alarms.get('Late')).toBeUndefined();
    const alarm = alarms.watch(ROW);
    expect(alarms.watch(ROW)).toBe(alarm);
    expect(alarms.get('Late')).toBe(alarm);
    expect(alarms.all).toEqual([alarm]);
    expect(alarm.node.path).toBe(`${scope.node.path}/LateAlarm`);
  });
});

describe('An alarm notifies', () => {
  test('the actions of its owner', () => {
    const own = owner();
    own.alarms.watch(ROW);
    expect(alarmOf(own)['AlarmActions']).toEqual([{ Ref: expect.stringMatching(/^Ops/) }]);
    expect(warningIds(own.stack)).toEqual([]);
  });

  test('nothing if it is only for dashboards, which needs no warning', () => {
    const own = owner();
    own.alarms.watch({ ...ROW, hasActions: false });
    expect(alarmOf(own)).not.toHaveProperty('AlarmActions');
    const unheard = owner(undefined, false);
    unheard.alarms.watch({ ...ROW, hasActions: false });
    expect(warningIds(unheard.stack)).toEqual([]);
  });

  test('nothing if its owner has no actions, and one warning says so', () => {
    const { stack, alarms } = owner(undefined, false);
    expect(warningIds(stack)).toEqual([]);
    alarms.watch(ROW);
    alarms.watch({ ...ROW, id: 'Later' });
    expect(warningText(stack, 'alarm-tells-nobody')).toContain(
      'Letters are lost and no one is notified: pass alarmActions.',
    );
  });
});

describe('A composite alarm', () => {
  const ANY = {
    id: 'Any',
    of: ['Late', 'Later'],
    meaning: 'All is late.',
    runbook: RunbookSection.DEAD_LETTERS_LOST,
  };

  test('fires while any alarm that it names does', () => {
    const own = owner('Orders');
    own.alarms.watch(ROW);
    own.alarms.watch({ ...ROW, id: 'Later' });
    const composite = own.alarms.watchAny(ANY);
    expect(own.alarms.watchAny(ANY)).toBe(composite);
    expect(own.alarms.all).toHaveLength(3);
    const { AlarmRule: rule, ...alarm } = alarmOf(own, 'AWS::CloudWatch::CompositeAlarm');
    expect(alarm).toMatchObject({
      AlarmName: 'Orders-Any',
      AlarmDescription: expect.stringMatching(/^All is late\. .+#dead-letters-lost$/),
      AlarmActions: [{ Ref: expect.stringMatching(/^Ops/) }],
    });
    expect(JSON.stringify(rule)).toMatch(/ALARM\(.+OwnerLateAlarm.+ OR ALARM\(.+OwnerLaterAlarm/);
  });

  test('names the alarms that exist at synthesis, and needs at least one from the start', () => {
    const own = owner('Orders');
    expect(() => own.alarms.watchAny(ANY)).toThrow('Stack/Owner has none of the alarms Late,Later');
    own.alarms.watch({ ...ROW, id: 'Later' });
    own.alarms.watchAny(ANY);
    own.alarms.watch(ROW);
    const { AlarmRule: rule } = alarmOf(own, 'AWS::CloudWatch::CompositeAlarm');
    expect(JSON.stringify(rule)).toMatch(/ALARM\(.+OwnerLateAlarm.+ OR ALARM\(.+OwnerLaterAlarm/);
  });

  test('may have other actions than the alarms that it names', () => {
    const own = owner('Orders', false);
    own.alarms.watch({ ...ROW, hasActions: false });
    own.alarms.watchAny({ ...ANY, actions: [opsTopic(own.stack, 'Pager')] });
    const { AlarmActions: actions } = alarmOf(own, 'AWS::CloudWatch::CompositeAlarm');
    expect(actions).toEqual([{ Ref: expect.stringMatching(/^Pager/) }]);
    expect(warningIds(own.stack)).toEqual([]);
  });
});

describe('Constructs list their alarms:', () => {
  const ids = (alarms: { node: { id: string } }[]) => alarms.map(({ node }) => node.id);

  test('a dead-letter queue also those of its feeders', () => {
    const stack = newStack();
    const queue = new DeadLetterQueue(stack, 'Queue');
    expect(ids(queue.alarms)).toEqual(['AgeAlarm']);
    new ProcessingQueue(stack, 'Source', { deadLetterQueue: { queue, maxReceiveCount: 5 } });
    expect(ids(queue.alarms)).toEqual(['AgeAlarm', 'GrowthAlarm']);
  });

  test('a queue and a function without those of their dead-letter queues', () => {
    const stack = newStack();
    const code = Code.fromInline('exports.handler = async () => {};');
    const handler = new LambdaFunction(stack, 'Handler', {
      code,
      handler: 'index.handler',
      runtime: Runtime.NODEJS_22_X,
    });
    expect(ids(new ProcessingQueue(stack, 'Queue').alarms)).toEqual(['AgeAlarm']);
    expect(ids(new FunctionFailures(stack, 'Failures', { handler }).alarms)).toEqual(['LostEventsAlarm']);
  });

  test('a topic from its first delivery on', () => {
    const stack = newStack();
    const topic = new DurableTopic(stack, 'Topic');
    expect(topic.alarms).toEqual([]);
    topic.deliverToEndpoint('Partner', 'https://partner.example.com/orders');
    expect(ids(topic.alarms)).toEqual(['DeadLetteredAlarm', 'LostMessagesAlarm']);
  });
});

describe('topics for alarms', () => {
  function heardBy(topicIn: (stack: Stack) => Topic): string[] {
    const stack = newStack();
    const topic = topicIn(stack);
    const action = topic instanceof OpsTopic ? topic : new SnsAction(topic);
    new DeadLetterQueue(stack, 'Letters', { alarmActions: [action] });
    return warningIds(stack);
  }

  const cloudWatch = new ServicePrincipal('cloudwatch.amazonaws.com');

  describe('A topic that is an alarm action', () => {
    test.each<[string, (stack: Stack) => Topic]>([
      ['a key', stack => new Topic(stack, 'Ops', { masterKey: new Key(stack, 'Key') })],
      ['a key, though it is durable', stack => new DurableTopic(stack, 'Ops', { masterKey: new Key(stack, 'Key') })],
      ['a policy that only refuses', stack => new Topic(stack, 'Ops', { enforceSSL: true })],
    ])('is closed to CloudWatch by %s, which a warning reports', (_, topicIn) => {
      expect(heardBy(topicIn)).toEqual(['alarm-topic-closed']);
    });

    test.each<[string, (stack: Stack) => Topic]>([
      ['a plain one', stack => new Topic(stack, 'Ops')],
      ['a durable one', stack => new DurableTopic(stack, 'Ops')],
      [
        'an OpsTopic with a key',
        stack => new OpsTopic(stack, 'Ops', { masterKey: new Key(stack, 'Key'), email: 'ops@example.com' }),
      ],
      [
        'one that was opened by hand',
        stack => {
          const masterKey = new Key(stack, 'Key');
          masterKey.grant(cloudWatch, 'kms:Decrypt', 'kms:GenerateDataKey*');
          const topic = new Topic(stack, 'Ops', { masterKey, enforceSSL: true });
          topic.grantPublish(cloudWatch);
          return topic;
        },
      ],
    ])('is open to CloudWatch as %s', (_, topicIn) => {
      expect(heardBy(topicIn)).toEqual([]);
    });
  });

  test.each<[string, (stack: Stack) => Topic]>([
    ['of the app', stack => new Topic(stack, 'Ops', { fifo: true })],
    ['that is durable', stack => new DurableTopic(stack, 'Ops', { fifo: true })],
  ])('A FIFO topic %s gets a warning as an alarm action', (_, topicIn) => {
    expect(heardBy(topicIn)).toEqual(['alarm-topic-fifo']);
  });

  test('An imported FIFO topic gets a warning as an alarm action too', () => {
    const stack = newStack();
    const topic = Topic.fromTopicArn(stack, 'Ops', 'arn:aws:sns:us-east-1:111122223333:ops.fifo');
    new DeadLetterQueue(stack, 'Letters', { alarmActions: [new SnsAction(topic)] });
    expect(warningIds(stack)).toContain('alarm-topic-fifo');
  });

  test('A DeliveryStatusLogging whose role logs for a plain topic counts as used', () => {
    const stack = newStack();
    const topic = new Topic(stack, 'Topic');
    const { role } = new DeliveryStatusLogging(stack, 'Logs', { topic });
    topic.addLoggingConfig({ protocol: LoggingProtocol.SQS, failureFeedbackRole: role });
    expect(warningIds(stack)).toEqual([]);
  });
});
