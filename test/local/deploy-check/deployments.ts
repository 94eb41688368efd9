import type { DeployCheck } from '../../../local';
import { assemblyOfTemplates } from '../../support/assembly';
import {
  arnOf,
  FAN_OUT,
  mapping,
  policy,
  queue,
  type Resources,
  role,
  subscription,
  topic,
  worker,
} from './app-templates';

/** A deployment whose effect on messages is known. */
interface Deployment {
  readonly name: string;
  readonly before: () => string;
  readonly after: () => string;
  readonly fails?: true;
  /** One line for each cause. @default none */
  readonly effects?: readonly string[];
  /** What the templates alone show. @default none */
  readonly risks?: readonly string[];
}

/** What a check found, one line for each cause and each risk. */
export function summary({ failure, receivers, risks }: DeployCheck) {
  return {
    fails: failure !== undefined,
    effects: receivers.flatMap(({ receiver, changes }) =>
      changes.flatMap(({ kind, causes }) =>
        causes.map(({ messages, operation: by }) => `${receiver}: ${messages} ${kind} by ${by?.verb} ${by?.resource}`),
      ),
    ),
    risks: risks.map(({ severity, resource }) => `${severity} ${resource}`),
  };
}

const one = (Resources: Resources) => () => assemblyOfTemplates({ Test: { Resources } });

const without = (all: Resources, ...ids: readonly string[]): Resources =>
  Object.fromEntries(Object.entries(all).filter(([id]) => !ids.includes(id)));

const shared = {
  First: {
    Resources: { Topic: topic(), Queue: queue(), Policy: policy('Queue') },
    Outputs: {
      TopicArn: { Value: { Ref: 'Topic' }, Export: { Name: 'topic' } },
      QueueArn: { Value: arnOf('Queue'), Export: { Name: 'queue' } },
    },
  },
};
const imported = {
  Type: 'AWS::SNS::Subscription',
  Properties: {
    TopicArn: { 'Fn::ImportValue': 'topic' },
    Protocol: 'sqs',
    Endpoint: { 'Fn::ImportValue': 'queue' },
  },
};
const other = { Type: 'AWS::SQS::Queue', Properties: {} };

const anyone = (queueId: string) => ({
  Type: 'AWS::SQS::QueuePolicy',
  Properties: {
    Queues: [{ Ref: queueId }],
    PolicyDocument: {
      Statement: [{ Effect: 'Allow', Principal: '*', Action: 'sqs:SendMessage', Resource: arnOf(queueId) }],
    },
  },
});
const rule = (queueId: string) => ({
  Type: 'AWS::Events::Rule',
  Properties: {
    EventPattern: { source: ['shop'], detail: { total: [{ numeric: ['>', 100] }] } },
    Targets: [{ Id: 'queue', Arn: arnOf(queueId) }],
  },
});
const schedule = {
  Type: 'AWS::Scheduler::Schedule',
  Properties: {
    ScheduleExpression: 'rate(1 day)',
    FlexibleTimeWindow: { Mode: 'OFF' },
    Target: { Arn: arnOf('Queue'), RoleArn: arnOf('SchedulerRole') },
  },
};
const schedulerRole = {
  Type: 'AWS::IAM::Role',
  Properties: {
    AssumeRolePolicyDocument: {
      Statement: [{ Effect: 'Allow', Principal: { Service: 'scheduler.amazonaws.com' }, Action: 'sts:AssumeRole' }],
    },
  },
};
const rolePolicy = (PolicyName: string) => ({
  Type: 'AWS::IAM::Policy',
  Properties: {
    PolicyName,
    Roles: [{ Ref: 'SchedulerRole' }],
    PolicyDocument: { Statement: [{ Effect: 'Allow', Action: 'sqs:SendMessage', Resource: arnOf('Queue') }] },
  },
});
const bucket = (Event = 's3:ObjectCreated:*', DependsOn = 'Policy') => ({
  Type: 'AWS::S3::Bucket',
  DependsOn: [DependsOn],
  Properties: {
    BucketName: 'uploads',
    NotificationConfiguration: { QueueConfigurations: [{ Event, Queue: arnOf('Queue') }] },
  },
});
const stream = { Type: 'AWS::Kinesis::Stream', Properties: { ShardCount: 1 } };
const streamMapping = (more: object = {}) => ({
  Type: 'AWS::Lambda::EventSourceMapping',
  Properties: { EventSourceArn: arnOf('Stream'), FunctionName: { Ref: 'Worker' }, StartingPosition: 'LATEST', ...more },
});
const streaming = {
  Stream: stream,
  Role: {
    ...role(),
    Properties: {
      ...role().Properties,
      Policies: [
        { PolicyName: 'all', PolicyDocument: { Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] } },
      ],
    },
  },
  Worker: worker(),
  Mapping: streamMapping(),
};
const table = {
  Type: 'AWS::DynamoDB::Table',
  Properties: {
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
    StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
  },
};
const HERE = '123456789012/us-east-1';
const THERE = '210987654321/eu-west-1';
const places = (queueName: object) => () =>
  assemblyOfTemplates(
    {
      Far: {
        Resources: {
          Queue: queue({ QueueName: 'far' }),
          Policy: anyone('Queue'),
          Dlq: queue(queueName),
          Work: queue({ RedrivePolicy: { deadLetterTargetArn: arnOf('Dlq'), maxReceiveCount: 2 } }),
          Role: role(),
          Worker: worker(),
          Mapping: mapping('Work', 'Worker'),
        },
      },
      Near: {
        Resources: {
          Topic: topic(),
          Sub: {
            Type: 'AWS::SNS::Subscription',
            Properties: {
              TopicArn: { Ref: 'Topic' },
              Protocol: 'sqs',
              Endpoint: 'arn:aws:sqs:eu-west-1:210987654321:far',
              Region: 'us-east-1',
            },
          },
        },
      },
    },
    { Far: THERE, Near: HERE },
  );

const stage =
  (...stacks: readonly (readonly [string, Resources, object?])[]) =>
  () =>
    assemblyOfTemplates(
      Object.fromEntries(
        stacks.map(([name, Resources, Outputs]) => [name, { Resources, ...(Outputs && { Outputs }) }]),
      ),
    );

const exported = Object.fromEntries(
  ['Queue', 'Stream', 'Worker'].map(id => [id, { Value: arnOf(id), Export: { Name: id.toLowerCase() } }]),
);
const { Stream: _stream, ...ofQueue } = exported;
const { Queue: _queue, ...ofStream } = exported;
const importedMapping = (source: string, more: object = {}, DependsOn: readonly string[] = []) => ({
  Type: 'AWS::Lambda::EventSourceMapping',
  Properties: { EventSourceArn: { 'Fn::ImportValue': source }, FunctionName: { 'Fn::ImportValue': 'worker' }, ...more },
  DependsOn,
});
const streamArn = { 'Fn::GetAtt': ['Table', 'StreamArn'] };
const ofTable = { ...without(streaming, 'Stream', 'Mapping'), Table: table };
const tableMapping = {
  ...streamMapping(),
  Properties: { ...streamMapping().Properties, EventSourceArn: streamArn },
};
const tableOutputs = { ...ofStream, Stream: { Value: streamArn, Export: { Name: 'stream' } } };
/** Queues that are created one after the other. */
const chain = Object.fromEntries(
  Array.from({ length: 8 }, (_, i) => [`Q${i}`, queue({}, i === 0 ? {} : { DependsOn: `Q${i - 1}` })]),
);
const permission = {
  Type: 'AWS::Lambda::Permission',
  Properties: { FunctionName: { Ref: 'Worker' }, Action: 'lambda:InvokeFunction', Principal: 'sns.amazonaws.com' },
};
const direct = {
  Topic: topic(),
  Role: role(),
  Worker: worker(),
  Permission: permission,
  Sub: {
    Type: 'AWS::SNS::Subscription',
    Properties: { TopicArn: { Ref: 'Topic' }, Protocol: 'lambda', Endpoint: arnOf('Worker') },
  },
};
const open = { Topic: topic(), Queue: queue(), Policy: policy('Queue'), Sub: subscription('Topic', 'Queue') };
const { Policy: _policy, ...closed } = open;

const RETRY_DLQ = { RedrivePolicy: { deadLetterTargetArn: arnOf('SubDlq') } };
const KEEPING = {
  ...FAN_OUT,
  SubDlq: queue(),
  SubDlqPolicy: policy('SubDlq'),
  Sub: subscription('Topic', 'Queue', RETRY_DLQ, 'Policy'),
};
const scheduled = (more: object = {}) => ({
  Queue: queue(),
  SchedulerRole: schedulerRole,
  RolePolicy: rolePolicy('send'),
  Schedule: { ...schedule, DependsOn: ['RolePolicy'], Properties: { ...schedule.Properties, ...more } },
});

export const DEPLOYMENTS: readonly Deployment[] = [
  {
    name: 'takes the dead-letter queue of a subscription',
    before: one(KEEPING),
    after: one({ ...KEEPING, Sub: FAN_OUT.Sub }),
    effects: ['Test/Queue: 1 loses-its-dead-letter-queue by UPDATE Test/Sub'],
  },
  {
    name: 'closes the dead-letter queue of a subscription to SNS',
    before: one(KEEPING),
    after: one({ ...KEEPING, SubDlqPolicy: policy('SubDlq', ['events']) }),
    effects: ['Test/Queue: 1 loses-its-dead-letter-queue by UPDATE Test/SubDlqPolicy'],
    risks: ['tried Test/SubDlqPolicy'],
  },
  {
    name: 'makes a schedule run every ten days',
    before: one(scheduled()),
    after: one(scheduled({ ScheduleExpression: 'rate(10 days)' })),
    effects: ['Test/Queue: 18 runs-less-often by UPDATE Test/Schedule'],
  },
  {
    name: 'makes a schedule run once, in the past',
    before: one(scheduled()),
    after: one(scheduled({ ScheduleExpression: 'at(2020-01-01T00:00:00)' })),
    effects: ['Test/Queue: 20 runs-less-often by UPDATE Test/Schedule'],
  },
  {
    name: 'takes the permission to read a stream',
    before: one(streaming),
    after: one({ ...streaming, Role: role() }),
    effects: ['Test/Worker: 26 stops-arriving by UPDATE Test/Role'],
    risks: ['tried Test/Role'],
  },
  {
    name: 'lowers the size and the retention of a queue, and the retries of a stream',
    before: one({ ...FAN_OUT, ...streaming }),
    after: one({
      ...FAN_OUT,
      ...streaming,
      Dlq: queue({ MaximumMessageSize: 1_024, MessageRetentionPeriod: 86_400 }),
      Mapping: streamMapping({ MaximumRetryAttempts: 1 }),
    }),
    risks: ['unknown Test/Dlq', 'unknown Test/Mapping'],
  },
  {
    name: 'moves a subscription to another stack',
    before: () =>
      assemblyOfTemplates({
        First: { ...shared.First, Resources: { ...shared.First.Resources, Sub: subscription('Topic', 'Queue') } },
        Second: { Resources: { Other: other } },
      }),
    after: () => assemblyOfTemplates({ ...shared, Second: { Resources: { Other: other, Sub: imported } } }),
    effects: ['First/Queue: 1 lost by DELETE First/Sub'],
    risks: ['note First/Sub'],
  },
  {
    name: 'replaces the queue',
    before: one(FAN_OUT),
    after: one({ ...FAN_OUT, Queue: queue({ ...FAN_OUT.Queue.Properties, QueueName: 'other' }) }),
    effects: ['Test/Dlq: 1 lost by DELETE Test/Queue', 'Test/Worker: 1 lost by UPDATE Test/Policy'],
    risks: ['loses Test/Queue', 'loses Test/Policy', 'note Test/Sub'],
  },
  {
    name: 'deletes a queue with messages',
    before: one({ ...FAN_OUT, Inbox: queue() }),
    after: one(FAN_OUT),
    effects: [
      'Test/Inbox: 2 lost by DELETE Test/Inbox',
      'Test/Inbox: 1 stops-arriving by DELETE Test/Inbox',
      'Test/Inbox: 25 stops-arriving by DELETE Test/Inbox',
    ],
    risks: ['loses Test/Inbox'],
  },
  {
    name: 'replaces a dead-letter queue',
    before: one(FAN_OUT),
    after: one({ ...FAN_OUT, Dlq: queue({ QueueName: 'other' }) }),
    effects: ['Test/Dlq: 2 lost by DELETE Test/Dlq'],
    risks: ['loses Test/Dlq'],
  },
  {
    name: 'filters what waits in the queue',
    before: one({ ...FAN_OUT, Queue: queue({ ...FAN_OUT.Queue.Properties, DelaySeconds: 60 }) }),
    after: one({
      ...FAN_OUT,
      Queue: queue({ ...FAN_OUT.Queue.Properties, DelaySeconds: 60 }),
      Mapping: {
        ...mapping('Queue', 'Worker'),
        Properties: {
          ...mapping('Queue', 'Worker').Properties,
          FilterCriteria: { Filters: [{ Pattern: JSON.stringify({ body: { kind: ['order'] } }) }] },
        },
      },
    }),
    effects: ['Test/Worker: 9 lost by UPDATE Test/Mapping', 'Test/Worker: 26 stops-arriving by UPDATE Test/Mapping'],
    risks: ['tried Test/Mapping'],
  },
  {
    name: 'renames the policy',
    before: one(FAN_OUT),
    after: one({
      ...without(FAN_OUT, 'Policy'),
      Sub: subscription('Topic', 'Queue', {}, 'NewPolicy'),
      NewPolicy: FAN_OUT.Policy,
    }),
    effects: ['Test/Worker: 26 lost by DELETE Test/Policy'],
    risks: ['loses Test/Policy'],
  },
  {
    name: 'renames a rule',
    before: one({ Queue: queue(), Policy: anyone('Queue'), Rule: rule('Queue') }),
    after: one({ Queue: queue(), Policy: anyone('Queue'), NewRule: rule('Queue') }),
    effects: ['Test/Queue: 1 duplicated by CREATE Test/NewRule'],
  },
  {
    name: 'renames the policy of a rule target',
    before: one({ Queue: queue(), Policy: anyone('Queue'), Rule: rule('Queue') }),
    after: one({ Queue: queue(), NewPolicy: anyone('Queue'), Rule: rule('Queue') }),
    effects: ['Test/Queue: 26 lost by DELETE Test/Policy'],
    risks: ['loses Test/Policy'],
  },
  {
    name: 'takes the role policy of a schedule',
    before: one({
      Queue: queue(),
      SchedulerRole: schedulerRole,
      May: rolePolicy('may'),
      Schedule: { ...schedule, DependsOn: 'May' },
    }),
    after: one({
      Queue: queue(),
      SchedulerRole: schedulerRole,
      NewMay: rolePolicy('may'),
      Schedule: { ...schedule, DependsOn: 'NewMay' },
    }),
    effects: ['Test/Queue: 26 lost by DELETE Test/May'],
    risks: ['loses Test/May'],
  },
  {
    name: 'renames the policy of a bucket target',
    before: one({ Queue: queue(), Policy: anyone('Queue'), Uploads: bucket() }),
    after: one({ Queue: queue(), NewPolicy: anyone('Queue'), Uploads: bucket(undefined, 'NewPolicy') }),
    effects: ['Test/Queue: 26 lost by DELETE Test/Policy'],
    risks: ['loses Test/Policy'],
  },
  {
    name: 'replaces the mapping of a stream',
    before: one(streaming),
    after: one({ ...streaming, Mapping: streamMapping({ StartingPosition: 'TRIM_HORIZON' }) }),
    fails: true,
    risks: ['tried Test/Mapping'],
  },
  {
    name: 'renames the mapping of a stream',
    before: one(streaming),
    after: one({ ...without(streaming, 'Mapping'), NewMapping: streamMapping() }),
    fails: true,
    risks: ['tried Test/Mapping'],
  },
  {
    name: 'replaces a dead-letter queue of another account and Region',
    before: places({}),
    after: places({ QueueName: 'other' }),
    effects: ['Far/Dlq: 2 lost by DELETE Far/Dlq'],
    risks: ['loses Far/Dlq'],
  },
  {
    name: 'renames a subscription',
    before: one(FAN_OUT),
    after: one({ ...without(FAN_OUT, 'Sub'), NewSub: FAN_OUT.Sub }),
    effects: ['Test/Worker: 26 lost by DELETE Test/Sub'],
    risks: ['loses Test/Sub'],
  },
  {
    name: 'renames and changes a subscription',
    before: one(FAN_OUT),
    after: one({ ...without(FAN_OUT, 'Sub'), NewSub: subscription('Topic', 'Queue', { RawMessageDelivery: true }) }),
    fails: true,
    risks: ['fails Test/Sub'],
  },
  {
    name: 'recreates a mapping',
    before: one(FAN_OUT),
    after: one({ ...without(FAN_OUT, 'Mapping'), NewMapping: mapping('Queue', 'Worker') }),
    fails: true,
    risks: ['fails Test/Mapping'],
  },
  {
    name: 'retains the replaced dead-letter queue',
    before: one(FAN_OUT),
    after: one({ ...FAN_OUT, Dlq: queue({ QueueName: 'other' }, { UpdateReplacePolicy: 'Retain' }) }),
    effects: ['Test/Dlq: 2 left-behind by UPDATE Test/Dlq'],
    risks: ['note Test/Dlq'],
  },
  {
    name: 'replaces a queue whose new policy has another id',
    before: one(open),
    after: one({ ...closed, Queue: queue({ QueueName: 'other' }), QueuePolicy: policy('Queue') }),
    effects: ['Test/Queue: 1 duplicated by UPDATE Test/Sub'],
    risks: ['loses Test/Queue', 'note Test/Sub'],
  },
  {
    name: 'replaces the function',
    before: one(FAN_OUT),
    after: one({ ...FAN_OUT, Worker: worker({ FunctionName: 'other' }) }),
  },
  {
    name: 'gives the queue a function, which fails for a message that waits',
    before: one(without(FAN_OUT, 'Worker', 'Mapping')),
    after: one(FAN_OUT),
  },
  {
    name: 'is refused by the service, also as a new stack',
    before: one(FAN_OUT),
    after: one({ ...FAN_OUT, Queue: queue({ ...FAN_OUT.Queue.Properties, VisibilityTimeout: 99_999 }) }),
    fails: true,
  },
  {
    name: 'moves a mapping to a stack that takes long',
    before: stage(['First', FAN_OUT, ofQueue], ['Second', { Q0: queue() }]),
    after: stage(
      ['First', without(FAN_OUT, 'Mapping'), ofQueue],
      ['Second', { ...chain, Mapping: importedMapping('queue', { BatchSize: 1 }, ['Q7']) }],
    ),
    effects: ['First/Worker: 5 late by DELETE First/Mapping'],
  },
  {
    name: 'moves the mapping of a stream to another stack',
    before: stage(['First', streaming, ofStream], ['Second', { Q0: queue() }]),
    after: stage(
      ['First', without(streaming, 'Mapping'), ofStream],
      ['Second', { Q0: queue(), Mapping: importedMapping('stream', { StartingPosition: 'LATEST' }) }],
    ),
    effects: ['First/Worker: 1 lost by DELETE First/Mapping', 'First/Worker: 2 lost by CREATE Second/Mapping'],
    risks: ['tried First/Mapping'],
  },
  {
    name: 'moves the mapping of a table to another stack',
    before: stage(['First', { ...ofTable, Mapping: tableMapping }, tableOutputs], ['Second', { Q0: queue() }]),
    after: stage(
      ['First', ofTable, tableOutputs],
      ['Second', { Q0: queue(), Mapping: importedMapping('stream', { StartingPosition: 'LATEST' }) }],
    ),
    effects: ['First/Worker: 1 lost by DELETE First/Mapping', 'First/Worker: 2 lost by CREATE Second/Mapping'],
    risks: ['tried First/Mapping'],
  },
  {
    name: 'removes a subscriber with its permission',
    before: one(direct),
    after: one(without(direct, 'Permission', 'Sub')),
    effects: ['Test/Worker: 25 stops-arriving by DELETE Test/Sub'],
    risks: ['note Test/Sub'],
  },
  {
    name: 'disables a mapping',
    before: one(FAN_OUT),
    after: one({ ...FAN_OUT, Mapping: mapping('Queue', 'Worker', { Enabled: false }) }),
    effects: [
      'Test/Dlq: 1 left-behind by UPDATE Test/Mapping',
      'Test/Worker: 25 stops-arriving by UPDATE Test/Mapping',
    ],
  },
  {
    name: 'takes a topic with its subscription',
    before: one(FAN_OUT),
    after: one(without(FAN_OUT, 'Topic', 'Sub')),
    effects: ['Test/Worker: 1 stops-arriving by DELETE Test/Sub', 'Test/Worker: 26 stops-arriving by DELETE Test/Sub'],
    risks: ['note Test/Sub'],
  },
];
