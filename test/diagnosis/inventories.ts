import type {
  AlarmFacts,
  FunctionFacts,
  Inventory,
  KeyFacts,
  MappingFacts,
  QueueFacts,
  QueueUserFacts,
  RoleFacts,
  StreamFacts,
  SubscriptionFacts,
  TargetFacts,
  TopicFacts,
  WatchedMetricFacts,
} from '../../diagnosis/inventory/inventory';
import { formatArn } from '../../policy/arn';

export const REGION = 'eu-west-1';
export const ACCOUNT = '111122223333';
export const UNKNOWN = { unknownBecause: 'is a parameter of the template' };

export function arnOf(service: string, resource: string, region = REGION, account = ACCOUNT): string {
  return formatArn({ partition: 'aws', service, region, account, resource });
}

export const queueArn = (name: string): string => arnOf('sqs', name);
export const topicArn = (name: string): string => arnOf('sns', name);
export const functionArn = (name: string): string => arnOf('lambda', `function:${name}`);
export const roleArn = (name: string): string => arnOf('iam', `role/${name}`, '');
export const keyArn = (id: string): string => arnOf('kms', `key/${id}`);
export const alarmArn = (name: string): string => arnOf('cloudwatch', `alarm:${name}`);

/** Returns a completely known account that contains only these parts. */
export function inventoryOf(parts: Partial<Inventory> = {}): Inventory {
  return {
    partition: 'aws',
    region: REGION,
    account: ACCOUNT,
    isComplete: true,
    topics: [],
    subscriptions: [],
    queues: [],
    functions: [],
    mappings: [],
    targets: [],
    alarms: [],
    keys: [],
    roles: [],
    ...parts,
  };
}

/** A standard topic with the policy SNS gives a new one. */
export function topic(name: string, facts: Partial<TopicFacts> = {}): TopicFacts {
  return {
    arn: topicArn(name),
    name,
    isFifo: name.endsWith('.fifo'),
    keyId: undefined,
    policy: topicsOwnPolicy(name),
    deliveryPolicy: undefined,
    logging: [],
    ...facts,
  };
}

/** @see https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html */
export function topicsOwnPolicy(name: string) {
  return {
    Version: '2008-10-17',
    Id: '__default_policy_ID',
    Statement: [
      {
        Sid: '__default_statement_ID',
        Effect: 'Allow',
        Principal: { AWS: '*' },
        Action: ['SNS:Publish', 'SNS:Subscribe', 'SNS:GetTopicAttributes'],
        Resource: topicArn(name),
        Condition: { StringEquals: { 'AWS:SourceOwner': ACCOUNT } },
      },
    ],
  };
}

/** A standard queue with SQS's defaults. */
export function queue(name: string, facts: Partial<QueueFacts> = {}): QueueFacts {
  return {
    arn: queueArn(name),
    name,
    url: `https://sqs.${REGION}.amazonaws.com/${ACCOUNT}/${name}`,
    isFifo: name.endsWith('.fifo'),
    retentionSeconds: 345_600,
    visibilityTimeoutSeconds: 30,
    redrivePolicy: undefined,
    redriveAllowPolicy: undefined,
    keyId: undefined,
    policy: undefined,
    ...facts,
  };
}

/** The statement that allows a service to send to a queue for one resource. */
export function sendStatement(service: string, name: string, sourceArn: string) {
  return {
    Effect: 'Allow',
    Principal: { Service: service },
    Action: 'sqs:SendMessage',
    Resource: queueArn(name),
    Condition: { ArnEquals: { 'aws:SourceArn': sourceArn } },
  };
}

export function policyOf(...Statement: readonly object[]) {
  return { Version: '2012-10-17', Statement };
}

/** A queue that keeps dead letters for 14 days, and allows SNS to send for a topic. */
export function deadLettersOf(topicName: string, name: string, facts: Partial<QueueFacts> = {}): QueueFacts {
  return queue(name, {
    retentionSeconds: 1_209_600,
    policy: policyOf(sendStatement('sns.amazonaws.com', name, topicArn(topicName))),
    ...facts,
  });
}

/** A queue's subscription, without a dead-letter queue. */
export function subscription(topicName: string, id: string, facts: Partial<SubscriptionFacts> = {}): SubscriptionFacts {
  return {
    arn: `${topicArn(topicName)}:${id}`,
    name: `${topicName}:${id}`,
    topicArn: topicArn(topicName),
    owner: ACCOUNT,
    protocol: 'sqs',
    endpoint: queueArn('orders'),
    deadLetterTargetArn: undefined,
    isRaw: false,
    deliveryPolicy: undefined,
    filterPolicy: undefined,
    filterPolicyScope: undefined,
    otherSettings: [],
    isPending: false,
    ...facts,
  };
}

/** A function with Lambda's defaults. */
export function lambda(name: string, facts: Partial<FunctionFacts> = {}): FunctionFacts {
  return {
    arn: functionArn(name),
    name,
    timeoutSeconds: 3,
    roleArn: roleArn(name),
    deadLetterTargetArn: undefined,
    eventInvokes: [],
    reservedConcurrency: undefined,
    policy: undefined,
    ...facts,
  };
}

export function role(name: string, ...statements: readonly object[]): RoleFacts {
  return { arn: roleArn(name), name, policies: statements.length > 0 ? [policyOf(...statements)] : [] };
}

/** A function that reads a queue. */
export function mapping(functionName: string, queueName: string, facts: Partial<MappingFacts> = {}): MappingFacts {
  return {
    arn: arnOf('lambda', `event-source-mapping:${functionName}-${queueName}`),
    name: `${queueName} to ${functionName}`,
    functionArn: functionArn(functionName),
    sourceArn: queueArn(queueName),
    isEnabled: true,
    batchSize: 10,
    batchingWindowSeconds: 0,
    maximumConcurrency: undefined,
    onFailureArn: undefined,
    ...facts,
  };
}

export function ruleTarget(name: string, targetArn: string, facts: Partial<TargetFacts> = {}): TargetFacts {
  return {
    arn: arnOf('events', `rule/${name}`),
    name,
    kind: 'rule',
    targetArn,
    deadLetterTargetArn: undefined,
    roleArn: undefined,
    isEnabled: true,
    maximumEventAgeSeconds: 86_400,
    ...facts,
  };
}

/** A bus, a pipe or an IoT rule that sends its failures to a queue named `dead`. */
export function queueUser(name: string, facts: Partial<QueueUserFacts> = {}): QueueUserFacts {
  const arn = arnOf('pipes', `pipe/${name}`);
  return {
    arn,
    name,
    kind: 'pipe',
    isEnabled: true,
    sourceArn: undefined,
    deadLetterTargetArn: queueArn('dead'),
    ...facts,
  };
}

export function stream(name: string, facts: Partial<StreamFacts> = {}): StreamFacts {
  const arn = arnOf('firehose', `deliverystream/${name}`);
  return { arn, name, status: 'ACTIVE', type: 'DirectPut', keyId: undefined, ...facts };
}

export function schedule(name: string, targetArn: string, facts: Partial<TargetFacts> = {}): TargetFacts {
  return {
    ...ruleTarget(name, targetArn),
    arn: arnOf('scheduler', `schedule/default/${name}`),
    kind: 'schedule',
    roleArn: roleArn(name),
    ...facts,
  };
}

export function metric(queueName: string, name: string, facts: Partial<WatchedMetricFacts> = {}): WatchedMetricFacts {
  return {
    namespace: 'AWS/SQS',
    name,
    dimensions: { QueueName: queueName },
    statistic: name === 'NumberOfMessagesSent' ? 'Sum' : 'Maximum',
    periodSeconds: 60,
    ...facts,
  };
}

export const OPS = topicArn('ops');

/** An alarm that notifies people as soon as a metric is above 0. */
export function alarm(name: string, metrics: AlarmFacts['metrics'], facts: Partial<AlarmFacts> = {}): AlarmFacts {
  return {
    arn: alarmArn(name),
    name,
    metrics,
    comparison: 'GreaterThanThreshold',
    threshold: 0,
    evaluationPeriods: 1,
    datapointsToAlarm: 1,
    treatMissingData: 'notBreaching',
    actionsEnabled: true,
    alarmActions: [OPS],
    state: 'OK',
    ...facts,
  };
}

/** The default policy of a customer managed key: the account's IAM policies decide. */
export const ROOT_STATEMENT = {
  Effect: 'Allow',
  Principal: { AWS: `arn:aws:iam::${ACCOUNT}:root` },
  Action: 'kms:*',
  Resource: '*',
};

export function key(id: string, statements: readonly object[] = [], facts: Partial<KeyFacts> = {}): KeyFacts {
  return {
    arn: keyArn(id),
    name: id,
    aliases: [`alias/${id}`],
    isManagedByAws: false,
    isEnabled: true,
    policy: policyOf(ROOT_STATEMENT, ...statements),
    ...facts,
  };
}
