import type { AlarmType } from '@aws-sdk/client-cloudwatch';
import { administrator, roleCaller } from '../../../local/kernel/caller';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import { Simulation } from '../../../local/world/world';
import { createResource } from '../create-resource';
import { DEAD_LETTERS, MINUTE_MS, OPS_TOPIC, START_MS } from './fixture';

const OWNER = administrator(EXAMPLE_PLACE.account);

const publishing = (Service: string) => ({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: { Service }, Action: 'sns:Publish', Resource: OPS_TOPIC }],
});

const keyPolicy = (Service: string) => ({
  Version: '2012-10-17',
  Statement: [
    { Effect: 'Allow', Principal: { AWS: 'arn:aws:iam::123456789012:root' }, Action: 'kms:*', Resource: '*' },
    {
      Effect: 'Allow',
      Principal: { Service },
      Action: ['kms:Decrypt', 'kms:GenerateDataKey*'],
      Resource: '*',
    },
  ],
});

/** A dead letter arrives, the alarm fires; what the trace says of telling the ops topic. */
async function fire({ topicPolicy = publishing('cloudwatch.amazonaws.com'), keyFor = '' } = {}) {
  const world = new Simulation({ place: EXAMPLE_PLACE, random: new Random('alarm'), startAtMs: START_MS });
  const ref = (type: string, properties: Readonly<Record<string, unknown>>): string => {
    const { created, problems } = createResource(world.resourceTypes(), `AWS::${type}`, properties);
    expect(problems).toEqual([]);
    return created.ref;
  };
  const key = keyFor === '' ? undefined : ref('KMS::Key', { KeyPolicy: keyPolicy(keyFor) });
  ref('SNS::Topic', { TopicName: 'Ops', ...(key === undefined ? {} : { KmsMasterKeyId: key }) });
  ref('SNS::TopicPolicy', { Topics: [OPS_TOPIC], PolicyDocument: topicPolicy });
  const QueueUrl = ref('SQS::Queue', { QueueName: 'Rental-Billing-DLQ' });
  ref('CloudWatch::Alarm', { ...DEAD_LETTERS });
  world.sqs.call('SendMessage', OWNER, { QueueUrl, MessageBody: 'dead' });
  await world.timeline.advanceTo(START_MS + MINUTE_MS);
  return world.trace.events.filter(({ type }) => /^cloudwatch\.action|^sns\.published$/.test(type));
}

test('the ops topic learns of a dead letter when the minute ends', async () => {
  expect(await fire()).toEqual([
    expect.objectContaining({ type: 'sns.published', topicArn: OPS_TOPIC, atMs: START_MS + MINUTE_MS }),
    expect.objectContaining({ type: 'cloudwatch.action-executed', actionArn: OPS_TOPIC }),
  ]);
});

test('and its key lets CloudWatch encrypt, if it is encrypted', async () => {
  const happenings = await fire({ keyFor: 'cloudwatch.amazonaws.com' });
  expect(happenings.map(({ type }) => type)).toEqual(['sns.published', 'cloudwatch.action-executed']);
});

test.each([
  ['the topic policy names somebody else', { topicPolicy: publishing('events.amazonaws.com') }],
  ["the key's policy names somebody else", { keyFor: 'events.amazonaws.com' }],
])('nobody learns of it when %s: the alarm fires into the void', async (_, refusal) => {
  expect(await fire(refusal)).toEqual([
    expect.objectContaining({ type: 'cloudwatch.action-failed', actionArn: OPS_TOPIC, alarmName: 'Dead-Letters' }),
  ]);
});

/** A world, and a role in it that may do what `statement` allows. */
function withRole(statement: object) {
  const world = new Simulation({ place: EXAMPLE_PLACE, random: new Random('role'), startAtMs: START_MS });
  const PolicyDocument = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', ...statement }] };
  const trust = {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
  };
  const { created, problems } = createResource(world.resourceTypes(), 'AWS::IAM::Role', {
    RoleName: 'worker',
    AssumeRolePolicyDocument: trust,
    Policies: [{ PolicyName: 'metrics', PolicyDocument }],
  });
  expect(problems).toEqual([]);
  return { world, worker: roleCaller(created.attributes['Arn'] ?? '') };
}

test('a role may be let into some namespaces only, and into no others', () => {
  const { world, worker } = withRole({
    Action: 'cloudwatch:PutMetricData',
    Resource: '*',
    Condition: { StringEquals: { 'cloudwatch:namespace': 'Rental' } },
  });
  const put = (Namespace: string) =>
    world.cloudWatch.call('PutMetricData', worker, { Namespace, MetricData: [{ MetricName: 'Orders', Value: 1 }] });
  put('Rental');
  expect(() => put('Elsewhere')).toThrow(expect.objectContaining({ code: 'AccessDenied', httpStatus: 403 }));
});

describe('Of composite alarms, by a permission on', () => {
  const AlarmTypes: AlarmType[] = ['MetricAlarm', 'CompositeAlarm'];

  test.each([
    ['* a role is told', '*', ['Above', 'Dead-Letters'], ['Above'], ['Dead-Letters']],
    [
      'all alarms of the Region a role is told nothing (API_DescribeAlarms, API_DescribeAlarmHistory)',
      'arn:aws:cloudwatch:us-east-1:123456789012:alarm:*',
      ['Dead-Letters'],
      [],
      'ResourceNotFound',
    ],
  ])('%s', (_, Resource, all, parents, children) => {
    const { world, worker } = withRole({
      Action: ['cloudwatch:DescribeAlarms', 'cloudwatch:DescribeAlarmHistory'],
      Resource,
    });
    world.cloudWatch.call('PutMetricAlarm', OWNER, DEAD_LETTERS);
    world.cloudWatch.call('PutCompositeAlarm', OWNER, { AlarmName: 'Above', AlarmRule: 'ALARM("Dead-Letters")' });
    const described = (input: object) => {
      const { MetricAlarms = [], CompositeAlarms = [] } = world.cloudWatch.call('DescribeAlarms', worker, input);
      return [...CompositeAlarms, ...MetricAlarms].map(({ AlarmName }) => AlarmName);
    };
    const history = (input: object) => {
      const { AlarmHistoryItems = [] } = world.cloudWatch.call('DescribeAlarmHistory', worker, {
        AlarmTypes,
        ...input,
      });
      return [...new Set(AlarmHistoryItems.map(({ AlarmName }) => AlarmName))].sort();
    };
    expect([described({ AlarmTypes }), described({ AlarmTypes, AlarmNames: ['Above'] })]).toEqual([all, parents]);
    expect(described({ ParentsOfAlarmName: 'Dead-Letters' })).toEqual(parents);
    expect([history({}), history({ AlarmName: 'Above' })]).toEqual([all, parents]);
    const below = () => described({ ChildrenOfAlarmName: 'Above' });
    if (typeof children === 'string') expect(below).toThrow(expect.objectContaining({ code: children }));
    else expect(below()).toEqual(children);
  });
});
