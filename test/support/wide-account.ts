import { strToU8, zipSync } from 'fflate';
import type { LocalAws } from '../../local';

/** How many resources of each kind an account has. */
export interface AccountShape {
  /** Half of them are dead-letter queues of the others. */
  readonly queues: number;
  /** Dead-letter queues that hold a message. */
  readonly holding: number;
  /** Each reads a queue, and sends failed events to a dead-letter queue. */
  readonly functions: number;
  /** Functions share them, if there are fewer. */
  readonly roles: number;
  readonly topics: number;
  /** Every second is that of a function; the others are those of queues. */
  readonly subscriptions: number;
  /** With one target each. */
  readonly rules: number;
  /** Of dead-letter queues. */
  readonly alarms: number;
}

/** An account of a company, with 1,000 queues. */
export const WIDE: AccountShape = {
  queues: 1_000,
  holding: 50,
  functions: 200,
  roles: 200,
  topics: 50,
  subscriptions: 200,
  rules: 50,
  alarms: 300,
};

export function shapeText({
  queues,
  holding,
  functions,
  roles,
  topics,
  subscriptions,
  rules,
  alarms,
}: AccountShape): string {
  const holds = `${queues} queues (${queues / 2} dead-letter queues, ${holding} with messages)`;
  return `${holds}, ${functions} functions, ${roles} roles, ${topics} topics, ${subscriptions} subscriptions, ${rules} rules, ${alarms} alarms`;
}

const TRUST = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
};

const MAY_ALL = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: ['sqs:*', 'logs:*'], Resource: '*' }] };

const FROM_SERVICES = {
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Principal: { Service: ['sns.amazonaws.com', 'events.amazonaws.com'] },
      Action: 'sqs:SendMessage',
      Resource: '*',
    },
  ],
};

/** The numbers from 0 below a limit. */
const upTo = (limit: number) => [...Array(limit).keys()];

/** Fills an empty account by calls. */
class Filling {
  private readonly urls = new Map<string, string>();

  constructor(
    private readonly aws: LocalAws,
    private readonly shape: AccountShape,
  ) {}

  private queueArn(name: string): string {
    return `arn:aws:sqs:us-east-1:123456789012:${name}`;
  }

  private dlq(index: number): string {
    return this.queueArn(`dlq-${index % (this.shape.queues / 2)}`);
  }

  private functionArn(index: number): string {
    return `arn:aws:lambda:us-east-1:123456789012:function:function-${index % this.shape.functions}`;
  }

  private async queue(name: string, attributes: Readonly<Record<string, string>>): Promise<void> {
    const { sqs } = this.aws.services;
    const made = await sqs.call('CreateQueue', sqs.owner, { QueueName: name, Attributes: { ...attributes } });
    this.urls.set(name, made.QueueUrl ?? '');
  }

  async queues(): Promise<void> {
    const { sqs } = this.aws.services;
    for (const at of upTo(this.shape.queues / 2)) {
      await this.queue(`dlq-${at}`, { MessageRetentionPeriod: '1209600', Policy: JSON.stringify(FROM_SERVICES) });
      const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: this.dlq(at), maxReceiveCount: 5 });
      await this.queue(`work-${at}`, { RedrivePolicy, VisibilityTimeout: '60', Policy: JSON.stringify(FROM_SERVICES) });
    }
    for (const at of upTo(this.shape.holding)) {
      await sqs.call('SendMessage', sqs.owner, { QueueUrl: this.urls.get(`dlq-${at}`) ?? '', MessageBody: `${at}` });
    }
  }

  async functions(): Promise<void> {
    const { lambda, iam } = this.aws.services;
    const Code = { ZipFile: zipSync({ 'index.js': strToU8('exports.handler = async () => {};') }) };
    for (const at of upTo(this.shape.roles)) {
      iam.createRole({ roleName: `role-${at}`, trustPolicy: TRUST }).putPolicy('own', MAY_ALL);
    }
    for (const at of upTo(this.shape.functions)) {
      const FunctionName = `function-${at}`;
      const Role = `arn:aws:iam::123456789012:role/role-${at % this.shape.roles}`;
      const made = { FunctionName, Role, Code, Runtime: 'nodejs22.x' as const, Handler: 'index.handler' };
      await lambda.call('CreateFunction', lambda.owner, made);
      const DestinationConfig = { OnFailure: { Destination: this.dlq(at) } };
      await lambda.call('PutFunctionEventInvokeConfig', lambda.owner, { FunctionName, DestinationConfig });
      const EventSourceArn = this.queueArn(`work-${at % (this.shape.queues / 2)}`);
      await lambda.call('CreateEventSourceMapping', lambda.owner, { FunctionName, EventSourceArn });
      const granted = { FunctionName, StatementId: 'sns', Action: 'lambda:InvokeFunction' };
      await lambda.call('AddPermission', lambda.owner, { ...granted, Principal: 'sns.amazonaws.com' });
    }
  }

  async senders(): Promise<void> {
    const { sns, events, cloudWatch: cloudwatch } = this.aws.services;
    const { topics, subscriptions, rules, alarms } = this.shape;
    const arns: string[] = [];
    for (const at of upTo(topics)) {
      arns.push((await sns.call('CreateTopic', sns.owner, { Name: `topic-${at}` })).TopicArn ?? '');
    }
    for (const at of upTo(subscriptions)) {
      const isOfFunction = at % 2 === 0;
      await sns.call('Subscribe', sns.owner, {
        TopicArn: arns[at % topics] ?? '',
        Protocol: isOfFunction ? 'lambda' : 'sqs',
        Endpoint: isOfFunction ? this.functionArn(at) : this.queueArn(`work-${at % (this.shape.queues / 2)}`),
        Attributes: { RedrivePolicy: JSON.stringify({ deadLetterTargetArn: this.dlq(at) }) },
      });
    }
    for (const at of upTo(rules)) {
      const Name = `rule-${at}`;
      await events.call('PutRule', events.owner, { Name, EventPattern: JSON.stringify({ source: [`shop-${at}`] }) });
      const target = { Id: 'one', Arn: this.queueArn(`work-${at}`), DeadLetterConfig: { Arn: this.dlq(at) } };
      await events.call('PutTargets', events.owner, { Rule: Name, Targets: [target] });
    }
    for (const at of upTo(alarms)) {
      await cloudwatch.call('PutMetricAlarm', cloudwatch.owner, {
        AlarmName: `alarm-${at}`,
        Namespace: 'AWS/SQS',
        MetricName: 'ApproximateNumberOfMessagesVisible',
        Dimensions: [{ Name: 'QueueName', Value: `dlq-${at}` }],
        Statistic: 'Maximum',
        Period: 60,
        EvaluationPeriods: 1,
        Threshold: 0,
        ComparisonOperator: 'GreaterThanThreshold',
        AlarmActions: [arns[0] ?? ''],
      });
    }
  }
}

/** Fills an empty account with resources, by calls. Synthesis and deployment would take a minute. */
export async function fillAccount(aws: LocalAws, shape: AccountShape): Promise<void> {
  const filling = new Filling(aws, shape);
  await filling.queues();
  await filling.functions();
  await filling.senders();
}
