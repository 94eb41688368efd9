import { Duration, type Stack } from 'aws-cdk-lib';
import { Role } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { CfnEventInvokeConfig, type IDestination, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SnsDestination, SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DeadLetterQueue, FailedEventForm, FunctionFailures, type FunctionFailuresProps } from '../../../lib';
import { newFunction } from '../../support/inline-function';
import {
  APP_ENV,
  arn,
  importedQueue,
  ONE_PLACE,
  OTHER_ACCOUNT_ENV,
  OTHER_REGION_ENV,
  OURS,
  type Refused,
} from './refused';

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

/** Destinations that Lambda does not take. */
const FIFO_DESTINATIONS: Readonly<Record<string, (stack: Stack) => IDestination>> = {
  Queue: stack => new SqsDestination(new Queue(stack, 'Queue', FIFO)),
  Topic: stack => new SnsDestination(new Topic(stack, 'Topic', FIFO)),
};

export const REFUSED_FAILURES: readonly Refused[] = [
  ...Object.entries(FIFO_DESTINATIONS).map(
    ([id, onFailure]): Refused => ({
      what: `FunctionFailures with a FIFO ${id} beside`,
      act: stack => new FunctionFailures(stack, 'It', { handler: newFunction(stack), onFailure: onFailure(stack) }),
      line: `onFailure must be a standard queue or topic, for Lambda takes no FIFO one as a destination, got "Stack/${id}"`,
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
    line: 'handler must not have its asynchronous invocation configured already where onFailure, retryAttempts, maxEventAge or FailedEventForm.RECORD is given, got "Stack/Function/EventInvokeConfig"',
    aws: OURS,
  },
  {
    what: 'FunctionFailures of a function that was made elsewhere',
    act: stack => new FunctionFailures(stack, 'It', { handler: importedFunction(stack) }),
    line: 'handler must be a function made in this app, no version or alias of one, where the dead-letter queue keeps the events themselves; pass keptAs FailedEventForm.RECORD to keep records, got "Stack/Imported"',
    aws: OURS,
  },
  {
    what: 'FunctionFailures that keeps the records of a function without a role',
    act: stack => {
      const handler = LambdaFunction.fromFunctionArn(stack, 'Imported', arn('lambda', 'function:bill'));
      return new FunctionFailures(stack, 'It', { handler, ...RECORD });
    },
    line: 'handler must be imported with its role, by Function.fromFunctionAttributes, where the dead-letter queue keeps records, got "Stack/Imported"',
    aws: OURS,
  },
  {
    what: 'FunctionFailures that keeps records, and has a destination beside',
    act: stack => {
      const onFailure = new SqsDestination(new Queue(stack, 'Records'));
      return new FunctionFailures(stack, 'It', { handler: newFunction(stack), onFailure, ...RECORD });
    },
    line: 'onFailure must be absent where the dead-letter queue keeps records, for a function has one destination, got "a destination"',
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
