import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Role } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import {
  CfnEventInvokeConfig,
  type FunctionProps,
  type IDestination,
  Function as LambdaFunction,
} from 'aws-cdk-lib/aws-lambda';
import { SnsDestination, SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { CfnQueue, CfnQueueInlinePolicy, Queue, RedrivePermission } from 'aws-cdk-lib/aws-sqs';
import {
  DeadLetterAccess,
  DeadLetterQueue,
  type DeadLetterQueueProps,
  FailedEventForm,
  FunctionFailures,
  type FunctionFailuresProps,
  ImportedDeadLetterQueue,
  ProcessingQueue,
} from '../../../lib';
import { inlineFunction, newFunction } from '../../support/inline-function';
import {
  type Act,
  APP_ENV,
  arn,
  importedQueue,
  ONE_PLACE,
  OTHER_ACCOUNT_ENV,
  OTHER_REGION_ENV,
  OURS,
  plainQueue,
  type Refused,
  UNRECORDED,
} from './refused';

/** A queue that names another as its dead-letter queue, which has a redrive-allow policy. */
const naming =
  (redriveAllowPolicy: object): Act =>
  stack => {
    const { attrArn: deadLetterTargetArn } = new CfnQueue(stack, 'Dead', { redriveAllowPolicy });
    return new CfnQueue(stack, 'Source', { redrivePolicy: { deadLetterTargetArn, maxReceiveCount: 1 } });
  };

const access = DeadLetterAccess.WRITE_POLICY;

const BILLS = { queueName: 'bills' };

interface KeptOut {
  readonly permission: string;
  /** The properties of our queue, and the same in CloudFormation. */
  readonly props: (stack: Stack) => DeadLetterQueueProps;
  readonly plain: object;
}

/** Redrive-allow policies that deny a queue named `bills`. */
const KEPT_OUT: readonly KeptOut[] = [
  {
    permission: 'denyAll',
    props: () => ({ redriveAllowPolicy: { redrivePermission: RedrivePermission.DENY_ALL } }),
    plain: { redrivePermission: 'denyAll' },
  },
  {
    permission: 'byQueue',
    props: stack => ({ redriveAllowPolicy: { sourceQueues: [importedQueue(stack)] } }),
    plain: { redrivePermission: 'byQueue', sourceQueueArns: [arn('sqs', 'another')] },
  },
];

const functionIn = (stack: Stack, props: Partial<FunctionProps> = {}) =>
  inlineFunction(stack, 'Function', 'exports.handler = async () => {};', props);

export const REFUSED_FEEDERS: readonly Refused[] = [
  ...KEPT_OUT.flatMap(({ permission, props, plain }): Refused[] => [
    {
      what: `DeadLetterQueue of the policy ${permission}, fed by a queue`,
      act: stack => new DeadLetterQueue(stack, 'It', props(stack)).fedBy(new Queue(stack, 'Bills', BILLS)),
      line: `redriveAllowPolicy must allow its source Stack/Bills, got "${permission}"`,
      aws: naming(plain),
    },
    {
      what: `DeadLetterQueue of the policy ${permission}, and a ProcessingQueue before it`,
      act: stack => {
        const deadLetterQueue = { queue: new DeadLetterQueue(stack, 'Dlq', props(stack)), maxReceiveCount: 5 };
        return new ProcessingQueue(stack, 'It', { ...BILLS, deadLetterQueue });
      },
      line: `deadLetterQueue.redriveAllowPolicy must allow its source Stack/It, got "${permission}"`,
      aws: naming(plain),
    },
  ]),
  {
    what: 'DeadLetterQueue that lets in another queue of the app, and is anchored by one',
    act: stack => {
      const sourceQueues = [new Queue(stack, 'Another')];
      const queue = new DeadLetterQueue(stack, 'It', { redriveAllowPolicy: { sourceQueues } });
      return queue.anchoredBy(new Queue(stack, 'Anchor'));
    },
    line: 'redriveAllowPolicy must allow its source Stack/Anchor, got "byQueue"',
    aws: naming({ redrivePermission: 'byQueue', sourceQueueArns: [arn('sqs', 'another')] }),
  },
  {
    what: 'ProcessingQueue with the ARN of a topic as that of its dead-letter queue',
    act: stack => {
      const deadLetterQueue = { queue: importedQueue(stack, APP_ENV, 'sns'), maxReceiveCount: 5 };
      return new ProcessingQueue(stack, 'It', { deadLetterQueue });
    },
    line: `deadLetterQueue.queueArn must be an SQS queue, got "${arn('sns', 'orders')}"`,
    aws: plainQueue({ redrivePolicy: { deadLetterTargetArn: arn('sns', 'orders'), maxReceiveCount: 5 } }),
  },
  {
    what: 'ImportedDeadLetterQueue of a topic',
    act: stack => new ImportedDeadLetterQueue(stack, 'It', { queue: importedQueue(stack, APP_ENV, 'sns') }),
    line: `queue must be an SQS queue, got "${arn('sns', 'orders')}"`,
    aws: OURS,
  },
  {
    what: 'ImportedDeadLetterQueue whose policy another stack writes too',
    act: stack => {
      for (const writer of [stack, new Stack(stack.node.root, 'Other', { env: APP_ENV })]) {
        const it = new ImportedDeadLetterQueue(writer, 'It', { queue: importedQueue(writer), access });
        it.fedBy(new Topic(writer, 'Topic'));
      }
    },
    line: 'access must be GRANTED_ELSEWHERE because Stack/It/Policy writes the policy of the same queue, got "WRITE_POLICY"',
    aws: stack => {
      const { queueUrl: queue, queueArn } = new Queue(stack, 'Queue');
      const policyDocument = {
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Principal: '*', Action: 'sqs:SendMessage', Resource: queueArn }],
      };
      const first = new CfnQueueInlinePolicy(stack, 'First', { queue, policyDocument });
      new CfnQueueInlinePolicy(stack, 'Second', { queue, policyDocument }).node.addDependency(first);
    },
  },
  {
    what: 'DeadLetterQueue fed by a key',
    act: stack => new DeadLetterQueue(stack, 'It').fedBy(new Key(stack, 'Key')),
    line: 'source must be a topic, function, queue, rule or schedule, got "Stack/Key"',
    aws: OURS,
  },
  {
    what: 'DeadLetterQueue fed by itself',
    act: stack => {
      const queue = new DeadLetterQueue(stack, 'It');
      return queue.fedBy(queue);
    },
    line: 'source must not be the dead-letter queue itself, got "Stack/It"',
    aws: UNRECORDED,
  },
  {
    what: 'DeadLetterQueue told when its letters are unattended, and not to look',
    act: stack => new DeadLetterQueue(stack, 'It', { watchUnattended: false, unattendedAfter: Duration.hours(2) }),
    line: 'unattendedAfter must be absent where watchUnattended is false, got "Duration.hours(2)"',
    aws: OURS,
  },
  ...[DeadLetterQueue, ProcessingQueue].map(
    (kind): Refused => ({
      what: `${kind.name} with a key of another Region`,
      act: stack => {
        const encryptionMasterKey = Key.fromKeyArn(stack, 'Key', arn('kms', 'key/letters', OTHER_REGION_ENV));
        return new kind(stack, 'It', { encryptionMasterKey });
      },
      line: 'encryptionMasterKey must be in the Region of the queue, us-east-1, got "eu-west-1"',
      aws: ONE_PLACE,
    }),
  ),
  {
    what: 'FunctionFailures with a plain FIFO queue',
    act: stack => {
      const handler = functionIn(stack);
      return new FunctionFailures(stack, 'It', { handler, deadLetterQueue: new Queue(stack, 'Dlq', { fifo: true }) });
    },
    line: 'deadLetterQueue.fifo must be false, because Lambda accepts only a standard queue as dead-letter queue, got true',
    aws: stack => functionIn(stack, { deadLetterQueue: new Queue(stack, 'Dead', { fifo: true }) }),
  },
  {
    what: 'FunctionFailures that says what becomes of a dead-letter queue it was given',
    act: stack => {
      const settings = { deadLetterQueue: new DeadLetterQueue(stack, 'Dlq'), removalPolicy: RemovalPolicy.DESTROY };
      return new FunctionFailures(stack, 'It', { handler: functionIn(stack), ...settings });
    },
    line: 'removalPolicy must be absent where deadLetterQueue is present, got "destroy"',
    aws: OURS,
  },
  {
    what: 'ProcessingQueue whose messages are seen again while a function runs that has it as event source',
    act: stack => {
      const handler = functionIn(stack, { timeout: Duration.seconds(31) });
      return handler.addEventSource(new SqsEventSource(new ProcessingQueue(stack, 'It')));
    },
    line: 'visibilityTimeout must not be below the timeout of Stack/Function, 31 seconds, got 30',
    aws: stack => {
      const handler = functionIn(stack, { timeout: Duration.seconds(31) });
      return handler.addEventSource(new SqsEventSource(new Queue(stack, 'Queue')));
    },
  },
];

const failing = (props: Partial<FunctionFailuresProps>, line: string, plain: object): Refused => ({
  what: `FunctionFailures ${JSON.stringify(props)}`,
  act: stack => new FunctionFailures(stack, 'It', { handler: newFunction(stack), ...props }),
  line,
  aws: stack => {
    const { functionName } = newFunction(stack);
    return new CfnEventInvokeConfig(stack, 'Config', { functionName, qualifier: '$LATEST', ...plain });
  },
});

const EVENT_AGE = 'maxEventAge must be a whole number from 60 to 21,600 seconds';

const RECORD = { keptAs: FailedEventForm.RECORD };

function importedFunction(stack: Stack, place = APP_ENV) {
  const role = Role.fromRoleArn(stack, 'Role', `arn:aws:iam::${place.account}:role/bill`);
  const functionArn = arn('lambda', 'function:bill', place);
  return LambdaFunction.fromFunctionAttributes(stack, 'Imported', { functionArn, role });
}

const FIFO = { fifo: true };

/** Destinations that Lambda rejects. */
const FIFO_DESTINATIONS: Readonly<Record<string, (stack: Stack) => IDestination>> = {
  Queue: stack => new SqsDestination(new Queue(stack, 'Queue', FIFO)),
  Topic: stack => new SnsDestination(new Topic(stack, 'Topic', FIFO)),
};

export const REFUSED_FAILURES: readonly Refused[] = [
  ...Object.entries(FIFO_DESTINATIONS).map(
    ([id, onFailure]): Refused => ({
      what: `FunctionFailures with a FIFO ${id} beside`,
      act: stack => new FunctionFailures(stack, 'It', { handler: newFunction(stack), onFailure: onFailure(stack) }),
      line: `onFailure must be a standard queue or topic, because Lambda accepts no FIFO destination, got "Stack/${id}"`,
      aws: stack => newFunction(stack, { onFailure: onFailure(stack) }),
    }),
  ),
  {
    what: 'FunctionFailures with the ARN of a stream as that of its dead-letter queue',
    act: stack =>
      new FunctionFailures(stack, 'It', {
        handler: newFunction(stack),
        deadLetterQueue: importedQueue(stack, APP_ENV, 'kinesis'),
      }),
    line: `deadLetterQueue must be an SQS queue, got "${arn('kinesis', 'orders')}"`,
    aws: stack => newFunction(stack, { deadLetterQueue: importedQueue(stack, APP_ENV, 'kinesis') }),
  },
  failing({ retryAttempts: 3 }, 'retryAttempts must be a whole number from 0 to 2, got 3', { maximumRetryAttempts: 3 }),
  failing({ maxEventAge: Duration.seconds(59) }, `${EVENT_AGE}, got 59`, { maximumEventAgeInSeconds: 59 }),
  failing({ maxEventAge: Duration.hours(7) }, `${EVENT_AGE}, got 25200`, { maximumEventAgeInSeconds: 25_200 }),
  {
    what: 'FunctionFailures with a dead-letter queue, and a key for another',
    act: stack => {
      const deadLetterQueue = new DeadLetterQueue(stack, 'Other');
      const encryptionKey = new Key(stack, 'Key');
      return new FunctionFailures(stack, 'It', { handler: newFunction(stack), deadLetterQueue, encryptionKey });
    },
    line: 'encryptionKey must be absent where deadLetterQueue is present, got "Stack/Key"',
    aws: OURS,
  },
  {
    what: 'FunctionFailures of a function that has a dead-letter queue',
    act: stack => {
      const handler = newFunction(stack, { deadLetterQueue: new Queue(stack, 'Other') });
      return new FunctionFailures(stack, 'It', { handler });
    },
    line: 'handler must not have a dead-letter queue already, got "Stack/Other"',
    aws: OURS,
  },
  {
    what: 'FunctionFailures of a function whose asynchronous invocation is configured',
    act: stack => {
      const handler = newFunction(stack, { retryAttempts: 1 });
      return new FunctionFailures(stack, 'It', { handler, retryAttempts: 2 });
    },
    line: 'handler must not have its asynchronous invocation configured already if onFailure, retryAttempts, maxEventAge or FailedEventForm.RECORD is set, got "Stack/Function/EventInvokeConfig"',
    aws: OURS,
  },
  {
    what: 'FunctionFailures of a function that was made elsewhere',
    act: stack => new FunctionFailures(stack, 'It', { handler: importedFunction(stack) }),
    line: 'handler must be a function made in this app, not a version or alias, if the dead-letter queue keeps the events themselves; pass keptAs FailedEventForm.RECORD to keep records, got "Stack/Imported"',
    aws: OURS,
  },
  {
    what: 'FunctionFailures that keeps the records of a function without a role',
    act: stack => {
      const handler = LambdaFunction.fromFunctionArn(stack, 'Imported', arn('lambda', 'function:bill'));
      return new FunctionFailures(stack, 'It', { handler, ...RECORD });
    },
    line: 'handler must be imported with its role, by Function.fromFunctionAttributes, if the dead-letter queue keeps records, got "Stack/Imported"',
    aws: OURS,
  },
  {
    what: 'FunctionFailures that keeps records, and has a destination beside',
    act: stack => {
      const onFailure = new SqsDestination(new Queue(stack, 'Records'));
      return new FunctionFailures(stack, 'It', { handler: newFunction(stack), onFailure, ...RECORD });
    },
    line: 'onFailure must be absent where the dead-letter queue keeps records, because a function has one destination, got "a destination"',
    aws: OURS,
  },
  {
    what: 'FunctionFailures of a function in another Region',
    act: stack => new FunctionFailures(stack, 'It', { handler: importedFunction(stack, OTHER_REGION_ENV), ...RECORD }),
    line: 'handler must be in the Region of this stack, us-east-1, got "eu-west-1"',
    aws: ONE_PLACE,
  },
  {
    what: 'FunctionFailures of a function of another account',
    act: stack => new FunctionFailures(stack, 'It', { handler: importedFunction(stack, OTHER_ACCOUNT_ENV), ...RECORD }),
    line: 'handler must be in the account of this stack, 123456789012, got "999999999999"',
    aws: ONE_PLACE,
  },
];
