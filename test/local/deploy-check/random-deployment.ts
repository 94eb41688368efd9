import type { Random } from '../../../local/kernel/random';
import { assemblyOfTemplates } from '../../support/assembly';
import { arnOf, mapping, queue, role, subscription, topic, worker } from './app-templates';

const ACCOUNT = '123456789012';

/** Statements that a queue policy may have besides, or in place of, the one that lets SNS send. */
const POLICIES = {
  open: [{ Effect: 'Allow' }],
  events: [{ Effect: 'Allow', Principal: { Service: 'events.amazonaws.com' } }],
  ofAccount: [{ Effect: 'Allow', Condition: { StringEquals: { 'aws:SourceAccount': ACCOUNT } } }],
  ofOther: [{ Effect: 'Allow', Condition: { StringEquals: { 'aws:SourceAccount': '210987654321' } } }],
  denied: [{ Effect: 'Allow' }, { Sid: 'Closed', Effect: 'Deny', Principal: '*' }],
  deniedToAccount: [
    { Effect: 'Allow' },
    { Effect: 'Deny', Principal: '*', Condition: { StringEquals: { 'aws:SourceAccount': ACCOUNT } } },
  ],
  deniedToOther: [
    { Effect: 'Allow' },
    { Effect: 'Deny', Principal: '*', Condition: { StringEquals: { 'aws:SourceAccount': '210987654321' } } },
  ],
  deniedOverHttp: [
    { Effect: 'Allow' },
    { Effect: 'Deny', Principal: '*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
  ],
} as const;

const FILTERS = [
  undefined,
  { FilterPolicy: { kind: ['a'] } },
  { FilterPolicy: { kind: ['a', 'b'] } },
  { FilterPolicy: { kind: [{ 'anything-but': ['b'] }] } },
  { FilterPolicy: { size: [{ numeric: ['>', 40] }] } },
  { FilterPolicy: { size: [{ numeric: ['>', 40, '<', 60] }] } },
  { FilterPolicyScope: 'MessageBody', FilterPolicy: { kind: ['a'] } },
  { FilterPolicyScope: 'MessageBody', FilterPolicy: { kind: ['a', { prefix: 'b' }] } },
];

const LIMITS = {
  none: {},
  small: { MaximumMessageSize: 1024 },
  short: { MessageRetentionPeriod: 60 },
  week: { MessageRetentionPeriod: 604_800 },
};

const SCHEDULES = {
  often: { ScheduleExpression: 'rate(5 minutes)' },
  rarely: { ScheduleExpression: 'rate(20 minutes)' },
  past: { ScheduleExpression: 'at(2020-01-01T00:00:00)' },
  ended: { ScheduleExpression: 'rate(5 minutes)', EndDate: '2020-01-01T00:00:00Z' },
  disabled: { ScheduleExpression: 'rate(5 minutes)', State: 'DISABLED' },
};

const KEYS = ['none', 'open', 'closed'] as const;

/** What is random about a queue of an app, and what receives from it. */
interface QueueOf {
  readonly id: string;
  readonly name: string | undefined;
  readonly hasDlq: boolean;
  readonly maxReceiveCount: number;
  readonly dlqName: string | undefined;
  readonly subDlq: 'none' | 'open' | 'closed';
  readonly isRetained: boolean;
  readonly hasWorker: boolean;
  readonly workerName: string | undefined;
  readonly concurrency: 0 | 5 | undefined;
  readonly isMappingEnabled: boolean;
  readonly mayReceive: boolean;
  /** Whether Lambda may assume the role of its functions. */
  readonly mayAssume: boolean;
  readonly limits: keyof typeof LIMITS;
  /** A schedule that sends to it, and whether what fails of that is kept. */
  readonly schedule: keyof typeof SCHEDULES | 'none';
  readonly hasScheduleDlq: boolean;
  readonly visibility: number;
  /** Endings of logical ids: another one renames the resource. */
  readonly sub: string;
  readonly policy: string;
  readonly mapping: string;
  readonly hasSub: boolean;
  readonly isRaw: boolean;
  readonly filter: number;
  readonly key: (typeof KEYS)[number];
  readonly statements: keyof typeof POLICIES;
  /** A function that is subscribed to the topic itself, and who may invoke it. */
  readonly direct: 'none' | 'sns' | 'events';
}

export interface Version {
  readonly queues: readonly QueueOf[];
}

function newQueue(random: Random, id: string): QueueOf {
  const chance = (share: number) => random.fraction() < share;
  return {
    id,
    name: chance(0.3) ? `${id}-a` : undefined,
    hasDlq: chance(0.6),
    maxReceiveCount: 2,
    dlqName: undefined,
    subDlq: chance(0.3) ? 'open' : 'none',
    isRetained: chance(0.3),
    hasWorker: chance(0.5),
    workerName: undefined,
    concurrency: undefined,
    isMappingEnabled: true,
    mayReceive: true,
    mayAssume: true,
    limits: 'none',
    schedule: chance(0.3) ? 'often' : 'none',
    hasScheduleDlq: chance(0.5),
    visibility: 30,
    sub: 'Sub',
    policy: 'Policy',
    mapping: 'Mapping',
    hasSub: true,
    isRaw: chance(0.3),
    filter: chance(0.4) ? random.integer(0, FILTERS.length - 1) : 0,
    key: chance(0.3) ? 'open' : 'none',
    statements: chance(0.3) ? 'ofAccount' : 'open',
    direct: chance(0.2) ? 'sns' : 'none',
  };
}

type Change = (it: QueueOf, random: Random) => Partial<QueueOf>;

const oneOf = <Value>(random: Random, values: readonly Value[]): Value => {
  const value = values[random.integer(0, values.length - 1)];
  if (value === undefined) throw new Error('there is nothing to choose from');
  return value;
};

const CHANGES: readonly Change[] = [
  it => ({ name: `${it.id}-b` }),
  it => ({ dlqName: `${it.id}-dead` }),
  it => ({ hasDlq: !it.hasDlq }),
  () => ({ maxReceiveCount: 3 }),
  (_, random) => ({ subDlq: oneOf(random, ['none', 'open', 'closed'] as const) }),
  it => ({ hasWorker: !it.hasWorker }),
  it => ({ workerName: `${it.id}-worker` }),
  (_, random) => ({ concurrency: oneOf(random, [0, 5] as const) }),
  () => ({ isMappingEnabled: false }),
  () => ({ mayReceive: false }),
  () => ({ mayAssume: false }),
  (_, random) => ({ limits: oneOf(random, Object.keys(LIMITS) as (keyof typeof LIMITS)[]) }),
  (it, random) =>
    it.schedule === 'none' ? {} : { schedule: oneOf(random, Object.keys(SCHEDULES) as (keyof typeof SCHEDULES)[]) },
  it => ({ hasScheduleDlq: !it.hasScheduleDlq }),
  () => ({ subDlq: 'none' }),
  () => ({ visibility: 60 }),
  () => ({ sub: 'NewSub' }),
  () => ({ policy: 'NewPolicy' }),
  () => ({ mapping: 'NewMapping' }),
  () => ({ hasSub: false }),
  it => ({ isRaw: !it.isRaw }),
  (_, random) => ({ filter: random.integer(0, FILTERS.length - 1) }),
  (_, random) => ({ key: oneOf(random, KEYS) }),
  (_, random) => ({ statements: oneOf(random, Object.keys(POLICIES) as (keyof typeof POLICIES)[]) }),
  (_, random) => ({ statements: oneOf(random, Object.keys(POLICIES) as (keyof typeof POLICIES)[]) }),
  (_, random) => ({ direct: oneOf(random, ['none', 'sns', 'events'] as const) }),
  () => ({}),
];

/** Two versions of an app, of which one or two things differ. */
export function randomDeployment(random: Random): readonly [Version, Version] {
  const queues = ['A', 'B'].slice(0, random.integer(1, 2)).map(id => newQueue(random, id));
  const next = queues.map(it => (random.fraction() < 0.7 ? { ...it, ...oneOf(random, CHANGES)(it, random) } : it));
  const kept = random.fraction() < 0.1 ? next.slice(1) : next;
  const added = random.fraction() < 0.2 ? [newQueue(random, 'Extra')] : [];
  return [{ queues }, { queues: [...kept, ...added] }];
}

const sns = { Service: 'sns.amazonaws.com' };

const queuePolicy = (id: string, statements: keyof typeof POLICIES) => ({
  Type: 'AWS::SQS::QueuePolicy',
  Properties: {
    Queues: [{ Ref: id }],
    PolicyDocument: {
      Statement: POLICIES[statements].map(it => ({
        Principal: sns,
        Action: 'sqs:SendMessage',
        Resource: arnOf(id),
        ...it,
      })),
    },
  },
});

const keyOf = (isOpen: boolean) => ({
  Type: 'AWS::KMS::Key',
  Properties: {
    KeyPolicy: {
      Statement: [
        { Effect: 'Allow', Principal: { AWS: `arn:aws:iam::${ACCOUNT}:root` }, Action: 'kms:*', Resource: '*' },
        {
          Effect: isOpen ? 'Allow' : 'Deny',
          Principal: sns,
          Action: ['kms:GenerateDataKey*', 'kms:Decrypt'],
          Resource: '*',
        },
      ],
    },
  },
});

const roleOf = (mayReceive: boolean, service: string) => {
  const { Type, Properties } = role();
  const Action = [mayReceive ? 'sqs:*' : 'sqs:GetQueueAttributes', 'logs:*', 'kms:*'];
  const Policies = [{ PolicyName: 'all', PolicyDocument: { Statement: [{ Effect: 'Allow', Action, Resource: '*' }] } }];
  const Statement = [{ Effect: 'Allow', Principal: { Service: `${service}.amazonaws.com` }, Action: 'sts:AssumeRole' }];
  return { Type, Properties: { ...Properties, AssumeRolePolicyDocument: { Statement }, Policies } };
};

export function templateOf({ queues }: Version): string {
  const Resources: Record<string, object> = { Topic: topic() };
  for (const it of queues) Object.assign(Resources, resourcesOf(it));
  return assemblyOfTemplates({ Test: { Resources } });
}

function resourcesOf(it: QueueOf): Record<string, object> {
  const { id } = it;
  const made: Record<string, object> = {};
  const retained = it.isRetained ? { UpdateReplacePolicy: 'Retain', DeletionPolicy: 'Retain' } : {};
  if (it.hasDlq) made[`${id}Dlq`] = queue(it.dlqName === undefined ? {} : { QueueName: it.dlqName }, retained);
  if (it.key !== 'none') made[`${id}Key`] = keyOf(it.key === 'open');
  made[id] = queue(
    {
      ...(it.name !== undefined && { QueueName: it.name }),
      ...(it.key !== 'none' && { KmsMasterKeyId: arnOf(`${id}Key`) }),
      ...(it.hasDlq && {
        RedrivePolicy: { deadLetterTargetArn: arnOf(`${id}Dlq`), maxReceiveCount: it.maxReceiveCount },
      }),
      VisibilityTimeout: it.visibility,
      ...LIMITS[it.limits],
    },
    retained,
  );
  made[`${id}${it.policy}`] = queuePolicy(id, it.statements);
  const more = {
    ...(it.isRaw && { RawMessageDelivery: true }),
    ...FILTERS[it.filter],
    ...(it.subDlq !== 'none' && { RedrivePolicy: { deadLetterTargetArn: arnOf(`${id}SubDlq`) } }),
  };
  if (it.subDlq !== 'none') {
    made[`${id}SubDlq`] = queue();
    made[`${id}SubDlqPolicy`] = queuePolicy(`${id}SubDlq`, it.subDlq === 'open' ? 'open' : 'denied');
  }
  if (it.hasSub) made[`${id}${it.sub}`] = subscription('Topic', id, more, `${id}${it.policy}`);
  return { ...made, ...functionsOf(it), ...scheduleOf(it) };
}

function scheduleOf({ id, schedule, hasScheduleDlq }: QueueOf): Record<string, object> {
  if (schedule === 'none') return {};
  const dlq = hasScheduleDlq && { DeadLetterConfig: { Arn: arnOf(`${id}ScheduleDlq`) } };
  const Target = { Arn: arnOf(id), RoleArn: arnOf(`${id}SchedulerRole`), Input: '{"token":"scheduled"}', ...dlq };
  return {
    [`${id}SchedulerRole`]: roleOf(true, 'scheduler'),
    ...(hasScheduleDlq && { [`${id}ScheduleDlq`]: queue() }),
    [`${id}Schedule`]: {
      Type: 'AWS::Scheduler::Schedule',
      Properties: { ...SCHEDULES[schedule], FlexibleTimeWindow: { Mode: 'OFF' }, Target },
    },
  };
}

function functionsOf(it: QueueOf): Record<string, object> {
  const { id } = it;
  const made: Record<string, object> = { [`${id}Role`]: roleOf(it.mayReceive, it.mayAssume ? 'lambda' : 'ec2') };
  const settings = {
    Role: arnOf(`${id}Role`),
    ...(it.concurrency !== undefined && { ReservedConcurrentExecutions: it.concurrency }),
  };
  if (it.hasWorker) {
    made[`${id}Worker`] = worker({ ...settings, ...(it.workerName !== undefined && { FunctionName: it.workerName }) });
    const { Type, Properties } = mapping(id, `${id}Worker`);
    made[`${id}${it.mapping}`] = { Type, Properties: { ...Properties, Enabled: it.isMappingEnabled } };
  }
  if (it.direct !== 'none') {
    made[`${id}Direct`] = worker(settings);
    made[`${id}Permission`] = {
      Type: 'AWS::Lambda::Permission',
      Properties: {
        FunctionName: { Ref: `${id}Direct` },
        Action: 'lambda:InvokeFunction',
        Principal: `${it.direct}.amazonaws.com`,
        SourceArn: { Ref: 'Topic' },
      },
    };
    made[`${id}DirectSub`] = {
      Type: 'AWS::SNS::Subscription',
      Properties: { TopicArn: { Ref: 'Topic' }, Protocol: 'lambda', Endpoint: arnOf(`${id}Direct`) },
    };
  }
  return made;
}
