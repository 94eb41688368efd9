import { CfnOutput, Duration, RemovalPolicies, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Key } from 'aws-cdk-lib/aws-kms';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { DeadLetterQueue, DurableTopic, FunctionFailures, OpsTopic, ProcessingQueue } from '../../lib';
import { inlineFunction } from '../support/inline-function';

/** A fixed name, so that a run cleans up what an earlier one left behind. */
export const STACK_NAME = 'DeadLetterOfficeIntegration';

/** What the checks need to know of a deployed stack. */
export const OUTPUTS = [
  'OrdersArn',
  'FulfilmentUrl',
  'PoisonUrl',
  'UndeliveredUrl',
  'UnbilledUrl',
  'HeardUrl',
  'PoisonAlarm',
  'UndeliveredAlarm',
  'UnbilledAlarm',
] as const;

export type Outputs = Readonly<Record<(typeof OUTPUTS)[number], string>>;

/** The retries of the topic's policy. SNS's default is 3. */
export const TOPIC_RETRIES = 7;

/** SQS moves a message after one receive without a delete. */
const POISON_RECEIVES = 1;

function alarmName(alarm: Alarm | undefined): string {
  if (!alarm) throw new Error('the stack lacks an alarm that the checks wait for');
  return alarm.alarmName;
}

/**
 * All our ways to keep a message, encrypted with a customer managed key, and a queue that receives the alarm notifications. It
 * sends nothing to people, and retains nothing.
 */
export class IntegrationStack extends Stack {
  private readonly encryptionMasterKey: Key;
  private readonly alarmActions: OpsTopic[];

  constructor(scope: Construct) {
    super(scope, STACK_NAME, { description: 'Made and destroyed by the integration tests of Dead Letter Office.' });
    const removalPolicy = RemovalPolicy.DESTROY;
    RemovalPolicies.of(this).destroy();
    const masterKey = new Key(this, 'Key', { removalPolicy, pendingWindow: Duration.days(7) });
    this.encryptionMasterKey = masterKey;
    const ops = new OpsTopic(this, 'Ops', { masterKey });
    const heard = new Queue(this, 'Heard', { enforceSSL: true });
    ops.addSubscription(new SqsSubscription(heard));
    this.alarmActions = [ops];
    const orders = new DurableTopic(this, 'Orders', {
      masterKey,
      alarmActions: this.alarmActions,
      deliveryStatusLogging: { removalPolicy },
      deliveryPolicy: {
        healthyRetryPolicy: {
          numRetries: TOPIC_RETRIES,
          minDelayTarget: Duration.seconds(1),
          maxDelayTarget: Duration.seconds(5),
        },
      },
    });
    const undelivered = this.deadLetterQueue('Undelivered');
    const poison = this.deadLetterQueue('Poison');
    const unbilled = this.deadLetterQueue('Unbilled');
    const fulfilment = new ProcessingQueue(this, 'Fulfilment', {
      encryptionMasterKey: masterKey,
      alarmActions: this.alarmActions,
      deadLetterQueue: { queue: poison, maxReceiveCount: POISON_RECEIVES },
    });
    orders.deliverToQueue('ToFulfilment', fulfilment, { deadLetterQueue: undelivered, rawMessageDelivery: true });
    const billing = inlineFunction(this, 'Billing', "exports.handler = async () => { throw new Error('no bill'); };", {
      logGroup: new LogGroup(this, 'BillingLog', { removalPolicy }),
    });
    new FunctionFailures(this, 'BillingFailures', {
      handler: billing,
      deadLetterQueue: unbilled,
      retryAttempts: 0,
      alarmActions: this.alarmActions,
    });
    orders.deliverToFunction('ToBilling', billing);
    this.tell({
      OrdersArn: orders.topicArn,
      FulfilmentUrl: fulfilment.queueUrl,
      PoisonUrl: poison.queueUrl,
      UndeliveredUrl: undelivered.queueUrl,
      UnbilledUrl: unbilled.queueUrl,
      HeardUrl: heard.queueUrl,
      PoisonAlarm: alarmName(poison.growthAlarm),
      UndeliveredAlarm: alarmName(orders.deadLetteredAlarm),
      UnbilledAlarm: alarmName(unbilled.arrivalsAlarm),
    });
  }

  private deadLetterQueue(id: string): DeadLetterQueue {
    const { alarmActions, encryptionMasterKey } = this;
    return new DeadLetterQueue(this, id, { encryptionMasterKey, alarmActions });
  }

  private tell(outputs: Outputs): void {
    for (const name of OUTPUTS) new CfnOutput(this, name, { value: outputs[name] });
  }
}
