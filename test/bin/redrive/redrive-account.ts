import { CloudWatchClient, SetAlarmStateCommand } from '@aws-sdk/client-cloudwatch';
import { Duration, type Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { FunctionFailures, ProcessingQueue, Quarantine, Redrive, RedriveDestination, RedriveLane } from '../../../lib';
import { DeployedRedrive } from '../../lambda/redrive/redrive-fixture';
import type { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';
import { OperatedAccount, openAccount } from '../operated-account';

/** Fails on poison. */
const CONSUMER = `exports.handler = async event => {
  const [{ body }] = event.Records ?? [{ body: 'poison' }];
  if (body.startsWith('poison')) throw new Error('indigestible');
};`;

/** Adds a queue, its consumer, and a redrive back to the queue with a health alarm. */
export function ordersRedrive(stack: Stack): ProcessingQueue {
  const orders = new ProcessingQueue(stack, 'Orders', { visibilityTimeout: Duration.seconds(30) });
  const consumer = inlineFunction(stack, 'Consumer', CONSUMER, { timeout: Duration.seconds(5) });
  orders.addFunctionConsumer(consumer, { batchSize: 1 });
  const health = new Alarm(stack, 'Health', {
    metric: new Metric({ namespace: 'Shop', metricName: 'Trouble', period: Duration.minutes(1) }),
    threshold: 0,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
  new Redrive(stack, 'Home', {
    deadLetterQueue: orders.deadLetters,
    destination: RedriveDestination.queue(orders),
    enabled: true,
    recoveryAlarms: [health],
    healthyFor: Duration.minutes(1),
    runsPerDay: 3,
    messagesPerDay: 10_000,
    killSwitch: new StringParameter(stack, 'Switch', { stringValue: 'on' }),
  });
  return orders;
}

/** Adds that redrive, one to a retry lane, and one for a function's failures with the same switch. */
export function threeRedrives(stack: Stack): void {
  ordersRedrive(stack);
  const bills = new ProcessingQueue(stack, 'Bills', { visibilityTimeout: Duration.seconds(30) });
  const clerk = inlineFunction(stack, 'Clerk', CONSUMER, { timeout: Duration.seconds(5) });
  bills.addFunctionConsumer(clerk, { batchSize: 1 });
  const lane = new RedriveLane(stack, 'Lane', { laneOf: bills });
  const byLane = new Redrive(stack, 'ByLane', {
    deadLetterQueue: bills.deadLetters,
    destination: RedriveDestination.lane(lane),
    enabled: true,
  });
  const printer = inlineFunction(stack, 'Printer', CONSUMER, { timeout: Duration.seconds(5) });
  const failures = new FunctionFailures(stack, 'Failures', { handler: printer });
  failures.redriveDeadLetters('Replay', {
    quarantine: new Quarantine(stack, 'Quarantine'),
    killSwitch: byLane.killSwitch,
  });
}

/** An account with redrives, and an operator. */
export class RedriveAccount extends OperatedAccount {
  /** The redrive of the orders. */
  readonly home: DeployedRedrive;

  private constructor(deployed: Deployed, url: string) {
    super(deployed, url, 'redrive');
    this.home = new DeployedRedrive(deployed, 'Orders/DeadLetterQueue', 'Home');
  }

  static async of(fill: (stack: Stack) => void): Promise<RedriveAccount> {
    const { deployed, url } = await openAccount(fill);
    await deployed.advance({ minutes: 2 });
    return new RedriveAccount(deployed, url);
  }

  /** Sets an alarm to a state, until its next evaluation. */
  async ring(alarm: string, StateValue: 'ALARM' | 'OK'): Promise<void> {
    const cloudWatch = new CloudWatchClient({ ...this.deployed.aws.clientConfig(), maxAttempts: 1 });
    const AlarmName = this.deployed.ref(alarm);
    await cloudWatch.send(new SetAlarmStateCommand({ AlarmName, StateValue, StateReason: 'a test' }));
  }
}
