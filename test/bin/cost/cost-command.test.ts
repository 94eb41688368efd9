import { type App, Stack } from 'aws-cdk-lib';
import { Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { Stream } from 'aws-cdk-lib/aws-kinesis';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Command } from 'commander';
import { costCommand } from '../../../bin/cost/cost-command';
import { dollarText } from '../../../bin/cost/cost-text';
import { run } from '../../../bin/shared/command-line';
import { assemblyOf } from '../../support/assembly';
import { MemoryIo } from '../shared/memory-io';

const assembly = assemblyOf((app: App) => {
  const work = new Stack(app, 'Work');
  new Key(work, 'Key');
  new Topic(new Stack(app, 'Other'), 'Topic');
});

/** Runs `dlo cost` with these arguments. */
async function cost(...args: readonly string[]) {
  const io = new MemoryIo();
  const exitCode = await run(new Command('dlo').addCommand(costCommand(io)), ['cost', ...args], io);
  return { exitCode, out: io.out, err: io.err };
}

describe('dlo cost', () => {
  test('prints a row for each construct, the entries, and what the figures depend on', async () => {
    const { exitCode, out, err } = await cost(assembly);
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toMatch(/^Work\/Key +1 +0 +1\.00 +0\.00 +0\.00$/m);
    expect(out).toMatch(/^Other\/Topic +1 +0 +0\.00 +0\.50 +0\.00$/m);
    expect(out).toMatch(/^all +2 +0 +1\.00 +0\.50 +0\.00$/m);
    expect(out).toContain('0.50  topic Other/Topic');
    for (const heading of ['Assumed:', 'Never counted:', 'not subtracted:']) expect(out).toContain(heading);
    expect(out).not.toMatch(/Not known|priced|least/i);
  });

  test('says first what it has no price for, if that is billed by the hour, and no total that looks whole', async () => {
    const network = assemblyOf(app => {
      const stack = new Stack(app, 'Network');
      new Vpc(stack, 'Vpc', { maxAzs: 2 });
      new Stream(stack, 'Stream');
      new Bucket(stack, 'Bucket');
      new Dashboard(stack, 'Dashboard');
    });
    const { out } = await cost(network);
    const [, first, second] = out.split('\n');
    expect(`${first} ${second?.trim()}`).toBe(
      'NOT PRICED, although AWS bills it for each hour that it exists: 2 public IPv4 addresses, 2 NAT gateways, 1 Kinesis stream.',
    );
    expect(out).toMatch(/^all that is priced +\d+ +0 +3\.00 +0\.00 +0\.00$/m);
    expect(out.replace(/\n +/g, ' ')).toContain(
      '\nAt least 3.00 US dollars a month idle, and 0.00 for a million messages, without 2 public IPv4 addresses, 2 NAT gateways, 1 Kinesis stream, 1 S3 bucket.\n',
    );
    const document = JSON.parse((await cost(network, '--json')).out);
    expect(document).toMatchObject({ isWhole: false, aMonthIdle: 3, unknown: [] });
    expect(document.unpriced).toContainEqual({
      type: 'AWS::EC2::NatGateway',
      name: 'NAT gateway',
      count: 2,
      billed: 'by the hour',
    });
  });

  test('prints what each construct is billed for', async () => {
    const { out } = await cost(assembly, '--lines');
    expect(out).toContain('idle       1.00  KMS, keys a month: 1');
    expect(out).toContain('million    0.50  SNS, publishes: 1,000,000');
  });

  test('prints one stack', async () => {
    const { out } = await cost(assembly, '--stack', 'Work', '--depth', '0');
    expect(out).toMatch(/^Work: list prices/);
    expect(out).toMatch(/^all +1 /m);
    expect(out).toContain('No place was found where messages enter the app.');
  });

  test('says in an empty assembly that nothing was found', async () => {
    expect((await cost(assemblyOf(() => {}))).out).toMatch(/^all +0 +0 +0\.00 +0\.00 +0\.00$/m);
  });

  test('prints JSON with the prices and their pages', async () => {
    const { out } = await cost(assembly, '--json', '--message-kb', '65', '--batch', '10', '--duration', '0.1');
    expect(JSON.parse(out)).toMatchObject({
      currency: 'USD',
      priceRegion: 'us-east-1',
      assumptions: { messageKilobytes: 65, batchSize: 10, invocationSeconds: 0.1 },
      resources: 2,
      aMonthIdle: 1,
      aMillionMessages: 1,
      unknown: [],
      prices: expect.arrayContaining([
        expect.objectContaining({ name: 'key', dollars: 1, per: 1, url: 'https://aws.amazon.com/kms/pricing/' }),
      ]),
    });
  });

  test.each<[string, readonly string[], RegExp]>([
    ['a folder that does not exist', ['/nowhere'], /\/nowhere does not exist: run "cdk synth" first/],
    ['a folder without an assembly', [__dirname], /is not a cloud assembly/],
    [
      'a stack that does not exist',
      [assembly, '--stack', 'Orders'],
      /no stack .* is named Orders. Its stacks are Work, Other/,
    ],
    ['a depth that is no whole number', [assembly, '--depth', '1.5'], /--depth.*whole number from 0 to 20/],
    ['a depth below 0', [assembly, '--depth', '-1'], /whole number from 0 to 20/],
    ['a message that is too large', [assembly, '--message-kb', '2000'], /number from 0.001 to 1024/],
    ['a batch of none', [assembly, '--batch', '0'], /whole number from 1 to 10/],
    ['an empty duration', [assembly, '--duration', ''], /number from 0 to 900/],
    ['two folders', [assembly, assembly], /too many arguments/],
    ['an unknown option', [assembly, '--region', 'us-east-1'], /unknown option/],
  ])('refuses %s', async (_, args, message) => {
    const { exitCode, out, err } = await cost(...args);
    expect([exitCode, out]).toEqual([2, '']);
    expect(err).toMatch(message);
  });

  test('has help with examples and exit codes', async () => {
    const { exitCode, out } = await cost('--help');
    expect(exitCode).toBe(0);
    expect(out).toContain('dlo cost cdk.out --stack Orders --depth 2 --lines');
    expect(out).toContain('Exit codes: 0 success, also where a part of the answer is unknown; 1 failure; 2 bad input.');
  });
});

test.each([
  [0, '0.00'],
  [0.004, '<0.01'],
  [0.005, '0.01'],
  [1_234.5, '1,234.50'],
])('%d dollars are written %s', (dollars, text) => {
  expect(dollarText(dollars)).toBe(text);
});
