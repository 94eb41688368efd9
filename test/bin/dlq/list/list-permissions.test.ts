import { Duration, type Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { ScheduleExpression, Schedule as TimedSchedule } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { LambdaSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { INVENTORY_READS, STACK_READS } from '../../../../account/inventory/inventory-reads';
import { newFunction } from '../../../support/inline-function';
import { OperatedAccount, openAccount } from '../../operated-account';
import { addOperators, type Takes, testPermissions } from '../../told-permissions';

const TAKES: Takes = {
  'ls --stack Test': [...INVENTORY_READS, 'sqs:ListMessageMoveTasks', 'cloudwatch:GetMetricData', ...STACK_READS],
};

/** One of whatever has to be asked about; without keys, and without roles that send dead letters. */
function anyFeeders(stack: Stack): void {
  const deadLetterQueue = new Queue(stack, 'Dlq', { queueName: 'orders-dlq' });
  const orders = new Queue(stack, 'Orders', { deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: 3 } });
  const clerk = newFunction(stack);
  clerk.addEventSource(new SqsEventSource(orders));
  new Topic(stack, 'Topic').addSubscription(new LambdaSubscription(clerk, { deadLetterQueue }));
  const targets = [new SqsQueue(orders, { deadLetterQueue })];
  new Rule(stack, 'Nightly', { schedule: Schedule.rate(Duration.days(1)), targets });
  new TimedSchedule(stack, 'Monthly', {
    schedule: ScheduleExpression.rate(Duration.days(30)),
    target: new LambdaInvoke(clerk, {}),
  });
}

describe('dlo dlq ls', () => {
  let account: OperatedAccount;

  beforeAll(async () => {
    const { deployed, url } = await openAccount(stack => {
      anyFeeders(stack);
      addOperators(stack, TAKES);
    });
    account = new OperatedAccount(deployed, url, 'dlq');
    // CloudWatch is asked only after the age of letters.
    await deployed.send('Dlq', 'an order');
  });

  testPermissions(TAKES, [], () => account);
});
