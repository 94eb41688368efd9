import {
  CreatePolicyCommand,
  IAMClient,
  PutRolePermissionsBoundaryCommand,
  PutRolePolicyCommand,
} from '@aws-sdk/client-iam';
import { KMSClient, ScheduleKeyDeletionCommand } from '@aws-sdk/client-kms';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, SQSClient, StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { CfnRule } from 'aws-cdk-lib/aws-events';
import {
  AccountRootPrincipal,
  type CfnRole,
  CompositePrincipal,
  ManagedPolicy,
  PolicyDocument,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import { CfnDeliveryStream } from 'aws-cdk-lib/aws-kinesisfirehose';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { CfnSubscription, Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';
import { allow, dead, deny, EVENTS, type FixRow, orders, sealed, subscribe, toQueue } from './fix-row';

const ACCOUNT = '123456789012';
export const THROWS = `exports.handler = async () => { throw new Error('no'); };`;
export const SAYS = `exports.handler = async () => { console.log('done'); };`;

const useKey = (effect: 'Allow' | 'Deny', conditions = {}) =>
  PolicyStatement.fromJson({
    Effect: effect,
    Principal: effect === 'Allow' ? { Service: ['sns.amazonaws.com', 'events.amazonaws.com'] } : '*',
    Action: ['kms:Decrypt', 'kms:GenerateDataKey*'],
    Resource: '*',
    Condition: conditions,
  });
export const OF_SERVICES = { Bool: { 'aws:PrincipalIsAWSService': 'true' } };

export const done = (id: string) => {
  let before = 0;
  return (on: Deployed) => {
    const all = on.log(`/aws/lambda/${on.ref(id)}`).filter(it => it.includes('done')).length;
    const count = all - before;
    before = all;
    return count;
  };
};

/** What reached the stream. */
const received = () => {
  const before = new Map<Deployed, number>();
  return (on: Deployed) => {
    const all = on.aws.recipients.receipts(on.arn('Stream')).length;
    const count = all - (before.get(on) ?? 0);
    before.set(on, all);
    return count;
  };
};

/** A rule whose target has a dead-letter queue `Dead`, and no permission to be reached. */
function rule(stack: Stack, arn: string): void {
  const deadLetterConfig = { arn: dead(stack, EVENTS).queueArn };
  const targets = [{ id: 'target', arn, deadLetterConfig, retryPolicy: { maximumRetryAttempts: 0 } }];
  new CfnRule(stack, 'Rule', { eventPattern: { source: ['shop'] }, targets });
}

const emits = async (on: Deployed) => {
  on.aws.emit.event({ source: 'shop', detailType: 'Sold', detail: {} });
  await on.advance({ minutes: 2 });
};

function ruleToQueue(
  statements: (arn: string) => readonly PolicyStatement[],
  props: (stack: Stack) => QueueProps = () => ({}),
) {
  return (stack: Stack) => {
    const bills = new Queue(stack, 'Bills', props(stack));
    for (const it of statements(bills.queueArn)) bills.addToResourcePolicy(it);
    rule(stack, bills.queueArn);
  };
}

function ruleToTopic(statements: (arn: string) => readonly PolicyStatement[]) {
  return (stack: Stack) => {
    const topic = new Topic(stack, 'Orders');
    topic.addSubscription(new SqsSubscription(new Queue(stack, 'Bills')));
    for (const it of statements(topic.topicArn)) topic.addToResourcePolicy(it);
    rule(stack, topic.topicArn);
  };
}

export const may = (actions: string[], resources: string[], effect = 'Allow') =>
  PolicyStatement.fromJson({ Effect: effect, Action: actions, Resource: resources });

/** A role with one inline policy. */
export const roleWith = (stack: Stack, service: string, ...statements: PolicyStatement[]) =>
  new Role(stack, 'Role', {
    assumedBy: new ServicePrincipal(service),
    inlinePolicies: { Own: new PolicyDocument({ statements }) },
  });

/** A role with one inline policy and a permissions boundary `Limit`. */
const limitedRole = (
  stack: Stack,
  service: string,
  own: readonly PolicyStatement[],
  limit: readonly PolicyStatement[],
) => {
  const role = roleWith(stack, service, ...own);
  const limits = new ManagedPolicy(stack, 'Limit', { statements: [...limit] });
  (role.node.defaultChild as CfnRole).permissionsBoundary = limits.managedPolicyArn;
  return role;
};

/**
 * Does what the fix says: the boundary allows it, and denies it no longer; the role may do it too. The embedded AWS has
 * no call for a new version of a policy, so the role gets a boundary that says what the version would.
 */
const widensLimit = async (on: Deployed) => {
  const statements = [may(['sqs:SendMessage'], [on.arn('Bills')])];
  await replacesPolicy(() => statements)(on);
  const iam = new IAMClient(on.aws.clientConfig());
  const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: statements.map(it => it.toJSON()) });
  const { Policy } = await iam.send(new CreatePolicyCommand({ PolicyName: 'Wider', PolicyDocument }));
  const limit = { RoleName: on.ref('Role'), PermissionsBoundary: Policy?.Arn };
  await iam.send(new PutRolePermissionsBoundaryCommand(limit));
};

/** A schedule to the queue `Bills` with a role that may send its dead letters. */
function schedule(
  statements: (arn: string) => readonly PolicyStatement[],
  limit?: (arn: string) => readonly PolicyStatement[],
) {
  return (stack: Stack) => {
    const arn = new Queue(stack, 'Bills').queueArn;
    const undelivered = dead(stack);
    const own = [may(['sqs:SendMessage'], [undelivered.queueArn]), ...statements(arn)];
    const sends = 'scheduler.amazonaws.com';
    const role = limit ? limitedRole(stack, sends, own, limit(arn)) : roleWith(stack, sends, ...own);
    new CfnSchedule(stack, 'Schedule', {
      flexibleTimeWindow: { mode: 'OFF' },
      scheduleExpression: 'rate(1 minute)',
      target: {
        arn,
        roleArn: role.roleArn,
        deadLetterConfig: { arn: undelivered.queueArn },
        retryPolicy: { maximumRetryAttempts: 0 },
      },
    });
  };
}

/** A function that fails, with a dead-letter queue `Dead` to which its role may send. */
function fails(props: (stack: Stack) => QueueProps = () => ({})) {
  return (stack: Stack) => {
    const queue = new Queue(stack, 'Dead', { retentionPeriod: Duration.days(14), ...props(stack) });
    const role = roleWith(stack, 'lambda.amazonaws.com', may(['sqs:SendMessage'], [queue.queueArn]));
    const bill = inlineFunction(stack, 'Bill', THROWS, { role, retryAttempts: 0 });
    (bill.node.defaultChild as CfnFunction).deadLetterConfig = { targetArn: queue.queueArn };
  };
}

/** Replaces the policy of the function's role: Lambda does not take a role that may not send. */
const replacesPolicy = (statements: (arn: string) => readonly PolicyStatement[]) => (on: Deployed) =>
  new IAMClient(on.aws.clientConfig()).send(
    new PutRolePolicyCommand({
      RoleName: on.ref('Role'),
      PolicyName: 'Own',
      PolicyDocument: JSON.stringify({
        Version: '2012-10-17',
        Statement: statements(on.arn('Dead')).map(it => it.toJSON()),
      }),
    }),
  );

export const invokes = async (on: Deployed) => {
  const lambda = new LambdaClient(on.aws.clientConfig());
  await lambda.send(new InvokeCommand({ FunctionName: on.ref('Bill'), InvocationType: 'Event' }));
  await on.advance({ minutes: 2 });
};
const ticks = (on: Deployed) => on.advance({ minutes: 1 });
/** How many messages `Dead` has, without a look at them. */
export const held = async (on: Deployed) => {
  const asked = { QueueUrl: on.ref('Dead'), AttributeNames: ['ApproximateNumberOfMessages' as const] };
  const { Attributes } = await on.sqs.send(new GetQueueAttributesCommand(asked));
  return Number(Attributes?.ApproximateNumberOfMessages);
};
export const inDead = async (on: Deployed) => (await on.take('Dead')).length;
const toDead = { sends: invokes, receives: inDead } as const;

/** A key that leaves nothing to the account's own policies, except its administration. */
const strictKey = (stack: Stack) => {
  const root = new AccountRootPrincipal();
  const statements = [
    new PolicyStatement({ principals: [root], actions: ['kms:Put*', 'kms:Get*', 'kms:Describe*'], resources: ['*'] }),
  ];
  return { encryptionMasterKey: new Key(stack, 'Key', { policy: new PolicyDocument({ statements }) }) };
};
const ownKey = (stack: Stack) => ({ encryptionMasterKey: new Key(stack, 'Key') });

/** A queue `Work` with a dead-letter queue, and a role that may start a move task. */
function mover(props: (stack: Stack) => QueueProps, ...statements: ((arn: string) => PolicyStatement)[]) {
  return (stack: Stack) => {
    const queue = new Queue(stack, 'Dead', { retentionPeriod: Duration.days(14), ...props(stack) });
    const work = new Queue(stack, 'Work', {
      visibilityTimeout: Duration.seconds(1),
      deadLetterQueue: { queue, maxReceiveCount: 1 },
    });
    const own = [may(['sqs:StartMessageMoveTask'], [queue.queueArn]), may(['sqs:SendMessage'], [work.queueArn])];
    // The doctor reads the roles of functions that send dead letters.
    const role = new Role(stack, 'Role', {
      assumedBy: new CompositePrincipal(...['ec2', 'lambda'].map(it => new ServicePrincipal(`${it}.amazonaws.com`))),
      inlinePolicies: {
        Own: new PolicyDocument({ statements: [...own, ...statements.map(it => it(queue.queueArn))] }),
      },
    });
    inlineFunction(stack, 'Bill', THROWS, { role, deadLetterQueue: new Queue(stack, 'Other') });
  };
}

const moves = {
  sends: async (on: Deployed) => {
    await on.send('Work', 'an order');
    for (let receive = 0; receive < 2; receive += 1) {
      await on.receive('Work');
      await on.advance({ seconds: 2 });
    }
    const sqs = new SQSClient({ ...on.aws.clientConfig({ role: on.arn('Role') }), maxAttempts: 1 });
    const isRefused = (error: Error) => expect(error.name).toMatch(/AccessDenied/);
    await sqs.send(new StartMessageMoveTaskCommand({ SourceArn: on.arn('Dead') })).catch(isRefused);
    await on.advance({ minutes: 2 });
    await on.take('Dead');
  },
  receives: async (on: Deployed) => (await on.take('Work')).length,
} as const;

export const ACCESS_FIX_ROWS: readonly FixRow[] = [
  ...(
    [
      ['no policy', () => []],
      ['a Deny', arn => [allow(arn), deny('sqs:Send*', arn)]],
      ['a Deny and no Allow', arn => [deny('sqs:SendMessage', arn)]],
      [
        'a Deny of its account',
        arn => [allow(arn), deny('sqs:Send*', arn, { StringEquals: { 'aws:SourceAccount': ACCOUNT } })],
      ],
      [
        'a Deny of other topics',
        arn => [
          allow(arn),
          deny('sqs:Send*', arn, { ArnNotEquals: { 'aws:SourceArn': `arn:aws:sns:us-east-1:${ACCOUNT}:x` } }),
        ],
      ],
      [
        'a Deny of who is of no organization',
        arn => [allow(arn), deny('sqs:Send*', arn, { StringNotEquals: { 'aws:PrincipalOrgID': 'o-1' } })],
      ],
    ] satisfies [string, Parameters<typeof toQueue>[0]][]
  ).map(
    ([what, statements]): FixRow => ({
      what: `queue of a topic: ${what}`,
      check: 'queue-policy-keeps-out',
      cause: 'queue-denies-sns',
      fill: toQueue(statements),
    }),
  ),
  {
    what: 'queue of a topic: a Deny of all but a role, which is unknown for a service',
    check: 'deny-may-keep-out',
    cause: 'queue-denies-sns',
    fill: toQueue(arn => [
      allow(arn),
      deny('sqs:Send*', arn, { ArnNotEquals: { 'aws:PrincipalArn': `arn:aws:iam::${ACCOUNT}:role/ops` } }),
    ]),
  },
  {
    what: 'dead-letter queue of a topic: a Deny',
    check: 'queue-policy-keeps-out',
    fill: stack => {
      const undelivered = dead(stack);
      undelivered.addToResourcePolicy(deny('sqs:Send*', undelivered.queueArn));
      subscribe(orders(stack), '+15555550100', 'sms', undelivered);
    },
    breaks: async ({ aws }) =>
      aws.recipients.behave('+15555550100', {
        outcome: { kind: 'answered', statusCode: 400, errorCode: 'Phone carrier has blocked this message' },
      }),
    receives: inDead,
  },
  { what: 'key of a queue: no statement', check: 'key-policy-keeps-out', cause: 'key-denies-sns', fill: sealed() },
  {
    what: 'key of a queue: a Deny',
    check: 'key-policy-keeps-out',
    cause: 'key-denies-sns',
    fill: sealed(useKey('Allow'), useKey('Deny', OF_SERVICES)),
  },
  {
    what: 'key of a queue: AWS manages it',
    check: 'key-of-aws-keeps-out',
    cause: 'key-denies-sns',
    fill: toQueue(
      arn => [allow(arn)],
      () => ({ encryption: QueueEncryption.KMS_MANAGED }),
    ),
  },
  {
    what: 'key of a queue: disabled',
    check: 'key-disabled',
    cause: 'key-disabled',
    fill: toQueue(
      arn => [allow(arn)],
      stack => {
        const encryptionMasterKey = new Key(stack, 'Key', { enabled: false });
        encryptionMasterKey.addToResourcePolicy(useKey('Allow'));
        return { encryptionMasterKey };
      },
    ),
  },
  {
    what: 'key of a queue: its deletion is scheduled',
    check: 'key-disabled',
    cause: 'key-not-ready',
    fill: sealed(useKey('Allow')),
    breaks: on => new KMSClient(on.aws.clientConfig()).send(new ScheduleKeyDeletionCommand({ KeyId: on.ref('Key') })),
  },
  {
    what: 'function of a topic: no permission',
    check: 'function-policy-keeps-out',
    cause: 'function-denies-sns',
    fill: stack => subscribe(orders(stack), inlineFunction(stack, 'Bill', SAYS).functionArn, 'lambda', dead(stack)),
    receives: done('Bill'),
  },
  {
    what: 'queue of a rule: no policy',
    check: 'queue-policy-keeps-out',
    cause: 'target-denies',
    fill: ruleToQueue(() => []),
    sends: emits,
  },
  {
    what: 'queue of a rule: a Deny',
    check: 'queue-policy-keeps-out',
    cause: 'target-denies',
    fill: ruleToQueue(arn => [allow(arn, EVENTS), deny('sqs:Send*', arn)]),
    sends: emits,
  },
  {
    what: 'key of the queue of a rule: a Deny',
    check: 'key-policy-keeps-out',
    cause: 'target-denies',
    fill: ruleToQueue(
      arn => [allow(arn, EVENTS)],
      stack => {
        const { encryptionMasterKey } = ownKey(stack);
        for (const it of [useKey('Allow'), useKey('Deny', OF_SERVICES)]) encryptionMasterKey.addToResourcePolicy(it);
        return { encryptionMasterKey };
      },
    ),
    sends: emits,
  },
  {
    what: 'topic of a rule: the default policy',
    check: 'topic-policy-keeps-out',
    fill: ruleToTopic(() => []),
    sends: emits,
  },
  {
    what: 'topic of a rule: a Deny',
    check: 'topic-policy-keeps-out',
    fill: ruleToTopic(arn => [
      new PolicyStatement({ principals: [EVENTS], actions: ['sns:Publish'], resources: [arn] }),
      deny('sns:Publish', arn),
    ]),
    sends: emits,
  },
  {
    what: 'function of a rule: no permission',
    check: 'function-policy-keeps-out',
    cause: 'target-denies',
    fill: stack => rule(stack, inlineFunction(stack, 'Bill', SAYS).functionArn),
    sends: emits,
    receives: done('Bill'),
  },
  ...(
    [
      ['no permission', () => []],
      ['a Deny', arn => [may(['sqs:SendMessage'], [arn]), may(['sqs:*'], [arn], 'Deny')]],
    ] satisfies [string, Parameters<typeof schedule>[0]][]
  ).map(
    ([what, statements]): FixRow => ({
      what: `role of a schedule: ${what}`,
      check: 'role-may-not-send',
      cause: 'target-denies',
      fill: schedule(statements),
      sends: ticks,
    }),
  ),
  ...(
    [
      ['a boundary without it', arn => [may(['sqs:*'], [`${arn}-dead`, '*Dead*'])], /^Let the permissions boundary /],
      [
        'a boundary without it, and no permission either',
        arn => [may(['sqs:*'], [`${arn}-dead`, '*Dead*'])],
        /^Let the permissions boundary .* Allow the role /,
      ],
      [
        'a boundary with a Deny',
        arn => [may(['*'], ['*']), may(['sqs:Send*'], [arn], 'Deny')],
        /^Change statement 2 of the permissions boundary /,
      ],
    ] satisfies [string, (arn: string) => readonly PolicyStatement[], RegExp][]
  ).map(
    ([what, limit, says]): FixRow => ({
      what: `role of a schedule: ${what}`,
      check: 'role-may-not-send',
      cause: 'target-denies',
      fill: schedule(arn => (what.endsWith('either') ? [] : [may(['sqs:SendMessage'], [arn])]), limit),
      sends: ticks,
      byHand: { says, change: widensLimit },
    }),
  ),
  {
    what: 'role of a schedule: a Deny of every queue, also of its dead-letter queue',
    check: 'role-may-not-send',
    fill: schedule(arn => [may(['sqs:SendMessage'], ['*'], 'Deny'), may(['sqs:SendMessage'], [arn])]),
    sends: ticks,
  },
  ...(
    [
      ['no permission', arn => [may(['sqs:ReceiveMessage'], [arn])]],
      ['a Deny of every queue', arn => [may(['sqs:SendMessage'], [arn]), may(['sqs:*'], ['*'], 'Deny')]],
      ['a Deny of which nothing else is left', arn => [may(['sqs:SendMessage'], [arn]), may(['sqs:*'], [arn], 'Deny')]],
    ] satisfies [string, Parameters<typeof replacesPolicy>[0]][]
  ).map(
    ([what, statements]): FixRow => ({
      what: `role of a function: ${what}`,
      check: 'role-may-not-send',
      fill: fails(),
      breaks: replacesPolicy(statements),
      ...toDead,
    }),
  ),
  {
    what: 'role of a function: a Deny of the queue',
    check: 'role-may-not-send',
    fill: stack => {
      fails()(stack);
      const queue = stack.node.findChild('Dead') as Queue;
      queue.addToResourcePolicy(
        deny('sqs:SendMessage', queue.queueArn, { StringEquals: { 'aws:PrincipalAccount': ACCOUNT } }),
      );
    },
    ...toDead,
  },
  {
    what: 'role of a function: its key',
    check: 'key-policy-keeps-out',
    fill: fails(ownKey),
    ...toDead,
  },
  {
    what: 'role of a function: a key that leaves nothing to the account',
    check: 'key-policy-keeps-out',
    fill: fails(strictKey),
    sends: invokes,
    receives: held,
  },
  ...(
    [
      ['no permission', () => []],
      ['a Deny', () => [may(['firehose:*'], ['*']), may(['firehose:Put*'], ['*'], 'Deny')]],
    ] satisfies [string, () => readonly PolicyStatement[]][]
  ).map(
    ([what, statements]): FixRow => ({
      what: `role of a subscription to Firehose: ${what}`,
      check: 'role-may-not-send',
      cause: 'stream-denies-sns',
      fill: stack => {
        const topic = orders(stack);
        const writer = roleWith(stack, 'sns.amazonaws.com', may(['s3:PutObject'], ['*']), ...statements());
        const s3 = { bucketArn: 'arn:aws:s3:::records', roleArn: writer.roleArn };
        const stream = new CfnDeliveryStream(stack, 'Stream', { extendedS3DestinationConfiguration: s3 });
        new CfnSubscription(stack, 'Subscription', {
          topicArn: topic.topicArn,
          endpoint: stream.attrArn,
          protocol: 'firehose',
          subscriptionRoleArn: writer.roleArn,
          redrivePolicy: { deadLetterTargetArn: dead(stack).queueArn },
        });
      },
      receives: received(),
    }),
  ),
  { what: 'role of a redrive: no permission', check: 'redrive-role-lacks', fill: mover(() => ({})), ...moves },
  {
    what: 'role of a redrive: no permission, a Deny, and a key',
    check: 'redrive-role-lacks',
    fill: mover(ownKey, arn => may(['sqs:ReceiveMessage'], [arn, `${arn}-2`], 'Deny')),
    ...moves,
  },
];
