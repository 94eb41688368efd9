import { CfnOutput, RemovalPolicies, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Alarm, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { inlineFunction } from '../../support/inline-function';
import { EVENT_SOURCE } from './event-source';
import { outputOf, type Probe, type QueueSpec } from './probe';

/** A fixed name, so that a run cleans up what an earlier one left behind. */
export const ASSUMPTION_STACK_NAME = 'DeadLetterOfficeAssumptions';

/** Fails with the error of the event, or returns its trace header. */
const CODE = `exports.handler = async event => {
  if (event.error) throw new Error(event.error);
  return process.env._X_AMZN_TRACE_ID;
};`;

/** What the probes need: queues and topics of their own, and a function, a rule, a role and an alarm. It retains nothing. */
export class AssumptionStack extends Stack {
  private readonly queues = new Map<string, Queue>();

  constructor(scope: Construct, probes: readonly Probe[]) {
    super(scope, ASSUMPTION_STACK_NAME, {
      description: 'Made and destroyed by the questions of Dead Letter Office about AWS.',
    });
    RemovalPolicies.of(this).destroy();
    for (const probe of probes) this.add(probe);
    this.addFunction(this.queueOf('LAMBDA-5', 'Dead'));
    this.addRule(this.queueOf('EVENTS-4', 'Target'));
    this.addFifoAlarm(this.queueOf('CW-6', 'Heard'));
    const role = new Role(this, 'SchedulerRole', { assumedBy: new ServicePrincipal('scheduler.amazonaws.com') });
    this.tell('SchedulerRoleArn', role.roleArn);
  }

  private add({ id, queues = {}, topics = {} }: Probe): void {
    for (const [name, spec] of Object.entries(queues)) this.addQueue(id, name, spec);
    for (const [name, { fifo = false }] of Object.entries(topics)) {
      const topic = new Topic(this, `${outputOf(id, name)}Resource`, fifo ? { fifo } : {});
      this.tell(outputOf(id, name), topic.topicArn);
    }
  }

  private addQueue(id: string, name: string, spec: QueueSpec): void {
    const { fifo = false, openToTopics = false, deadLetters, maxReceiveCount = 1 } = spec;
    const queue = new Queue(this, `${outputOf(id, name)}Resource`, {
      ...(fifo && { fifo }),
      ...(deadLetters !== undefined && {
        deadLetterQueue: { queue: this.queueOf(id, deadLetters), maxReceiveCount },
      }),
    });
    if (openToTopics) queue.grantSendMessages(new ServicePrincipal('sns.amazonaws.com'));
    this.queues.set(outputOf(id, name), queue);
    this.tell(outputOf(id, name), queue.queueUrl);
  }

  /** @throws Error for a queue that no probe before has stated */
  private queueOf(id: string, name: string): Queue {
    const queue = this.queues.get(outputOf(id, name));
    if (!queue) throw new Error(`no probe ${id} with a queue ${name} was added before`);
    return queue;
  }

  private addFunction(deadLetterQueue: Queue): void {
    const handler = inlineFunction(this, 'Function', CODE, {
      deadLetterQueue,
      retryAttempts: 0,
      logGroup: new LogGroup(this, 'FunctionLog', { removalPolicy: RemovalPolicy.DESTROY }),
    });
    for (const id of ['LAMBDA-12', 'LAMBDA-13']) this.queueOf(id, 'Queue').grantConsumeMessages(handler);
    this.tell('FunctionName', handler.functionName);
    this.tell('FunctionArn', handler.functionArn);
    this.tell('RunName', handler.functionName);
  }

  private addRule(queue: Queue): void {
    const message = RuleTargetInput.fromEventPath('$.detail.nothing');
    const eventPattern = { source: [EVENT_SOURCE] };
    new Rule(this, 'Rule', { eventPattern, targets: [new SqsQueue(queue, { message })] });
  }

  private addFifoAlarm(queue: Queue): void {
    const topic = new Topic(this, 'FifoNews', { fifo: true, contentBasedDeduplication: true });
    topic.addSubscription(new SqsSubscription(queue));
    const metric = new Metric({ namespace: ASSUMPTION_STACK_NAME, metricName: 'Nothing' });
    const alarm = new Alarm(this, 'FifoAlarm', { metric, threshold: 1, evaluationPeriods: 1 });
    alarm.addAlarmAction(new SnsAction(topic));
    this.tell('FifoAlarmName', alarm.alarmName);
  }

  private tell(name: string, value: string): void {
    new CfnOutput(this, name, { value });
  }
}
