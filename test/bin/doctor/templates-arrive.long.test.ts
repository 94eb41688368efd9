import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import fc from 'fast-check';
import { readStacks } from '../../../bin/doctor/assembly';
import { checkInventory } from '../../../diagnosis/checks/check-inventory';
import { keyArrivalsOf, mayUse } from '../../../diagnosis/checks/keys';
import { arrivalsOf } from '../../../diagnosis/checks/permissions';
import { readTemplates } from '../../../diagnosis/template-reader/read-templates';
import { assemblyOfTemplates } from '../../support/assembly';
import { Deployed } from '../../support/deployed';

const ACCOUNT = '123456789012';
const AT = `${ACCOUNT}/us-east-1`;
const arn = (service: string, resource: string, region = 'us-east-1', account = ACCOUNT) =>
  `arn:aws:${service}:${region}:${account}:${resource}`;
const role = (name: string) => arn('iam', `role/${name}`, '');
const queue = (name: string) => arn('sqs', name);

/** The ways of a message, by the queue or stream at their end: who sends, and what of it its policies see. */
const WAYS = ['Topic', 'Rule', 'Schedule', 'Stream'] as const;
type Way = (typeof WAYS)[number];

const SOURCES: Readonly<Record<Way, string>> = {
  Topic: arn('sns', 'orders'),
  Rule: arn('events', 'rule/orders'),
  Schedule: role('Schedule'),
  Stream: role('Stream'),
};
const STREAM = arn('firehose', 'deliverystream/orders');

type Json = Readonly<Record<string, unknown>>;

const principals = fc.constantFrom<unknown>(
  '*',
  { AWS: '*' },
  { Service: ['sns.amazonaws.com', 'events.amazonaws.com'] },
  { Service: 'lambda.amazonaws.com' },
  { AWS: [role('Schedule'), role('Stream')] },
  { AWS: arn('iam', 'root', '') },
  { AWS: arn('iam', 'root', '', '210987654321') },
);
const conditions = fc.constantFrom<Json>(
  {},
  {},
  { ArnLike: { 'aws:SourceArn': [SOURCES.Topic, SOURCES.Rule] } },
  { ArnNotLike: { 'aws:SourceArn': 'arn:aws:sns:*:*:orders' } },
  { StringEquals: { 'aws:SourceAccount': ACCOUNT } },
  { StringNotEquals: { 'aws:SourceAccount': ACCOUNT } },
  { StringNotEqualsIfExists: { 'aws:PrincipalOrgID': 'o-1' } },
  { Bool: { 'aws:SecureTransport': 'false' } },
  { Bool: { 'aws:PrincipalIsAWSService': 'true' } },
  { ArnEquals: { 'aws:PrincipalArn': role('Schedule') } },
  { ArnNotEqualsIfExists: { 'aws:PrincipalArn': role('Stream') } },
  { Null: { 'aws:SourceArn': 'true' } },
  { StringEquals: { 'kms:ViaService': 'sqs.us-east-1.amazonaws.com' } },
);

function statements(actions: readonly string[], hasPrincipals: boolean, open: Json): fc.Arbitrary<readonly Json[]> {
  const drawn = fc
    .record({
      Effect: fc.constantFrom('Allow', 'Allow', 'Deny'),
      action: fc.tuple(fc.constantFrom('Action', 'Action', 'NotAction'), fc.constantFrom(...actions, '*')),
      resource: fc.tuple(
        fc.constantFrom('Resource', 'Resource', 'NotResource'),
        fc.constantFrom('*', '*', queue('*'), queue('none'), STREAM),
      ),
      principal: fc.tuple(fc.constantFrom('Principal', 'Principal', 'NotPrincipal'), principals),
      Condition: conditions,
    })
    // AWS refuses an Allow with NotPrincipal.
    .filter(({ Effect, principal: [name] }) => !hasPrincipals || Effect === 'Deny' || name === 'Principal')
    .map(({ Effect, Condition, action, resource, principal }) => ({
      Effect,
      Condition,
      ...Object.fromEntries(hasPrincipals ? [action, resource, principal] : [action, resource]),
    }));
  const list = fc.array(drawn, { maxLength: 3 });
  return fc.oneof(
    list,
    list.map(it => [open, ...it]),
    list.map(it => [open, ...it]),
  );
}

const everyone = { Effect: 'Allow', Action: '*', Resource: '*', Principal: '*' };
const everything = { Effect: 'Allow', Action: '*', Resource: '*' };
const ofQueue = statements(['sqs:SendMessage', 'sqs:Send*', 'sqs:ReceiveMessage'], true, everyone);
const ofRole = statements(['sqs:*', 'firehose:PutRecord', 'kms:*', 'kms:Decrypt'], false, everything);
const ofKey = statements(['kms:*', 'kms:GenerateDataKey*', 'kms:Decrypt'], true, everyone);

const drawnApp = fc.record({
  queue: ofQueue,
  key: fc.option(ofKey, { freq: 1 }),
  identity: ofRole,
  boundary: fc.option(ofRole, { freq: 1 }),
});
type DrawnApp = typeof drawnApp extends fc.Arbitrary<infer App> ? App : never;

const document = (Statement: readonly Json[]) => ({ Version: '2012-10-17', Statement });

function templateOf({ queue: own, key, identity, boundary }: DrawnApp): object {
  const queues = (['Topic', 'Rule', 'Schedule'] as const).flatMap(way => [
    [way, { Type: 'AWS::SQS::Queue', Properties: { QueueName: way, ...(key && { KmsMasterKeyId: { Ref: 'Key' } }) } }],
  ]);
  const roleOf = (name: string, service: string) => ({
    Type: 'AWS::IAM::Role',
    Properties: {
      RoleName: name,
      AssumeRolePolicyDocument: document([
        { Effect: 'Allow', Principal: { Service: service }, Action: 'sts:AssumeRole' },
      ]),
      Policies: [{ PolicyName: 'Own', PolicyDocument: document(identity) }].filter(() => identity.length > 0),
      ...(boundary && boundary.length > 0 && { PermissionsBoundary: { Ref: 'Limit' } }),
    },
  });
  const subscription = (Protocol: string, Endpoint: string, more: Json = {}) => ({
    Type: 'AWS::SNS::Subscription',
    Properties: { TopicArn: { Ref: 'Orders' }, Protocol, Endpoint, ...more },
    DependsOn: ['StreamRole', 'Firehose', 'Topic'],
  });
  return {
    Resources: {
      ...Object.fromEntries(queues),
      ...(own.length > 0 && {
        Policy: {
          Type: 'AWS::SQS::QueuePolicy',
          Properties: { Queues: ['Topic', 'Rule', 'Schedule'].map(Ref => ({ Ref })), PolicyDocument: document(own) },
        },
      }),
      ...(key && { Key: { Type: 'AWS::KMS::Key', Properties: { KeyPolicy: document(key) } } }),
      ...(boundary &&
        boundary.length > 0 && {
          Limit: { Type: 'AWS::IAM::ManagedPolicy', Properties: { PolicyDocument: document(boundary) } },
        }),
      Orders: { Type: 'AWS::SNS::Topic', Properties: { TopicName: 'orders' } },
      ToQueue: subscription('sqs', queue('Topic')),
      ToStream: subscription('firehose', STREAM, { SubscriptionRoleArn: role('Stream') }),
      Firehose: {
        Type: 'AWS::KinesisFirehose::DeliveryStream',
        Properties: {
          DeliveryStreamName: 'orders',
          S3DestinationConfiguration: { BucketARN: 'arn:aws:s3:::orders', RoleARN: role('Stream') },
        },
      },
      StreamRole: roleOf('Stream', 'sns.amazonaws.com'),
      ScheduleRole: roleOf('Schedule', 'scheduler.amazonaws.com'),
      OrdersRule: {
        Type: 'AWS::Events::Rule',
        Properties: {
          Name: 'orders',
          EventPattern: { source: ['shop'] },
          Targets: [{ Id: 'Queue', Arn: queue('Rule') }],
        },
        DependsOn: ['Rule'],
      },
      Hourly: {
        Type: 'AWS::Scheduler::Schedule',
        Properties: {
          ScheduleExpression: 'rate(1 minute)',
          FlexibleTimeWindow: { Mode: 'OFF' },
          Target: { Arn: queue('Schedule'), RoleArn: role('Schedule'), RetryPolicy: { MaximumRetryAttempts: 0 } },
        },
        DependsOn: ['Schedule', 'ScheduleRole'],
      },
    },
  };
}

const CERTAIN: readonly string[] = ['queue-policy-keeps-out', 'key-policy-keeps-out', 'role-may-not-send'];

/** What the doctor says of each way. It is silent, and has no finding, also where a condition key may have any value. */
function saidOf(assembly: string): Readonly<Record<Way, 'lost' | 'unknown' | 'fine'>> {
  const inventory = readTemplates(readStacks(assembly).flatMap(({ stacks }) => stacks));
  const findings = checkInventory(inventory);
  const arriving = [...arrivalsOf(inventory), ...keyArrivalsOf(inventory)];
  const said = (way: Way) => {
    const end = way === 'Stream' ? STREAM : queue(way);
    const isLost = findings.some(
      it => CERTAIN.includes(it.id) && (it.about.includes(end) || it.resource.arn === SOURCES[way]),
    );
    if (isLost) return 'lost';
    const own = arriving.filter(it => it.sender.targetArn === end);
    return own.length > 0 && own.every(({ access }) => mayUse(access) === 'yes') ? 'fine' : 'unknown';
  };
  return { Topic: said('Topic'), Rule: said('Rule'), Schedule: said('Schedule'), Stream: said('Stream') };
}

async function arrivals(assembly: string): Promise<Readonly<Record<Way, boolean>>> {
  const on = await Deployed.assembly(assembly);
  const events = new EventBridgeClient(on.aws.clientConfig());
  await on.publish('Orders', 'an order');
  await events.send(new PutEventsCommand({ Entries: [{ Source: 'shop', DetailType: 'order', Detail: '{}' }] }));
  await on.advance({ minutes: 3 });
  const sent = on.happened('sqs.sent').map(it => JSON.stringify(it));
  const got = (way: Way) => sent.some(it => it.includes(queue(way)));
  const arrived = {
    Topic: got('Topic'),
    Rule: got('Rule'),
    Schedule: got('Schedule'),
    Stream: on.aws.recipients.receipts(STREAM).length > 0,
  };
  await on.close();
  return arrived;
}

test('of random policies with Deny, the doctor says what the embedded AWS then does, or that it is unknown', async () => {
  const counts = { lost: 0, unknown: 0, fine: 0 };
  await fc.assert(
    fc.asyncProperty(drawnApp, async app => {
      const assembly = assemblyOfTemplates({ Test: templateOf(app) }, { Test: AT });
      const all = saidOf(assembly);
      const arrived = await arrivals(assembly);
      for (const way of WAYS) {
        const said = all[way];
        counts[said] += 1;
        if (said !== 'unknown') expect([way, said]).toEqual([way, arrived[way] ? 'fine' : 'lost']);
      }
    }),
    { numRuns: 150, seed: 11 },
  );
  expect(counts.lost).toBeGreaterThan(100);
  expect(counts.fine).toBeGreaterThan(200);
  expect(counts.unknown).toBeLessThan(40);
});
