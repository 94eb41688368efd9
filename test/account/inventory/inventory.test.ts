import { DeleteFunctionEventInvokeConfigCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { readInventory } from '../../../account/inventory/read-inventory';
import { checkInventory } from '../../../diagnosis/checks/check-inventory';
import { findingsAbout } from '../../../diagnosis/checks/finding';
import { deadLetterQueues } from '../../../diagnosis/inventory/feeders';
import type { Inventory } from '../../../diagnosis/inventory/inventory';
import { keyOf } from '../../../diagnosis/inventory/look-ups';
import type { Fault } from '../../../local';
import { connectedTo } from '../../bin/connected-to';
import { Deployed } from '../../support/deployed';
import { everySender } from './every-sender';

const sqsArn = (name: string) => `arn:aws:sqs:us-east-1:123456789012:${name}`;
const SHOP_BUS = 'arn:aws:events:us-east-1:123456789012:event-bus/shop';

describe('The inventory of an account', () => {
  let deployed: Deployed;
  let url: string;
  let whole: Inventory;

  beforeAll(async () => {
    deployed = await Deployed.stack(everySender);
    ({ url } = await deployed.aws.listen());
    whole = await read();
  });

  const read = (progress?: { at(done: number): void }) =>
    connectedTo(url, aws => readInventory(aws, progress ? { progress } : {}));

  /** What is read while some calls fail. */
  async function readWith(...faults: readonly Fault[]): Promise<Inventory> {
    const set = faults.map(fault => deployed.aws.faults.set(fault));
    try {
      return await read();
    } finally {
      for (const it of set) it.end();
    }
  }

  const denied = (service: Fault['service'], action: string, resource?: string): Fault => ({
    service,
    action,
    code: 'AccessDeniedException',
    httpStatus: 400,
    ...(resource !== undefined && { resource }),
  });

  const named = <T extends { readonly name: string }>(all: readonly T[], name: string): T | undefined =>
    all.find(it => it.name === name);

  test('says where it is of, and that what it does not list is not there', () => {
    const { partition, account, region, isComplete, unseen } = whole;
    expect({ partition, account, region, isComplete, unseen }).toEqual({
      partition: 'aws',
      account: '123456789012',
      region: 'us-east-1',
      isComplete: true,
      unseen: [],
    });
  });

  test.each(['list', 'checks'] as const)('tells as much for %s as is asked of it, with fewer calls', async purpose => {
    const part = await connectedTo(url, aws => readInventory(aws, { purpose }));
    const about = deadLetterQueues(whole).map(({ arn }) => arn);
    const findings = (inventory: Inventory) => {
      const all = checkInventory(inventory);
      return purpose === 'checks' ? all : about.map(arn => findingsAbout(arn, all));
    };
    expect(findings(part)).toEqual(findings(whole));
    expect(deadLetterQueues(part).map(({ arn, feeders }) => [arn, feeders.length])).toEqual(
      deadLetterQueues(whole).map(({ arn, feeders }) => [arn, feeders.length]),
    );
  });

  test('tells who sends dead letters where, whatever can', () => {
    const reported = deadLetterQueues(whole).map(({ arn, queue, feeders }) => [
      arn,
      queue?.retentionSeconds,
      ...feeders.map(({ kind, resource }) => `${kind} ${resource.name}`),
    ]);
    expect(reported).toEqual([
      [sqsArn('fanout-dlq'), 1_209_600, 'subscription orders to work'],
      [sqsArn('monthly-dlq'), 1_209_600, 'schedule monthly'],
      [sqsArn('nightly-dlq'), 1_209_600, 'rule nightly/Target0', 'rule sold/Target0'],
      [sqsArn('printer-dlq'), 1_209_600, 'function printer'],
      [sqsArn('printer-failures'), 1_209_600, 'destination printer'],
      [sqsArn('printing-dlq'), 1_209_600, 'subscription orders to printer'],
      [sqsArn('worked-dlq'), 1_209_600, 'queue work'],
    ]);
  });

  test('tells where event buses send what they could not deliver', async () => {
    const reported = (inventory: Inventory) => inventory.queueUsers?.map(it => [it.name, it.deadLetterTargetArn]);
    expect(reported(whole)).toEqual([
      ['default', undefined],
      ['shop', sqsArn('shop-dlq')],
    ]);
    const partial = await readWith(denied('events', 'DescribeEventBus', SHOP_BUS));
    expect(reported(partial)).toEqual([
      ['default', undefined],
      ['shop', { unknownBecause: 'cannot be read without the permission events:DescribeEventBus' }],
    ]);
    expect(partial.unseen).toEqual([
      expect.stringContaining('cannot be read without the permission events:DescribeEventBus'),
    ]);
  });

  test('tells of topics how they are encrypted, what they let in, and what they log', () => {
    expect(named(whole.topics, 'orders')).toMatchObject({
      keyId: expect.stringContaining('alias/shop'),
      policy: { Statement: [{ Condition: { StringEquals: { 'AWS:SourceOwner': '123456789012' } } }] },
      deliveryPolicy: undefined,
      logging: [{ protocol: 'SQS', failureRoleArn: expect.stringContaining(':role/') }],
    });
    expect(named(whole.topics, 'ops')).toMatchObject({ keyId: undefined, logging: [] });
  });

  test('tells of subscriptions what they filter, and of one that waits for its confirmation what is known', () => {
    expect(named(whole.subscriptions, 'orders to work')).toMatchObject({
      protocol: 'sqs',
      endpoint: sqsArn('work'),
      isRaw: true,
      filterPolicy: { kind: ['order'] },
      filterPolicyScope: 'MessageBody',
      otherSettings: [],
      isPending: false,
    });
    expect(named(whole.subscriptions, 'ops to ops@example.com')).toMatchObject({
      protocol: 'email',
      isPending: true,
      deadLetterTargetArn: { unknownBecause: 'is not reported before the confirmation' },
    });
  });

  test('tells of queues their policies, times and keys, and of keys their policies', () => {
    const work = named(whole.queues, 'work');
    expect(work).toMatchObject({
      arn: sqsArn('work'),
      url: expect.stringContaining('/123456789012/work'),
      isFifo: false,
      retentionSeconds: 345_600,
      visibilityTimeoutSeconds: 360,
      redrivePolicy: { deadLetterTargetArn: sqsArn('worked-dlq'), maxReceiveCount: 3 },
      redriveAllowPolicy: undefined,
      policy: { Statement: [{ Principal: { Service: 'sns.amazonaws.com' } }] },
    });
    expect(keyOf(String(work?.keyId), whole, work)).toMatchObject({
      name: 'alias/shop',
      aliases: ['alias/shop'],
      isManagedByAws: false,
      isEnabled: true,
      policy: {
        Statement: expect.arrayContaining([expect.objectContaining({ Principal: { Service: 'sns.amazonaws.com' } })]),
      },
    });
    expect(whole.keys).toHaveLength(1);
  });

  test('tells of functions and their mappings what they do with what fails', () => {
    expect(named(whole.functions, 'printer')).toMatchObject({
      timeoutSeconds: 20,
      reservedConcurrency: 5,
      eventInvokes: [{ qualifier: '$LATEST', maximumRetryAttempts: 1, maximumEventAgeSeconds: 21_600 }],
      policy: { Statement: [{ Principal: { Service: 'sns.amazonaws.com' } }] },
    });
    expect(whole.mappings).toMatchObject([
      {
        name: 'printer from work',
        sourceArn: sqsArn('work'),
        isEnabled: true,
        batchSize: 5,
        batchingWindowSeconds: 0,
        maximumConcurrency: 3,
        onFailureArn: undefined,
      },
    ]);
  });

  test('tells of the roles by which dead letters are sent what their own policies and those attached say', () => {
    const [roleOfFunction, roleOfSchedule] = whole.roles;
    expect(roleOfFunction?.policies).toEqual([
      {
        Version: '2012-10-17',
        Statement: expect.arrayContaining([expect.objectContaining({ Resource: sqsArn('printer-dlq') })]),
      },
      {
        Version: '2012-10-17',
        Statement: [expect.objectContaining({ Action: expect.arrayContaining(['logs:PutLogEvents']) })],
      },
    ]);
    expect(JSON.stringify(roleOfSchedule)).toContain(sqsArn('monthly-dlq'));
    expect(whole.roles).toHaveLength(2);
  });

  test('tells of alarms, those on math and on other alarms as well', () => {
    expect(named(whole.alarms, 'worked')).toMatchObject({
      metrics: [
        {
          namespace: 'AWS/SQS',
          name: 'ApproximateNumberOfMessagesVisible',
          dimensions: { QueueName: 'worked-dlq' },
          statistic: 'Maximum',
          periodSeconds: 60,
        },
      ],
      comparison: 'GreaterThanOrEqualToThreshold',
      threshold: 1,
      evaluationPeriods: 3,
      datapointsToAlarm: 2,
      treatMissingData: 'notBreaching',
      alarmActions: ['arn:aws:sns:us-east-1:123456789012:ops'],
    });
    expect(named(whole.alarms, 'sum')?.metrics).toHaveLength(2);
    expect(named(whole.alarms, 'any')).toMatchObject({ metrics: [], rule: expect.stringContaining('worked') });
  });

  test('leaves out what is deleted while it is read', async () => {
    const reported = await readWith(
      {
        service: 'sqs',
        action: 'GetQueueAttributes',
        resource: sqsArn('nights'),
        code: 'AWS.SimpleQueueService.NonExistentQueue',
        httpStatus: 400,
      },
      { service: 'scheduler', action: 'GetSchedule', code: 'ResourceNotFoundException', httpStatus: 404 },
    );
    expect(named(reported.queues, 'nights')).toBeUndefined();
    expect(reported.queues).toHaveLength(whole.queues.length - 1);
    expect(reported.targets.map(({ name }) => name)).toEqual(['nightly/Target0', 'sold/Target0']);
    expect(reported.unseen).toEqual([]);
  });

  test('says of a queue that it may not be read, and by what permission it could', async () => {
    const reported = await readWith(denied('sqs', 'GetQueueAttributes', sqsArn('work')));
    expect(named(reported.queues, 'work')).toMatchObject({
      name: 'work',
      redrivePolicy: { unknownBecause: 'cannot be read without the permission sqs:GetQueueAttributes' },
    });
    expect(reported.unseen).toEqual([
      'the attributes of 1 queue cannot be read without the permission sqs:GetQueueAttributes: work',
    ]);
  });

  test('does not know the permissions boundary of a role that may not be read', async () => {
    const { roles, unseen } = await readWith(denied('iam', 'GetRole'));
    const unknown = { unknownBecause: expect.stringContaining('iam:GetRole') };
    expect(roles.map(it => it.boundary)).toEqual([
      { arn: unknown, document: unknown },
      { arn: unknown, document: unknown },
    ]);
    expect(unseen).toEqual([expect.stringMatching(/^the permissions boundaries of 2 roles cannot be read/)]);
  });

  test('goes without keys and roles where they may not be read, and says so', async () => {
    const reported = await readWith(denied('kms', 'GetKeyPolicy'), denied('iam', 'ListAttachedRolePolicies'));
    expect(reported.keys).toMatchObject([
      { isEnabled: true, state: 'Enabled', policy: { unknownBecause: expect.stringContaining('kms:GetKeyPolicy') } },
    ]);
    expect(reported.roles).toMatchObject([
      { policies: { unknownBecause: expect.stringContaining('iam:ListAttachedRolePolicies') } },
      { policies: { unknownBecause: expect.stringContaining('iam:ListAttachedRolePolicies') } },
    ]);
    expect([...(reported.unseen ?? [])].sort().reverse()).toEqual([
      expect.stringMatching(/^the policy of 1 key cannot be read without the permission kms:GetKeyPolicy: \S+$/),
      expect.stringMatching(
        /^the names of the attached policies of 2 roles cannot be read without the permission iam:ListAttachedRolePolicies: /,
      ),
    ]);
  });

  test.each([
    ['sns', 'ListTopics', 'topics', ['topics']],
    ['sqs', 'GetQueueAttributes', 'queues', ['feeders']],
    ['events', 'ListTargetsByRule', 'targets', ['targets', 'feeders']],
  ] as const)('says what it may lack where %s answers no %s at all', async (service, action, part, incomplete) => {
    const partial = await readWith(denied(service, action));
    expect(partial.incomplete).toEqual(incomplete);
    expect(partial.unseen).toEqual([expect.stringContaining(`${service}:${action}`)]);
    expect(partial[part].length).toBeLessThanOrEqual(whole[part].length);
    expect(partial.subscriptions).toEqual(whole.subscriptions);
  });

  test('tells how far it is', async () => {
    const reported: number[] = [];
    await read({ at: done => reported.push(done) });
    const { topics, subscriptions, queues } = whole;
    expect(reported.at(-1)).toBeGreaterThanOrEqual(topics.length + subscriptions.length + queues.length);
    expect(reported).toEqual(reported.map((_, index) => index + 1));
  });

  test('takes AWS at its defaults where nobody stated how a function is retried', async () => {
    const lambda = new LambdaClient(deployed.aws.clientConfig());
    await lambda.send(new DeleteFunctionEventInvokeConfigCommand({ FunctionName: 'printer' }));
    expect(named((await read()).functions, 'printer')).toMatchObject({ eventInvokes: [] });
  });
});
