import { Duration, type Stack } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import {
  DefinitionBody,
  Errors,
  Fail,
  IntegrationPattern,
  JsonPath,
  StateMachine,
  TaskInput,
  Timeout,
} from 'aws-cdk-lib/aws-stepfunctions';
import { SqsSendMessage } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { DeadLetterQueue, FunctionFailures, ProcessingQueue } from 'dead-letter-office';

/**
 * Starts an execution for each message, named by the message, so that a message received twice starts one. If that
 * execution has ended, Step Functions refuses the name for 90 days.
 */
const START = `
const { SFN } = require('@aws-sdk/client-sfn');
const steps = new SFN();
exports.handler = async ({ Records }) => {
  for (const { messageId: name, body: input } of Records) {
    try {
      await steps.startExecution({ stateMachineArn: process.env.STATE_MACHINE, name, input: JSON.stringify({ body: input }) });
    } catch (error) {
      if (error.name !== 'ExecutionAlreadyExists') throw error;
    }
  }
};`;

/**
 * The heartbeat timeout begins when Step Functions sends a job, so it must be longer than a job ever waits in `Jobs`. A job
 * that waits longer is sent again, and the worker drops the earlier copy.
 */
const LONGEST_WAIT = Duration.hours(12);

/** Orders of any length: a message becomes an execution, and a worker does the work and reports to it. */
export function addLongWork(stack: Stack): { readonly orders: ProcessingQueue; readonly jobs: ProcessingQueue } {
  const orders = new ProcessingQueue(stack, 'Orders');
  // Its alarm fires while there is still time to add workers.
  const jobs = new ProcessingQueue(stack, 'Jobs', { ageAlarmThreshold: Duration.hours(6) });
  const failed = new DeadLetterQueue(stack, 'FailedWork');

  const work = new SqsSendMessage(stack, 'Work', {
    queue: jobs,
    integrationPattern: IntegrationPattern.WAIT_FOR_TASK_TOKEN,
    messageBody: TaskInput.fromObject({ token: JsonPath.taskToken, body: JsonPath.stringAt('$.body') }),
    heartbeatTimeout: Timeout.duration(LONGEST_WAIT),
    taskTimeout: Timeout.duration(Duration.days(7)),
  });
  const keep = new SqsSendMessage(stack, 'Keep', { queue: failed, messageBody: TaskInput.fromJsonPathAt('$') });
  work.addRetry({ errors: [Errors.HEARTBEAT_TIMEOUT], maxAttempts: 3 });
  work.addCatch(keep.next(new Fail(stack, 'GivenUp')), { resultPath: '$.error' });

  const machine = new StateMachine(stack, 'LongWork', { definitionBody: DefinitionBody.fromChainable(work) });
  failed.fedByRole(machine);

  const start = new LambdaFunction(stack, 'Start', {
    runtime: Runtime.NODEJS_22_X,
    handler: 'index.handler',
    code: Code.fromInline(START),
    environment: { STATE_MACHINE: machine.stateMachineArn },
  });
  machine.grantStartExecution(start);
  new FunctionFailures(stack, 'StartFailures', { handler: start });
  orders.addFunctionConsumer(start, { batchSize: 1 });
  return { orders, jobs };
}
