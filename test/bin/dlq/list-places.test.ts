import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CreateRoleCommand, IAMClient, PutRolePolicyCommand } from '@aws-sdk/client-iam';
import { CreateQueueCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { RegionInfo } from 'aws-cdk-lib/region-info';
import { Command } from 'commander';
import { AWS_REGIONS, placesOf, regionsBeside, unreadPlaces } from '../../../account/connection/places';
import { LIST_READS } from '../../../account/permissions';
import { dlqCommand } from '../../../bin/dlq/dlq-command';
import { run } from '../../../bin/shared/command-line';
import { type AccountAndRegion, LocalAws } from '../../../local';
import { cells } from '../command-output';
import { MemoryIo } from '../shared/memory-io';

const SHOP = '123456789012';
const DEPOT = '222222222222';
const ROLE = `arn:aws:iam::${DEPOT}:role/Operator`;

/** A queue with a dead-letter queue that holds this many messages. */
async function addDeadLetters(aws: LocalAws, where: AccountAndRegion, name: string, messages: number): Promise<void> {
  const sqs = new SQSClient(aws.clientConfig(where));
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: `${name}-dlq` }));
  const { account, region } = where;
  const deadLetterTargetArn = `arn:aws:sqs:${region}:${account}:${name}-dlq`;
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 3 });
  await sqs.send(new CreateQueueCommand({ QueueName: name, Attributes: { RedrivePolicy } }));
  const Entries = Array.from({ length: messages }, (_, at) => ({ Id: `${at}`, MessageBody: `${at}` }));
  if (messages > 0) await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
}

async function addRole(aws: LocalAws): Promise<void> {
  const iam = new IAMClient(aws.clientConfig({ account: DEPOT, region: 'us-east-1' }));
  const policy = (Statement: object) => JSON.stringify({ Version: '2012-10-17', Statement: [Statement] });
  const trust = { Effect: 'Allow', Principal: { AWS: `arn:aws:iam::${SHOP}:root` }, Action: 'sts:AssumeRole' };
  await iam.send(new CreateRoleCommand({ RoleName: 'Operator', AssumeRolePolicyDocument: policy(trust) }));
  const Action = [...LIST_READS, 'sqs:ListMessageMoveTasks', 'cloudwatch:GetMetricData'];
  const PolicyDocument = policy({ Effect: 'Allow', Action, Resource: '*' });
  await iam.send(new PutRolePolicyCommand({ RoleName: 'Operator', PolicyName: 'read', PolicyDocument }));
}

describe('dlo dlq ls of several accounts and Regions', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'dlo-profiles-'));
  const config = path.join(folder, 'config');
  let aws: LocalAws;
  let url: string;

  beforeAll(async () => {
    const places = [SHOP, DEPOT].flatMap(account => ['us-east-1', 'eu-west-1'].map(region => ({ account, region })));
    aws = LocalAws.start({ place: { account: SHOP, region: 'us-east-1' }, places });
    await addDeadLetters(aws, { account: SHOP, region: 'us-east-1' }, 'orders', 2);
    await addDeadLetters(aws, { account: SHOP, region: 'eu-west-1' }, 'bills', 0);
    await addDeadLetters(aws, { account: DEPOT, region: 'eu-west-1' }, 'parcels', 5);
    await addRole(aws);
    ({ url } = await aws.listen());
    const keys = (account: string) => `aws_access_key_id = ${account}\naws_secret_access_key = secret\n`;
    writeFileSync(config, `[profile shop]\n${keys(SHOP)}[profile depot]\n${keys(DEPOT)}`);
  });

  afterAll(async () => {
    await aws.close();
    rmSync(folder, { recursive: true });
  });

  async function ls(args: string) {
    const before = { ...process.env };
    const io = new MemoryIo();
    Object.assign(process.env, { AWS_CONFIG_FILE: config, AWS_ENDPOINT_URL: url, AWS_MAX_ATTEMPTS: '1' });
    const program = new Command('dlo').addCommand(dlqCommand({ io, nowMs: () => aws.nowMs, wait: async () => {} }));
    try {
      const exitCode = await run(program, ['dlq', 'ls', ...args.split(' ')], io);
      return { exitCode, out: io.out, err: io.err };
    } finally {
      process.env = before;
    }
  }

  const rows = (out: string) =>
    cells(out.split('\n\n')[0] ?? '').map(line => line.map(cell => cell.trim()).slice(0, 4));

  test('is one table by urgency, whose commands are for the place of their queue', async () => {
    const { exitCode, out, err } = await ls('--profiles shop,depot --regions us-east-1,eu-west-1');
    expect([exitCode, err]).toEqual([0, '']);
    expect(rows(out)).toEqual([
      ['QUEUE', 'ACCOUNT', 'REGION', 'MESSAGES'],
      ['parcels-dlq', DEPOT, 'eu-west-1', '5'],
      ['orders-dlq', SHOP, 'us-east-1', '2'],
      ['? CloudWatch has no data: dlo dlq peek shows when a message was sent and expires.'],
      ['Not listed: 1 empty queue (--all lists them).'],
    ]);
    expect(out.trimEnd().split('\n').at(-1)).toBe('  dlo dlq why parcels-dlq --profile depot --region eu-west-1');
    expect(out).toContain('\n  dlo doctor --profile shop --region us-east-1\n');
  });

  test('assumes a role in another account, also of printed commands', async () => {
    const { exitCode, out, err } = await ls(`--profile shop --roles ${ROLE} --regions eu-west-1`);
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toMatch(/^parcels-dlq {2,}5 /m);
    expect(out).toContain(`Next\n  dlo dlq why parcels-dlq --profile shop --region eu-west-1 --role-arn ${ROLE}\n`);
  });

  test('says what it cannot read, shows the others, and ends with 1', async () => {
    const other = ROLE.replace('Operator', 'Nobody');
    const said = await ls(`--profile shop --roles ${ROLE},${other} --regions eu-west-1,us-east-1 --json`);
    expect(said.exitCode).toBe(1);
    expect(said.err).toMatch(
      /^dlo: warning: shop \S+Nobody in eu-west-1, us-east-1 cannot be read: [^:]+:[^:]+: the role \S+Nobody cannot be assumed: .*\ndlo: not all accounts and Regions could be read\n$/,
    );
    const { region, places, unreadPlaces: unread, queues } = JSON.parse(said.out);
    expect([region, places.length, unread.length, queues.length]).toEqual([null, 2, 1, 1]);
    expect(places[0]).toEqual({ account: DEPOT, region: 'eu-west-1', profile: 'shop', roleArn: ROLE, unread: [] });
  });

  test('groups Regions that cannot be read', async () => {
    const { exitCode, out, err } = await ls('--profiles shop --regions us-east-1,af-south-1,ap-east-1');
    expect(exitCode).toBe(1);
    expect(out).toMatch(/^orders-dlq +123456789012 +us-east-1 +2 /m);
    expect(err.split('\n').filter(line => line.includes('af-south-1, ap-east-1'))).toHaveLength(1);
  });

  test.each([
    ['--profiles a, ', /names with commas/],
    ['--regions Berlin', /must be a Region/],
    ['--roles Operator', /ARN of a role/],
    ['--profiles a --profile b', /cannot be used with option '--profile <name>'/],
    ['--regions all --region us-east-1', /cannot be used with option '--region <region>'/],
  ])('takes %s for bad input', async (args, text) => {
    expect(await ls(args.trimEnd())).toMatchObject({ exitCode: 2, out: '', err: expect.stringMatching(text) });
  });

  test('fails when nothing can be read', async () => {
    const { exitCode, err } = await ls('--profiles one,other --regions us-east-1');
    expect(exitCode).toBe(1);
    expect(err).toMatch(
      /one in us-east-1 cannot be read: no profile is named one .*\ndlo: no account or Region could be read\n$/s,
    );
  });
});

test('a Region whose credentials AWS refuses is not enabled, if the account can be read elsewhere', () => {
  const refused = Object.assign(new Error('rejected'), { name: 'UnrecognizedClientException' });
  const place = (profile: string, region: string, error?: Error) => ({
    options: { profile, region },
    ...(error && { error }),
  });
  expect(
    unreadPlaces([
      place('shop', 'us-east-1'),
      place('shop', 'af-south-1', refused),
      place('shop', 'ap-east-1', refused),
      place('depot', 'us-east-1', refused),
      place('shop', 'eu-west-1', new Error('cannot reach eu-west-1')),
      place('shop', 'eu-west-2', new Error('cannot reach eu-west-2')),
    ]).map(({ identity, regions, isNotEnabled }) => [identity, regions, isNotEnabled]),
  ).toEqual([
    ['shop', ['af-south-1', 'ap-east-1'], true],
    ['depot', ['us-east-1'], false],
    ['shop', ['eu-west-1', 'eu-west-2'], false],
  ]);
});

test('every identity is read in all Regions of its partition', async () => {
  const places = await placesOf({ profile: 'shop', region: 'us-gov-east-1', roles: [ROLE, 'other'], regions: 'all' });
  expect(places.map(({ profile, roleArn, region }) => [profile, roleArn, region])).toEqual([
    ['shop', ROLE, 'us-gov-east-1'],
    ['shop', ROLE, 'us-gov-west-1'],
    ['shop', 'other', 'us-gov-east-1'],
    ['shop', 'other', 'us-gov-west-1'],
  ]);
});

test('the list of Regions has all that CDK knows', () => {
  const partitions = new Map<string, string[]>();
  for (const { name, partition = '' } of RegionInfo.regions) {
    partitions.set(partition, [...(partitions.get(partition) ?? []), name]);
  }
  for (const [partition, regions] of partitions) expect(AWS_REGIONS[partition]?.toSorted()).toEqual(regions.toSorted());
  expect(regionsBeside('cn-north-1')).toEqual(['cn-north-1', 'cn-northwest-1']);
  expect(regionsBeside('local')).toContain('us-east-1');
});
