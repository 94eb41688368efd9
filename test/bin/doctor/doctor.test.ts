import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { NestedStack, Stack, Stage, Validations } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Command } from 'commander';
import type { IConstruct } from 'constructs';
import { readInventory } from '../../../account/inventory/read-inventory';
import { INVENTORY_READS, OPTIONAL_INVENTORY_READS, STACK_READS } from '../../../account/permissions';
import { readStacks } from '../../../bin/doctor/assembly';
import { doctorCommand } from '../../../bin/doctor/doctor-command';
import { doctorText } from '../../../bin/doctor/doctor-text';
import type { Examined } from '../../../bin/doctor/examine';
import { run } from '../../../bin/shared/command-line';
import { plainPaint } from '../../../bin/shared/terminal-text';
import type { Finding } from '../../../diagnosis/checks/finding';
import type { Inventory } from '../../../diagnosis/inventory/inventory';
import { readTemplates } from '../../../diagnosis/template-reader/read-templates';
import { DeadLetterOfficeChecks } from '../../../lib';
import { nameInArn } from '../../../policy/arn';
import { everySender } from '../../account/inventory/every-sender';
import { assemblyOf, assemblyOfStack, editTemplate } from '../../support/assembly';
import { Deployed } from '../../support/deployed';
import { eachFinding } from '../../support/examined';
import { connectedTo } from '../connected-to';
import { addRole, OperatedAccount } from '../operated-account';
import { MemoryIo } from '../shared/memory-io';

/** Runs `dlo doctor` with these arguments. */
async function doctor(...args: readonly string[]) {
  const io = new MemoryIo();
  const program = new Command('dlo').addCommand(doctorCommand({ io, nowMs: () => 0, wait: async () => {} }));
  const exitCode = await run(program, ['doctor', ...args], io);
  return { exitCode, out: io.out, err: io.err };
}

async function found(...args: readonly string[]) {
  const { out } = await doctor(...args, '--json');
  return eachFinding(JSON.parse(out));
}

function withTooMany(stack: Stack): void {
  const queue = new Queue(stack, 'Dead');
  new Queue(stack, 'Orders', { deadLetterQueue: { queue, maxReceiveCount: 1_001 } });
}

describe('dlo doctor, of an assembly', () => {
  const assembly = assemblyOf(app => {
    app.node.setContext('aws:cdk:enable-path-metadata', true);
    withTooMany(new Stack(app, 'Work'));
    const events = new Stack(new Stage(app, 'Prod'), 'Events');
    new Topic(events, 'Topic').addSubscription(new SqsSubscription(new Queue(events, 'Queue')));
  });

  test('tells what it looked at, and of each finding what, where, why, what mends it and where to read on', async () => {
    const { exitCode, out, err } = await doctor(assembly);
    expect([exitCode, err]).toEqual([0, '']);
    const [first] = out.split('\n');
    expect(first).toBe(
      `Checked ${assembly}, 2 stacks: 1 topic, 1 subscription, 3 queues, 0 functions, 0 targets of rules and schedules, 0 alarms.`,
    );
    expect(out.indexOf('AWS REFUSES')).toBeGreaterThan(0);
    expect(out.indexOf('LOSES MESSAGES WHEN')).toBeGreaterThan(out.indexOf('AWS REFUSES'));
    const [, rejected = ''] = out.split('AWS REFUSES\n\n');
    const [where, ...lines] = rejected.split('\n\n')[0]?.split('\n') ?? [];
    expect(where).toMatch(/^ {2}Work\/Orders {2}Orders\w+ of Work, Properties\.RedrivePolicy/);
    expect(lines.join('\n')).toMatch(
      /^ {4}.*1001(.|\n)*\n {4}Fix: .(.|\n)*\n {4}receive-count-out-of-range: https:.*doctor\.md#receive-count-out-of-range$/,
    );
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(160);
    expect(out).toMatch(/^.*\n\n\d+ findings:\n +1 {2}rejected {3}AWS refuses it.*\n +\d {2}at-risk .*\n/);
  });

  test('calls things as their author does, and stands in for names in statements alone', async () => {
    const keyed = assemblyOf(app => {
      app.node.setContext('aws:cdk:enable-path-metadata', true);
      const stack = new Stack(app, 'Test');
      const deadLetterQueue = new Queue(stack, 'Dead', { encryptionMasterKey: new Key(stack, 'Key') });
      new Topic(stack, 'Topic').addSubscription(new SqsSubscription(new Queue(stack, 'Queue'), { deadLetterQueue }));
    });
    const lines = (await doctor(keyed)).out.split('\n');
    expect(lines.filter(line => line.includes('<Test.'))).toEqual([
      expect.stringMatching(/^ {6}\{"Sid".*<Test\.Topic/),
    ]);
    expect(lines.join('\n')).toMatch(/Fix: Let SNS \(for the topic Test\/Topic\) use the key Test\/Key/);
  });

  test('tells constructs in stacks that nest from the assembly, where templates do not, and leaves out what is acknowledged there', async () => {
    const nesting = assemblyOf(app => {
      app.node.setContext('aws:cdk:enable-path-metadata', false);
      const stack = new Stack(app, 'Test');
      const outer = new NestedStack(stack, 'Outer');
      withTooMany(new NestedStack(outer, 'Inner'));
      const quiet = new NestedStack(stack, 'Quiet');
      withTooMany(quiet);
      Validations.of(quiet).acknowledge({ id: 'dead-letter-office::receive-count-out-of-range', reason: 'tried' });
    });
    const findings = await found(nesting);
    const rejected = findings.filter(({ id }) => id === 'receive-count-out-of-range');
    expect(rejected.map(it => it.resource)).toEqual(['Test/Outer/Inner/Orders']);
    expect(findings.map(it => it.resource)).toEqual(
      findings.map(() => expect.stringMatching(/^Test\/(Outer\/Inner|Quiet)\//)),
    );
  });

  test('leaves out what is acknowledged for a construct, or one above it, and counts it', async () => {
    const id = (check: string) => ({ id: `dead-letter-office::${check}`, reason: 'It is tried for a year.' });
    const acknowledging = assemblyOf(app => {
      app.node.setContext('aws:cdk:enable-path-metadata', true);
      const stack = new Stack(app, 'Work');
      withTooMany(stack);
      Validations.of(stack.node.findChild('Orders')).acknowledge(id('receive-count-out-of-range'));
      Validations.of(stack.node.findChild('Orders')).acknowledge(id('dead-letters-unwatched'));
      Validations.of(stack).acknowledge(id('dead-letters-expire-early'));
    });
    expect((await found(acknowledging)).map(it => it.id)).toEqual(['dead-letters-unwatched']);
    expect((await doctor(acknowledging)).out).toMatch(
      /\n1 finding: 2 more are acknowledged\.\n {2}1 {2}unwatched {2}messages are late/,
    );
  });

  test('leaves out what is acknowledged for an app or a stage, where the plugin has checked it', async () => {
    const acknowledge = (scope: IConstruct, check: string) =>
      Validations.of(scope).acknowledge({ id: `dead-letter-office::${check}`, reason: 'It is tried for a year.' });
    // CDK prints its report there.
    jest.spyOn(console, 'error').mockImplementation(() => {});
    const acknowledging = assemblyOf(app => {
      Validations.of(app).addPlugins(new DeadLetterOfficeChecks({ failOn: [] }));
      const stage = new Stage(app, 'Prod');
      for (const scope of [stage, app]) withTooMany(new Stack(scope, 'Work'));
      acknowledge(app, 'receive-count-out-of-range');
      acknowledge(stage, 'dead-letters-unwatched');
    });
    const left = (await found(acknowledging)).map(({ id, stack }) => [stack, id]);
    expect(left.filter(([, id]) => id !== 'dead-letters-expire-early')).toEqual([['Work', 'dead-letters-unwatched']]);
  });

  test('prints one document of the same', async () => {
    const { out } = await doctor(assembly, '--json');
    expect(out.trim().split('\n')).toHaveLength(1);
    const { examined, findings, unread } = JSON.parse(out);
    expect([examined, unread]).toEqual([`${assembly}, 2 stacks`, []]);
    expect(findings).toContainEqual({
      id: 'receive-count-out-of-range',
      severity: 'rejected',
      says: expect.stringContaining('1001'),
      fix: { says: expect.any(String), statement: null },
      section: expect.stringContaining('#receive-count-out-of-range'),
      resources: [
        {
          resource: 'Work/Orders',
          arn: expect.stringContaining('arn:aws:sqs:<region>:<account>:'),
          stack: 'Work',
          logicalId: expect.stringMatching(/^Orders/),
          template: path.join(assembly, 'Work.template.json'),
          location: expect.stringContaining('RedrivePolicy'),
          says: expect.stringContaining('1001'),
          fix: { says: expect.any(String), statement: null, calls: [], commands: [] },
          others: [],
          fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
        },
      ],
    });
  });

  test('leaves out what is less bad than asked for, and what is in another stack', async () => {
    expect(new Set((await found(assembly, '--severity', 'at-risk')).map(({ severity }) => severity))).toEqual(
      new Set(['rejected', 'at-risk']),
    );
    const ofStage = await found(assembly, '--stack', 'Prod-Events');
    expect(ofStage.length).toBeGreaterThan(0);
    expect(new Set(ofStage.map(({ stack }) => stack))).toEqual(new Set(['Prod-Events']));
  });

  test.each<[string, string[], number]>([
    ['1 for what is as bad, whatever is shown', ['--fail-on', 'at-risk', '--severity', 'rejected'], 1],
    ['0 where nothing is', ['--fail-on', 'rejected', '--stack', 'Prod-Events'], 0],
    ['0 by default', [], 0],
  ])('ends with %s', async (_, args, code) => {
    const { exitCode, err } = await doctor(assembly, ...args);
    expect(exitCode).toBe(code);
    expect(err).toMatch(code === 0 ? /^$/ : /^dlo: \d+ findings of severity at-risk or worse\n$/);
  });

  test('says when nothing was found, and what could not be read', async () => {
    const healthy = assemblyOf(app => void new Queue(new Stack(app, 'Test'), 'Queue'));
    expect((await doctor(healthy)).out).toMatch(/\n\nNo findings\.\n$/);
    editTemplate(healthy, 'Test', template => Object.assign(template, { Transform: 'AWS::Serverless-2016-10-31' }));
    const { exitCode, err } = await doctor(healthy);
    expect([exitCode, err]).toEqual([0, expect.stringMatching(/^dlo: warning: Test is not read: .*\n$/)]);
  });
});

describe('dlo doctor is told', () => {
  const empty = () => mkdtempSync(path.join(tmpdir(), 'dlo-doctor-'));
  const withFiles = (files: Readonly<Record<string, string>>) => {
    const folder = empty();
    for (const [file, text] of Object.entries(files)) writeFileSync(path.join(folder, file), text);
    return folder;
  };
  const manifestOf = (templateFile: string) =>
    JSON.stringify({ artifacts: { Test: { type: 'aws:cloudformation:stack', properties: { templateFile } } } });

  test.each<[string, () => string[], RegExp]>([
    ['of a folder that is not there', () => ['nowhere'], /^dlo: nowhere does not exist: run "cdk synth" first\n$/],
    [
      'of a folder without a manifest',
      () => [empty()],
      /is neither a cloud assembly, because it has no manifest\.json, nor a folder of CloudFormation templates/,
    ],
    ['a manifest that is no JSON', () => [withFiles({ 'manifest.json': '{' })], /manifest\.json must be the manifest/],
    [
      'a template that is not there',
      () => [withFiles({ 'manifest.json': manifestOf('a.json') })],
      /a\.json does not exist/,
    ],
    [
      'a template that is no JSON',
      () => [withFiles({ 'manifest.json': manifestOf('a.json'), 'a.json': 'Resources:' })],
      /a\.json must be a template/,
    ],
    [
      'an assembly that lies in itself',
      () => [
        withFiles({
          'manifest.json': JSON.stringify({
            artifacts: { Round: { type: 'cdk:cloud-assembly', properties: { directoryName: '.' } } },
          }),
        }),
      ],
      /manifest\.json refers to an assembly that contains it\n$/,
    ],
    ['of an assembly and an account', () => ['cdk.out', '--region', 'eu-west-1'], /either templates or an account/],
    [
      'of a stack that is not there',
      () => [assemblyOf(app => void new Stack(app, 'Test')), '--stack', 'X'],
      /named X\. Its stacks are Test/,
    ],
    [
      'a severity nobody knows',
      () => ['cdk.out', '--severity', 'bad'],
      /Allowed choices are rejected, loses, at-risk, on-change, unwatched, note/,
    ],
  ])('%s, and ends with 2', async (_, args, says) => {
    const { exitCode, out, err } = await doctor(...args());
    expect([exitCode, out]).toEqual([2, '']);
    expect(err).toMatch(says);
  });

  test('nothing, and looks at the cdk.out of the folder it is in', async () => {
    const before = process.cwd();
    const folder = empty();
    symlinkSync(
      assemblyOf(app => void new Queue(new Stack(app, 'Test'), 'Queue')),
      path.join(folder, 'cdk.out'),
    );
    process.chdir(folder);
    try {
      expect((await doctor()).out).toMatch(/^Checked cdk\.out, 1 stack: /);
    } finally {
      process.chdir(before);
    }
  });
});

const ARN = 'arn:aws:sqs:us-east-1:123456789012:orders';

const FINDING: Finding = {
  id: 'queue-keeps-nothing',
  severity: 'loses',
  resource: { arn: ARN, name: 'orders' },
  about: [ARN],
  says: 'The queue orders\u{1b}[2J has no dead-letter queue, and loses what its consumer fails on.',
  fix: { says: 'Give the queue\u{1b}[2J a dead-letter queue that keeps messages for longer than it does itself.' },
};

const EXAMINED: Examined = {
  what: 'the account 123456789012 in us-east-1',
  region: 'us-east-1',
  inventories: [],
  findings: [FINDING],
  acknowledgedCount: 0,
  unread: [],
};

test.each([60, 80])('doctor text sentences of a finding are broken at %i columns, and steer no terminal', width => {
  const text = doctorText(EXAMINED, [FINDING], { site: { options: {} }, paint: plainPaint, width });
  const sentences = text.split('\n').filter(line => /^ {4}/.test(line) && !line.includes('https:'));
  expect(sentences.length).toBeGreaterThanOrEqual(4);
  expect(Math.max(...sentences.map(line => line.length))).toBeLessThanOrEqual(width);
  expect(text).not.toMatch(/[^\P{Cc}\n]/u);
});

test.each([1, 3, 60])('doctor prints the findings about %i queues once, with a line for each queue', async count => {
  const queues = assemblyOfStack(stack => {
    stack.node.setContext('aws:cdk:enable-path-metadata', true);
    for (let index = 1; index <= count; index += 1) {
      const queue = new Queue(stack, `Dead${index}`);
      new Queue(stack, `Work${index}`, { deadLetterQueue: { queue, maxReceiveCount: 5 } });
    }
  });
  const { out } = await doctor(queues, '--severity', 'unwatched');
  const [, text = ''] = out.split('DELAYS MESSAGES OR HIDES A LOSS\n\n');
  const named = [...text.matchAll(/Test\/Dead(\d+), with Test\/Work(\d+) {2}Dead\1\w+ of Test$/gm)];
  if (count === 1)
    expect(text).toMatch(/^ {2}Test\/Dead1 {2}Dead1\w+ of Test\n {4}No alarm .* Test\/Dead1 .* Test\/Work1\.\n/);
  else {
    expect(text).toMatch(
      new RegExp(`^ {2}${count} findings\n {4}No alarm reports the dead letters in … that come from …\\.\n`),
    );
    expect(named.map(([, dead]) => dead)).toEqual(named.map(([, , work]) => work));
    expect(new Set(named.map(([, dead]) => dead)).size).toBe(count);
  }
  expect(text.split('\n').length).toBeLessThan(8 + count);
});

/** Facts that only one of the two readers can know: the place in a template, the current state, and names that AWS generates. */
const OF_ONE_READER: ReadonlySet<string> = new Set([
  ...['place', 'policyPlaces', 'unknownProperties', 'name', 'inline'],
  ...['url', 'depth', 'logGroupName', 'state', 'isPending', 'Sid', 'Id'],
]);

const TAKES = [...INVENTORY_READS, ...OPTIONAL_INVENTORY_READS, ...STACK_READS];

const KINDS = ['subscriptions', 'queues', 'functions', 'mappings', 'targets', 'alarms', 'keys', 'roles'] as const;

describe('a plain stack, and the account it is deployed in', () => {
  let deployed: Deployed;
  let url: string;
  let assembly: string;

  beforeAll(async () => {
    assembly = assemblyOfStack(stack => {
      everySender(stack);
      addRole(stack, 'Operator', TAKES);
    });
    deployed = await Deployed.assembly(assembly);
    ({ url } = await deployed.aws.listen());
  });

  const operator = () => new OperatedAccount(deployed, url, 'doctor');

  /** Replaces the placeholders of a template by the deployed values. */
  function asDeployed(text: string): string {
    const resources = deployed.aws.stacks[0]?.resources;
    return text
      .replaceAll('<region>', 'us-east-1')
      .replaceAll('<account>', '123456789012')
      .replace(/<Test\.(\w+)>/g, (_, id: string) => nameInArn(String(resources?.get(id)?.ref)));
  }

  function comparable(inventory: Inventory, kind: (typeof KINDS)[number]): ReadonlyMap<string, unknown> {
    const text = JSON.stringify(inventory[kind], (name, value) => (OF_ONE_READER.has(name) ? undefined : value));
    const all: { arn: string; policies?: unknown[] }[] = JSON.parse(asDeployed(text));
    // IAM returns the policies of a role in no documented order.
    return new Map(
      all.map(({ policies, ...it }) => [it.arn, { ...it, policies: policies?.map(one => JSON.stringify(one)).sort() }]),
    );
  }

  describe('are read alike', () => {
    let [template, account]: (Inventory | undefined)[] = [];

    beforeAll(async () => {
      template = readTemplates(readStacks(assembly)[0]?.stacks ?? []);
      account = await connectedTo(url, aws => readInventory(aws));
    });

    test.each(KINDS)('as to %s', kind => {
      if (!template || !account) throw new Error('nothing was read');
      const read = comparable(template, kind);
      // SNS does not report unconfirmed subscriptions. Only the roles of functions are read.
      const known = [...comparable(account, kind)].filter(([arn]) => arn !== 'PendingConfirmation');
      expect(known.length).toBeGreaterThan(0);
      for (const [arn, facts] of known) expect(read.get(arn)).toEqual(facts);
    });
  });

  const brief = (findings: readonly { readonly id: string; readonly arn: string }[]) =>
    findings.map(({ id, arn }) => `${id} ${asDeployed(arn)}`).sort();

  test('are told the same of, but for who has not confirmed a subscription yet', async () => {
    const io = new MemoryIo();
    const program = new Command('dlo').addCommand(doctorCommand({ io, nowMs: () => 0, wait: async () => {} }));
    await run(program, ['doctor', assembly, '--json', '--severity', 'unwatched'], io);
    const document = await operator().json('--severity unwatched');
    const unheard = [
      { id: 'ops-topic-unheard', arn: deployed.ref('Ops') },
      { id: 'confirmation-needed', arn: 'PendingConfirmation' },
    ];
    // A subscription that is deployed does not wait any more.
    const lasting = eachFinding(JSON.parse(io.out)).filter(({ id }) => id !== 'subscription-does-not-wait');
    expect(brief(eachFinding(document))).toEqual(brief([...lasting, ...unheard]));
    expect(document.region).toBe('us-east-1');
  });

  test('are fixed in the account by commands', async () => {
    const { exitCode, out, err } = await operator().dlo('--severity unwatched --fail-on rejected');
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toMatch(/^Checked the account 123456789012 in us-east-1: 2 topics, 3 subscriptions, /);
    expect(out).toMatch(
      /\n {6}aws cloudwatch put-metric-alarm --region us-east-1 --endpoint-url \S+ --cli-input-json '\{.*\}'\n/,
    );
  });

  test('are examined with the permissions of the help, and no more', async () => {
    const environment = await operator().as('Operator');
    const { exitCode, out, err } = await operator().dlo('--stack Test', environment);
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toBe((await operator().dlo('--stack Test')).out);
    const help = (await operator().dlo('--help')).out;
    expect(TAKES.filter(action => !help.includes(action))).toEqual([]);
  });

  test('are narrowed to a stack', async () => {
    const document = await operator().json('--stack Test --severity unwatched');
    expect(brief(eachFinding(document))).toContain(`losses-unwatched ${deployed.ref('Orders')}`);
    const { exitCode, err } = await operator().dlo('--stack Nobody');
    expect([exitCode, err]).toEqual([2, expect.stringContaining('no stack in us-east-1 is named Nobody')]);
  });
});
