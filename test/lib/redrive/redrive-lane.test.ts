import { type CfnElement, Duration, RemovalPolicy, type Stack, Token } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import {
  AlarmDefaults,
  AlarmSet,
  DeadLetterQueue,
  ImportedDeadLetterQueue,
  OpsDashboard,
  ProcessingQueue,
  Quarantine,
  RedriveLane,
  type RedriveLaneProps,
} from '../../../lib';
import { isQuarantine } from '../../../lib/queue/dead-letter-alarms';
import { inlineFunction, newFunction } from '../../support/inline-function';
import { newStack, numberToken, only, opsTopic, templateOf, warningIds } from '../support';

const functionThatTakes = (stack: Stack, timeout: Duration) =>
  inlineFunction(stack, 'Function', 'exports.handler = async () => {};', { timeout });

/** The properties of the lane's queue, and of its mapping. */
function laneOf(stack: Stack) {
  const template = templateOf(stack);
  const [, { Properties: queue }] = only(template, 'AWS::SQS::Queue', {
    Properties: { RedrivePolicy: Match.anyValue() },
  });
  const [, { Properties: mapping }] = only(template, 'AWS::Lambda::EventSourceMapping');
  return { queue, mapping };
}

describe('A retry lane', () => {
  test('gives a message three receives, one message per invocation, two invocations at a time, and ends in a quarantine', () => {
    const stack = newStack();
    const lane = new RedriveLane(stack, 'Lane', {
      handler: functionThatTakes(stack, Duration.seconds(20)),
      alarmActions: [opsTopic(stack)],
    });
    const { queue, mapping } = laneOf(stack);
    const deadLetterTargetArn = stack.resolve(lane.quarantine.queueArn);
    expect(queue).toMatchObject({ RedrivePolicy: { deadLetterTargetArn, maxReceiveCount: 3 }, VisibilityTimeout: 120 });
    expect(mapping).toMatchObject({
      BatchSize: 1,
      ScalingConfig: { MaximumConcurrency: 2 },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      EventSourceArn: stack.resolve(lane.queue.queueArn),
    });
    expect(warningIds(stack)).toEqual([]);
    const stays = { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' };
    for (const Properties of [{ MessageRetentionPeriod: 1_209_600 }, { RedrivePolicy: Match.anyValue() }]) {
      templateOf(stack).hasResource('AWS::SQS::Queue', { ...stays, Properties });
    }
  });

  test('has the type, the key and the function of the queue that it belongs to', () => {
    const stack = newStack();
    const encryptionMasterKey = new Key(stack, 'Key');
    const orders = new ProcessingQueue(stack, 'Orders', { fifo: true, encryptionMasterKey });
    const handler = newFunction(stack);
    orders.addFunctionConsumer(handler);
    const lane = new RedriveLane(stack, 'Lane', { laneOf: orders });
    expect(lane.handler).toBe(handler);
    expect(lane.queue.consumers.map(({ mapping }) => mapping)).toEqual([lane.mapping]);
    for (const queue of [lane.queue, lane.quarantine]) {
      expect([queue.fifo, queue.encryptionMasterKey]).toEqual([true, encryptionMasterKey]);
    }
  });

  test('takes all properties as stated, and its quarantine stays', () => {
    const stack = newStack();
    const [orders, ofLane] = [new Key(stack, 'OrdersKey'), new Key(stack, 'LaneKey')];
    const laneOf = new ProcessingQueue(stack, 'Orders', { encryptionMasterKey: orders });
    for (const id of ['A', 'B'])
      laneOf.addFunctionConsumer(inlineFunction(stack, id, 'exports.handler = async () => {};'));
    const lane = new RedriveLane(stack, 'Lane', {
      laneOf,
      handler: newFunction(stack),
      encryptionMasterKey: ofLane,
      maxReceiveCount: 7,
      maximumConcurrency: 9,
      batchSize: 8,
      retentionPeriod: Duration.days(2),
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const resourceOf = (queue: Queue) => {
      const id = stack.getLogicalId(queue.node.defaultChild as CfnElement);
      return templateOf(stack).findResources('AWS::SQS::Queue')[id];
    };
    const KmsMasterKeyId = stack.resolve(ofLane.keyArn);
    expect(resourceOf(lane.queue)).toMatchObject({
      DeletionPolicy: 'Delete',
      Properties: { KmsMasterKeyId, MessageRetentionPeriod: 172_800, RedrivePolicy: { maxReceiveCount: 7 } },
    });
    expect(resourceOf(lane.quarantine)).toMatchObject({
      DeletionPolicy: 'Retain',
      Properties: { KmsMasterKeyId },
    });
    templateOf(stack).hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      BatchSize: 8,
      ScalingConfig: { MaximumConcurrency: 9 },
    });
  });

  const imported = (stack: Stack) =>
    LambdaFunction.fromFunctionArn(stack, 'Imported', 'arn:aws:lambda:us-east-1:111122223333:function:bill');

  test.each<[string, (stack: Stack) => RedriveLaneProps, number]>([
    ['six times the timeout', stack => ({ handler: functionThatTakes(stack, Duration.minutes(15)) }), 5_400],
    ['six times Lambda’s three seconds', stack => ({ handler: newFunction(stack) }), 18],
    [
      'as the queue beside has it',
      stack => ({
        handler: imported(stack),
        laneOf: new ProcessingQueue(stack, 'Orders', { visibilityTimeout: Duration.minutes(7) }),
      }),
      420,
    ],
    ['enough for any function', stack => ({ handler: imported(stack) }), 5_400],
    ['as stated', stack => ({ handler: newFunction(stack), visibilityTimeout: Duration.minutes(1) }), 60],
  ])('sets the visibility timeout to %s', (_, props, seconds) => {
    const stack = newStack();
    const { queue } = new RedriveLane(stack, 'Lane', props(stack));
    templateOf(stack).hasResourceProperties('AWS::SQS::Queue', {
      RedrivePolicy: { deadLetterTargetArn: stack.resolve(queue.deadLetters.queueArn), maxReceiveCount: 3 },
      VisibilityTimeout: seconds,
    });
  });

  test.each<[string, Partial<RedriveLaneProps>, string[]]>([
    ['one receive', { maxReceiveCount: 1 }, ['too-few-receives']],
    ['two receives', { maxReceiveCount: 2 }, []],
    ['a number of receives that is not known', { maxReceiveCount: numberToken() }, []],
    [
      'a visibility timeout of less than six times the timeout',
      { visibilityTimeout: Duration.seconds(17) },
      ['visibility-too-short'],
    ],
    ['as long a life as in quarantine', { retentionPeriod: Duration.days(14) }, ['dead-letters-expire-early']],
    [
      'numbers that are not known',
      { maximumConcurrency: numberToken(), visibilityTimeout: Duration.seconds(Token.asNumber({ Ref: 'It' })) },
      [],
    ],
  ])('gets the right warnings for %s', (_, props, warned) => {
    const stack = newStack();
    new RedriveLane(stack, 'Lane', { handler: newFunction(stack), alarmActions: [opsTopic(stack)], ...props });
    expect(warningIds(stack)).toEqual(warned);
  });

  test('can share the quarantine of another', () => {
    const stack = newStack();
    const quarantine = new Quarantine(stack, 'Quarantine');
    const handler = newFunction(stack);
    const lanes = ['A', 'B'].map(id => new RedriveLane(stack, id, { handler, quarantine }));
    expect(lanes.map(({ deadLetterQueues }) => deadLetterQueues)).toEqual([[quarantine], [quarantine]]);
    expect(quarantine.feeders.map(({ construct }) => construct)).toEqual(lanes.map(({ queue }) => queue));
    expect(Object.keys(templateOf(stack).findResources('AWS::SQS::Queue'))).toHaveLength(3);
  });

  test('is on a dashboard with its queue, its quarantine, and the runbook sections of its alarms', () => {
    const stack = newStack();
    new OpsDashboard(stack, 'Dashboard', {
      watched: [new RedriveLane(stack, 'Lane', { handler: newFunction(stack) })],
    });
    const [, { Properties }] = only(templateOf(stack), 'AWS::CloudWatch::Dashboard');
    const body = JSON.stringify(Properties['DashboardBody']);
    for (const shown of ['Stack/Lane: through the lane', 'Stack/Lane: failed again', ': in flight', ': dead letters']) {
      expect(body).toContain(shown);
    }
    expect(body.match(/#dead-letters-in-quarantine/g)).toHaveLength(2);
  });
});

describe('A quarantine', () => {
  const ARN = 'arn:aws:sqs:us-east-1:111122223333:quarantine';

  test.each<[string, (stack: Stack) => Queue | ReturnType<typeof Queue.fromQueueArn>, boolean]>([
    ['one of its own', stack => new Quarantine(stack, 'It'), true],
    ['that of a lane', stack => new RedriveLane(stack, 'Lane', { handler: newFunction(stack) }).quarantine, true],
    ['an imported one', stack => Quarantine.fromQueueArn(stack, 'It', ARN), true],
    [
      'one that goes by another construct',
      stack => {
        const queue = Queue.fromQueueArn(stack, 'Again', new Quarantine(stack, 'It').queueArn);
        return new ImportedDeadLetterQueue(stack, 'Letters', { queue });
      },
      true,
    ],
    ['a dead-letter queue', stack => new DeadLetterQueue(stack, 'It'), false],
    ['a queue beside a quarantine', stack => new Queue(new Quarantine(stack, 'It'), 'Other'), false],
  ])('is distinguished from other queues: %s', (_, queue, expected) => {
    expect(isQuarantine(queue(newStack()))).toBe(expected);
  });

  /** Returns the alarm descriptions of a queue with both kinds of feeders, by the last part of the alarm names. */
  function descriptions(make: (stack: Stack) => DeadLetterQueue): ReadonlyMap<string, string> {
    const stack = newStack();
    AlarmDefaults.of(stack).use(AlarmSet.ALL);
    const queue = make(stack);
    queue.fedBy(new Queue(stack, 'Source'));
    for (let i = 0; i < 60; i += 1) {
      queue.fedByRole(inlineFunction(stack, `ReplaysAllThatComesByOrders${i}`, 'exports.handler = async () => {};'));
    }
    const alarms = Object.values(templateOf(stack).findResources('AWS::CloudWatch::Alarm'));
    return new Map(
      alarms.map(({ Properties: it }) => [String(it.AlarmName).split('-').at(-1) ?? '', it.AlarmDescription]),
    );
  }

  test('says in each alarm that no automation continues from it, and what to do', () => {
    const reported = descriptions(stack => new Quarantine(stack, 'It', { queueName: 'orders-quarantine' }));
    const plain = descriptions(stack => new DeadLetterQueue(stack, 'It', { queueName: 'orders-dlq' }));
    const leadsTo = [...reported].map(([id, text]) => [id, text.split('#').at(-1)]);
    expect(Object.fromEntries(leadsTo)).toEqual({
      Age: 'dead-letters-ageing',
      Arrivals: 'dead-letters-in-quarantine',
      Growth: 'dead-letters-in-quarantine',
      Unattended: 'dead-letters-in-quarantine',
      Waiting: 'dead-letters-in-quarantine',
    });
    for (const text of reported.values()) {
      expect(text).toContain(
        'which no Redrive empties: fix the cause, then move the messages back manually or delete them.',
      );
      expect(text.length).toBeLessThan(1_024);
    }
    expect([...plain.values()].filter(text => /quarantine/i.test(text))).toEqual([]);
  });
});
