import { isDeepStrictEqual } from 'node:util';
import { Duration, type Stack } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Role } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { type IDestination, type IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import {
  EventBridgeDestination,
  S3Destination,
  SnsDestination,
  SqsDestination,
} from 'aws-cdk-lib/aws-lambda-destinations';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import {
  AlarmDefaults,
  AlarmSet,
  DeadLetterQueue,
  FailedEventForm,
  FunctionFailures,
  ImportedDeadLetterQueue,
} from '../../../lib';
import { newFunction } from '../../support/inline-function';
import { HERE, newStack, numberToken, only, opsTopic, problemsOf, templateOf, warningIds } from '../support';

function alarmsOf(stack: Stack, namespace: string): string[] {
  const alarms = templateOf(stack).findResources('AWS::CloudWatch::Alarm', { Properties: { Namespace: namespace } });
  return Object.values(alarms).map(({ Properties }) => Properties.MetricName);
}

describe('The failed events of a function', () => {
  test('go to a dead-letter queue: the function’s role may send to it and use its key (hole 5)', () => {
    const stack = newStack();
    const key = new Key(stack, 'Key');
    const handler = newFunction(stack);
    const failures = new FunctionFailures(stack, 'Failures', { handler, encryptionKey: key });
    const queueArn = stack.resolve(failures.deadLetterQueue.queueArn);
    const template = templateOf(stack);
    template.hasResourceProperties('AWS::Lambda::Function', { DeadLetterConfig: { TargetArn: queueArn } });
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: [
          { Action: 'sqs:SendMessage', Effect: 'Allow', Resource: queueArn },
          { Action: ['kms:Decrypt', 'kms:GenerateDataKey'], Effect: 'Allow', Resource: stack.resolve(key.keyArn) },
        ],
      },
    });
    const [policy] = only(template, 'AWS::IAM::Policy');
    expect(only(template, 'AWS::Lambda::Function')[1].DependsOn).toContain(policy);
  });

  test('have an alarm for each cause with AlarmSet.ALL: the dead-letter queue fails, events are dropped, a loop was stopped', () => {
    const stack = newStack();
    AlarmDefaults.of(stack).use(AlarmSet.ALL);
    const ops = opsTopic(stack);
    new FunctionFailures(stack, 'Failures', {
      handler: newFunction(stack, { functionName: 'bill' }),
      alarmActions: [ops],
    });
    expect(alarmsOf(stack, 'AWS/Lambda')).toEqual([
      'DeadLetterErrors',
      'AsyncEventsDropped',
      'RecursiveInvocationsDropped',
    ]);
    expect(alarmsOf(stack, 'AWS/SQS')).toEqual([
      'ApproximateAgeOfOldestMessage',
      'ApproximateNumberOfMessagesVisible',
      'NumberOfMessagesSent',
    ]);
    templateOf(stack).hasResourceProperties('AWS::CloudWatch::Alarm', {
      AlarmName: 'bill-DeadLetterErrors',
      Statistic: 'Sum',
      Period: 60,
      Threshold: 0,
      TreatMissingData: 'notBreaching',
      AlarmActions: [stack.resolve(ops.topicArn)],
      AlarmDescription: Match.stringLikeRegexp('#function-dead-letters-lost$'),
    });
    expect(warningIds(stack)).toEqual([]);
  });

  test('have an alarm on the failure destination if there is one', () => {
    const stack = newStack();
    AlarmDefaults.of(stack).use(AlarmSet.ALL);
    const onFailure = new SqsDestination(new Queue(stack, 'Records'));
    const failures = new FunctionFailures(stack, 'Failures', { handler: newFunction(stack), onFailure });
    expect(failures.destinationFailuresAlarm).toBeDefined();
    expect(alarmsOf(stack, 'AWS/Lambda')).toContain('DestinationDeliveryFailures');
    templateOf(stack).hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      DestinationConfig: { OnFailure: { Destination: Match.anyValue() } },
    });
  });

  test('have the retries and age that are stated, or else Lambda’s defaults', () => {
    const stack = newStack();
    const props = { retryAttempts: 0, maxEventAge: Duration.minutes(1) };
    new FunctionFailures(stack, 'Failures', { handler: newFunction(stack), ...props });
    templateOf(stack).hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 60,
    });
    const plain = newStack();
    new FunctionFailures(plain, 'Failures', { handler: newFunction(plain) });
    templateOf(plain).resourceCountIs('AWS::Lambda::EventInvokeConfig', 0);
    expect(warningIds(plain)).toEqual(['alarm-tells-nobody']);
  });

  test('of several functions may share a dead-letter queue', () => {
    const stack = newStack();
    const deadLetterQueue = new DeadLetterQueue(stack, 'Shared');
    const failures = new FunctionFailures(stack, 'Failures', { handler: newFunction(stack), deadLetterQueue });
    expect(failures.deadLetterQueue).toBe(deadLetterQueue);
    templateOf(stack).resourceCountIs('AWS::SQS::Queue', 1);
  });
});

test('FunctionFailures accepts values that are known only at deployment', () => {
  const stack = newStack();
  const handler = newFunction(stack);
  const act = () => new FunctionFailures(stack, 'Failures', { handler, maxEventAge: Duration.seconds(numberToken()) });
  expect(problemsOf(act)).toEqual([]);
});

test('A dropped event that its dead-letter queue keeps is reported once: the alarm on dropped events has no action', () => {
  const stack = newStack();
  AlarmDefaults.of(stack).use(AlarmSet.ALL);
  const ops = opsTopic(stack);
  new FunctionFailures(stack, 'Failures', { handler: newFunction(stack), alarmActions: [ops] });
  const alarms = Object.values(templateOf(stack).findResources('AWS::CloudWatch::Alarm'));
  const telling = alarms.filter(({ Properties }) => Properties.AlarmActions !== undefined);
  expect(telling.map(({ Properties }) => Properties.MetricName).sort()).toEqual([
    'ApproximateAgeOfOldestMessage',
    'ApproximateNumberOfMessagesVisible',
    'DeadLetterErrors',
    'NumberOfMessagesSent',
    'RecursiveInvocationsDropped',
  ]);
  expect(alarms).toHaveLength(telling.length + 1);
});

describe('FunctionFailures refuses what a function can have only once:', () => {
  test('a dead-letter queue that the first FunctionFailures already set', () => {
    const stack = newStack();
    const handler = newFunction(stack);
    const first = new FunctionFailures(stack, 'First', { handler });
    expect(problemsOf(() => new FunctionFailures(stack, 'Second', { handler }))).toEqual([
      'Stack/Second has 1 problem:',
      '  - handler must not have a dead-letter queue already, got "Stack/Function/Resource"',
    ]);
    const TargetArn = stack.resolve(first.deadLetterQueue.queueArn);
    templateOf(stack).hasResourceProperties('AWS::Lambda::Function', { DeadLetterConfig: { TargetArn } });
  });

  test('settings of asynchronous invocation that exist already, in one error with all other problems', () => {
    const stack = newStack();
    const handler = newFunction(stack, { retryAttempts: 1 });
    const act = () => new FunctionFailures(stack, 'Failures', { handler, retryAttempts: 3 });
    expect(problemsOf(act)).toEqual([
      'Stack/Failures has 2 problems:',
      '  - handler must not have its asynchronous invocation configured already if onFailure, retryAttempts, maxEventAge or FailedEventForm.RECORD is set, got "Stack/Function/EventInvokeConfig"',
      '  - retryAttempts must be a whole number from 0 to 2, got 3',
    ]);
  });

  test('but accepts settings of the function that it does not set itself', () => {
    const stack = newStack();
    new FunctionFailures(stack, 'Failures', { handler: newFunction(stack, { retryAttempts: 1 }) });
    templateOf(stack).hasResourceProperties('AWS::Lambda::EventInvokeConfig', { MaximumRetryAttempts: 1 });
  });
});

const RECORD = { keptAs: FailedEventForm.RECORD };

/** A function of another stack, as an app imports it. */
function importedFunction(stack: Stack): IFunction {
  const role = Role.fromRoleArn(stack, 'ImportedRole', 'arn:aws:iam::111122223333:role/bill');
  const functionArn = 'arn:aws:lambda:us-east-1:111122223333:function:bill';
  return LambdaFunction.fromFunctionAttributes(stack, 'Imported', { functionArn, role });
}

describe('The records of failed invocations', () => {
  test('go to a dead-letter queue as the function’s destination, with the key and no more permissions than for events', () => {
    const stack = newStack();
    const encryptionKey = new Key(stack, 'Key');
    const failures = new FunctionFailures(stack, 'Failures', { handler: newFunction(stack), encryptionKey, ...RECORD });
    const queueArn = stack.resolve(failures.deadLetterQueue.queueArn);
    const template = templateOf(stack);
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      DestinationConfig: { OnFailure: { Destination: queueArn } },
    });
    template.hasResourceProperties('AWS::Lambda::Function', { DeadLetterConfig: Match.absent() });
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: [
          { Action: 'sqs:SendMessage', Effect: 'Allow', Resource: queueArn },
          { Action: ['kms:Decrypt', 'kms:GenerateDataKey'], Resource: stack.resolve(encryptionKey.keyArn) },
        ],
      },
    });
    expect(warningIds(stack)).toEqual(['alarm-tells-nobody']);
  });

  test('have a metric and an alarm on records that are lost', () => {
    const stack = newStack();
    AlarmDefaults.of(stack).use(AlarmSet.ALL);
    const failures = new FunctionFailures(stack, 'Failures', { handler: newFunction(stack), ...RECORD });
    expect(failures.deadLetterErrorsAlarm).toBeUndefined();
    expect(alarmsOf(stack, 'AWS/Lambda')).toEqual([
      'DestinationDeliveryFailures',
      'AsyncEventsDropped',
      'RecursiveInvocationsDropped',
    ]);
    templateOf(stack).hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'DestinationDeliveryFailures',
      AlarmDescription: Match.stringLikeRegexp('The event is lost.*#function-dead-letters-lost$'),
    });
    expect(failures.metricLostEvents().metricName).toBe('DestinationDeliveryFailures');
  });

  test('can be those of an imported function, whose role gets the permissions', () => {
    const stack = newStack(HERE);
    AlarmDefaults.of(stack).use(AlarmSet.ALL);
    const alarmActions = [opsTopic(stack)];
    new FunctionFailures(stack, 'Failures', { handler: importedFunction(stack), alarmActions, ...RECORD });
    const template = templateOf(stack);
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', { FunctionName: 'bill', Qualifier: '$LATEST' });
    const [policy] = only(template, 'AWS::IAM::Policy', { Properties: { Roles: ['bill'] } });
    expect(only(template, 'AWS::Lambda::EventInvokeConfig')[1].DependsOn).toEqual([policy]);
    const dimension = { Dimensions: [{ Name: 'FunctionName', Value: 'bill' }] };
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'DestinationDeliveryFailures',
      ...dimension,
    });
    expect(warningIds(stack)).toEqual([]);
  });

  test('can be those of an alias, and go to an imported queue', () => {
    const stack = newStack();
    const handler = newFunction(stack);
    const queue = Queue.fromQueueArn(stack, 'Elsewhere', 'arn:aws:sqs:us-east-1:123456789012:dead');
    const alarmActions = [opsTopic(stack)];
    const deadLetterQueue = new ImportedDeadLetterQueue(stack, 'Dead', { queue, alarmActions });
    const props = { handler: handler.addAlias('live'), deadLetterQueue, alarmActions, ...RECORD };
    new FunctionFailures(stack, 'Failures', props);
    const template = templateOf(stack);
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      FunctionName: stack.resolve(handler.functionName),
      Qualifier: Match.not('$LATEST'),
      DestinationConfig: { OnFailure: { Destination: 'arn:aws:sqs:us-east-1:123456789012:dead' } },
    });
    expect(warningIds(stack)).toEqual([]);
  });
});

type Make = (stack: Stack, key: Key) => IDestination;

test.each<[string, string, Make]>([
  [
    'a queue',
    'sqs:SendMessage',
    (stack, encryptionMasterKey) => new SqsDestination(new Queue(stack, 'Q', { encryptionMasterKey })),
  ],
  ['a topic', 'sns:Publish', (stack, masterKey) => new SnsDestination(new Topic(stack, 'T', { masterKey }))],
  ['a bucket', 's3:PutObject', (stack, encryptionKey) => new S3Destination(new Bucket(stack, 'B', { encryptionKey }))],
  ['an event bus', 'events:PutEvents', stack => new EventBridgeDestination(new EventBus(stack, 'E'))],
])(
  'The role of a function may send to a destination next to the dead-letter queue, and use its key: %s',
  (what, action, destination) => {
    const stack = newStack();
    const key = new Key(stack, 'Key');
    new FunctionFailures(stack, 'Failures', { handler: newFunction(stack), onFailure: destination(stack, key) });
    const policies = Object.values(templateOf(stack).findResources('AWS::IAM::Policy'));
    const statements: { Action: string | string[]; Resource: unknown }[] = policies.flatMap(
      ({ Properties }) => Properties.PolicyDocument.Statement,
    );
    expect(statements.flatMap(({ Action }) => Action)).toContain(action);
    const onKey = statements.filter(({ Resource }) => isDeepStrictEqual(Resource, stack.resolve(key.keyArn)));
    const needed = ['kms:Decrypt', expect.stringMatching(/^kms:GenerateDataKey/)];
    // An event bus needs no grant here: the policy of its key allows EventBridge.
    expect(onKey.flatMap(({ Action }) => Action)).toEqual(
      what === 'an event bus' ? [] : expect.arrayContaining(needed),
    );
  },
);

describe('FunctionFailures says what to do if it cannot set', () => {
  test('the permissions of an unknown role, and a second destination', () => {
    const stack = newStack();
    const functionArn = 'arn:aws:lambda:us-east-1:123456789012:function:bill';
    const handler = LambdaFunction.fromFunctionArn(stack, 'Imported', functionArn);
    const onFailure = new SqsDestination(new Queue(stack, 'Records'));
    expect(problemsOf(() => new FunctionFailures(stack, 'Failures', { handler, onFailure, ...RECORD }))).toEqual([
      'Stack/Failures has 2 problems:',
      '  - onFailure must be absent where the dead-letter queue keeps records, because a function has one destination, got "a destination"',
      '  - handler must be imported with its role, by Function.fromFunctionAttributes, if the dead-letter queue keeps records, got "Stack/Imported"',
    ]);
  });

  test('a destination because there already is one', () => {
    const stack = newStack();
    const handler = newFunction(stack, { retryAttempts: 1 });
    expect(() => new FunctionFailures(stack, 'Failures', { handler, ...RECORD })).toThrow(
      'handler must not have its asynchronous invocation configured already',
    );
  });
});
