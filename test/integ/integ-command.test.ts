import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import path from 'node:path';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { run } from '../../bin/shared/command-line';
import type { LocalAws } from '../../local';
import { MemoryIo } from '../bin/shared/memory-io';
import { newApp } from '../lib/support';
import { assemblyOf } from '../support/assembly';
import { Deployed } from '../support/deployed';
import { type Finding, PROBES } from './assumptions/ask';
import type { QuestionSteps } from './assumptions/settle';
import { AssumptionStack } from './assumptions/stack';
import { CHECKS, check, type DeployedIntegration } from './checks';
import { dollarsAnHour, integCommand, type Steps } from './integ-command';
import { IntegrationStack, OUTPUTS, type Outputs } from './stack';
import type { Account, PricedTemplate } from './temporary-stack';

/** The template of a stack. It is synthesized once. */
function templateOnce(newStack: () => Stack): () => PricedTemplate {
  let template: PricedTemplate | undefined;
  return () => {
    template ??= Template.fromStack(newStack()).toJSON() as PricedTemplate;
    return template;
  };
}

const INTEGRATION = templateOnce(() => new IntegrationStack(newApp()));
const ASSUMPTIONS = templateOnce(() => new AssumptionStack(newApp(), PROBES));

describe('integ command', () => {
  const ACCOUNT: Account = {
    profile: 'sandbox',
    id: '111122223333',
    caller: 'arn:aws:iam::111122223333:user/ann',
    region: 'eu-central-1',
  };

  const outputs = Object.fromEntries(OUTPUTS.map(name => [name, name])) as Outputs;

  /** A step that does not end until it is interrupted. */
  const untilInterrupted = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('killed'))));

  /** Runs the command on a scripted account. Returns how it ended, its output, and its steps. */
  async function integ(
    args: string,
    { questions, ...steps }: Partial<Omit<Steps, 'questions'>> & { readonly questions?: Partial<QuestionSteps> } = {},
    io = new MemoryIo(),
  ) {
    const taken: string[] = [];
    const noting = <Answer>(step: string, answer: Answer) => {
      taken.push(step);
      return Promise.resolve(answer);
    };
    const command = integCommand(io, {
      isAttended: true,
      profiles: async () => ({ sandbox: { region: ACCOUNT.region }, placeless: {}, old: { region: 'mars' } }),
      account: () => noting('account', ACCOUNT),
      template: INTEGRATION,
      confirm: () => noting('confirm', true),
      deploy: () => noting('deploy', outputs),
      check: () => noting('check', []),
      conformance: () => noting('conformance', []),
      destroy: () => noting('destroy', undefined),
      questions: {
        template: ASSUMPTIONS,
        deploy: () => noting('deploy', {}),
        ask: () => noting('ask', []),
        destroy: () => noting('destroy', undefined),
        ...questions,
      },
      ...steps,
    });
    const exitCode = await run(command, args.split(' '), io);
    return { exitCode, out: io.out, err: io.err, taken };
  }

  const WHOLE_RUN = ['deploy', 'check', 'conformance', 'destroy'];

  describe('npm run integ', () => {
    test('says what it does and costs, asks, and goes through with it', async () => {
      const { exitCode, out, err, taken } = await integ('--profile sandbox');
      expect({ exitCode, err, taken }).toEqual({ exitCode: 0, err: '', taken: ['account', 'confirm', ...WHOLE_RUN] });
      expect(out).toContain('Account 111122223333, Region eu-central-1, as arn:aws:iam::111122223333:user/ann');
      expect(out).toMatch(/two topics, 6 queues, \d+ alarms, \d functions and a key/);
      expect(out).toMatch(/For each hour the stack costs 0\.00\d US dollars/);
    });

    test('does nothing where it is told no', async () => {
      const { exitCode, out, taken } = await integ('--profile sandbox', { confirm: async () => false });
      expect({ exitCode, taken }).toEqual({ exitCode: 0, taken: ['account'] });
      expect(out).toMatch(/Nothing was deployed\.\n$/);
    });

    test('does not ask with --yes', async () => {
      expect((await integ('--profile sandbox --yes')).taken).toEqual(['account', ...WHOLE_RUN]);
      const unattended = await integ('--profile sandbox --yes', { isAttended: false });
      expect(unattended.exitCode).toBe(0);
    });

    const NO_PROFILE = '--profile must be given: it says whose account is used';
    const NOBODY = 'it costs money, and nobody is there to be asked: pass --yes';

    test.each([
      ['--yes', NO_PROFILE],
      ['--yes --profile', NO_PROFILE],
      ['--yes --profile sand', 'there is no profile sand: your AWS configuration has sandbox, placeless, old'],
      ['--yes --profile placeless', '--region must be given, for the profile names none'],
      ['--yes --profile old', 'the Region of the profile must be one such as eu-central-1, got "mars"'],
      ['--yes --profile sandbox --region', '--region must be one such as eu-central-1, got nothing'],
      ['--yes --profile sandbox --stage test', 'nothing is known of --stage test'],
      ['--profile sandbox', NOBODY],
      ['--yes --profile sandbox --json', '--json must be given with --assumptions only'],
    ])('refuses %s', async (args, text) => {
      const { exitCode, err, taken } = await integ(args, { isAttended: false });
      expect({ exitCode, err, taken }).toEqual({ exitCode: 2, err: `integ: ${text}\n`, taken: [] });
    });

    test('says all that is wrong with its arguments at once', async () => {
      const { exitCode, err } = await integ('--profile nowhere --region mars --stage test', { isAttended: false });
      expect({ exitCode, err: err.split('\n') }).toEqual({
        exitCode: 2,
        err: [
          'integ: there is no profile nowhere: your AWS configuration has sandbox, placeless, old',
          'integ: --region must be one such as eu-central-1, got "mars"',
          'integ: nothing is known of --stage test',
          `integ: ${NOBODY}`,
          '',
        ],
      });
    });

    test('uses the account in the Region it is told, and otherwise in that of the profile', async () => {
      const asked: string[] = [];
      const account = (profile: string, region: string) => {
        asked.push(`${profile} ${region}`);
        return Promise.resolve({ ...ACCOUNT, region });
      };
      await integ('--profile sandbox --yes', { account });
      await integ('--profile placeless --region us-east-1 --yes', { account });
      expect(asked).toEqual(['sandbox eu-central-1', 'placeless us-east-1']);
    });

    test('stops at credentials that are none', async () => {
      const account = () => Promise.reject(new Error('the profile sandbox has no credentials'));
      const { exitCode, err, taken } = await integ('--profile sandbox --yes', { account });
      expect({ exitCode, err, taken }).toEqual({
        exitCode: 1,
        err: 'integ: the profile sandbox has no credentials\n',
        taken: [],
      });
    });

    test('destroys what could not be deployed, or is not as it should be', async () => {
      const broken = await integ('--profile sandbox --yes', {
        deploy: () => Promise.reject(new Error('cdk ended with 1')),
      });
      expect(broken).toMatchObject({ exitCode: 1, err: 'integ: cdk ended with 1\n', taken: ['account', 'destroy'] });
      const wrong = await integ('--profile sandbox --yes', { check: async () => ['no alarm', 'no letter'] });
      expect(wrong).toMatchObject({ exitCode: 1, err: 'integ: no alarm; no letter\n' });
      expect(wrong.taken.slice(-2)).toEqual(['conformance', 'destroy']);
    });

    test.each(['deploy', 'check', 'conformance'])('destroys the stack when interrupted in %s', async step => {
      const io = new MemoryIo();
      const interrupted = (...args: unknown[]) => {
        io.interrupt();
        return untilInterrupted(args.at(-1) as AbortSignal);
      };
      const { exitCode, err, taken } = await integ('--profile sandbox --yes', { [step]: interrupted }, io);
      expect({ exitCode, err }).toEqual({ exitCode: 1, err: 'integ: it was interrupted\n' });
      expect(taken.at(-1)).toBe('destroy');
    });

    test('says how to get rid of a stack that it could not destroy', async () => {
      const destroy = () => Promise.reject(new Error('cdk ended with 1'));
      const { exitCode, err } = await integ('--profile sandbox --yes', { destroy });
      expect(exitCode).toBe(1);
      expect(err).toContain(
        'delete-stack --stack-name DeadLetterOfficeIntegration --profile sandbox --region eu-central-1',
      );
    });
  });

  describe('npm run integ -- --assumptions', () => {
    const CALL = '--profile sandbox --yes --assumptions';
    const about = (id: string) => ({ id, question: `What about ${id}?`, assumed: 'accepted' });
    const HELD: Finding = { ...about('SQS-1'), did: 'accepted', holds: true };
    const DIFFERS: Finding = { ...about('SQS-2'), did: 'refused', holds: false };
    const FAILED: Finding = { ...about('SQS-3'), failure: 'timeout', left: 'no permission' };
    const finding = (...findings: readonly Finding[]) => ({ questions: { ask: async () => findings } });

    test('says what it does and costs, asks first, and prints what AWS did', async () => {
      const { exitCode, out, err, taken } = await integ('--profile sandbox --assumptions', finding(HELD, DIFFERS));
      expect({ exitCode, err, taken }).toEqual({
        exitCode: 0,
        err: '',
        taken: ['account', 'confirm', 'deploy', 'destroy'],
      });
      expect(out).toMatch(/\d+ topics, \d+ queues, a function, a rule and an alarm/);
      expect(out).toContain('about 15 minutes and costs less than 5 US cents');
      expect(out.split('\n').slice(-9)).toEqual([
        'ID     ASSUMED            AWS DID   HOLDS?',
        'SQS-1  What about SQS-1?',
        '       accepted           accepted  yes',
        'SQS-2  What about SQS-2?',
        '       accepted           refused   NO',
        '',
        '1 assumptions hold, 1 do not, 0 could not be asked.',
        'Correct the rows in docs/assumptions.md and what their marks point at.',
        '',
      ]);
    });

    test('prints nothing but JSON to its standard output with --json', async () => {
      const { exitCode, out, err } = await integ(`${CALL} --json`, finding(HELD));
      expect({ exitCode, out: JSON.parse(out) }).toEqual({ exitCode: 0, out: [HELD] });
      expect(err).toContain('Asks AWS');
    });

    test('names probes that failed, and what they left behind', async () => {
      const { exitCode, err } = await integ(CALL, finding(HELD, FAILED));
      expect({ exitCode, err }).toEqual({
        exitCode: 1,
        err: 'integ: SQS-3: the probe failed: timeout; SQS-3: something may be left behind: no permission\n',
      });
    });

    test('destroys its stack also when it could not be deployed, or was interrupted', async () => {
      const deploy = () => Promise.reject(new Error('cdk ended with 1'));
      const broken = await integ(CALL, { questions: { deploy } });
      expect(broken).toMatchObject({ exitCode: 1, err: 'integ: cdk ended with 1\n', taken: ['account', 'destroy'] });
      const io = new MemoryIo();
      const ask = (_: Account, __: unknown, signal: AbortSignal) => {
        io.interrupt();
        return untilInterrupted(signal);
      };
      const interrupted = await integ(CALL, { questions: { ask } }, io);
      expect(interrupted).toMatchObject({ exitCode: 1, err: 'integ: it was interrupted\n' });
      expect(interrupted.taken.at(-1)).toBe('destroy');
    });

    test('says how to get rid of a stack that it could not destroy', async () => {
      const destroy = () => Promise.reject(new Error('cdk ended with 1'));
      const { exitCode, err } = await integ(CALL, { questions: { destroy } });
      expect(exitCode).toBe(1);
      expect(err).toContain('delete-stack --stack-name DeadLetterOfficeAssumptions --profile sandbox');
    });
  });

  test('a stack of eight alarms on ten metrics and a key costs two dollars a month', () => {
    const alarms = Array.from({ length: 7 }, (_, i) => [`Alarm${i}`, { Type: 'AWS::CloudWatch::Alarm' }]);
    const Metrics = [{ Expression: 'a + b + c' }, ...Array.from({ length: 3 }, () => ({ MetricStat: {} }))];
    const Resources = {
      ...Object.fromEntries(alarms),
      Sum: { Type: 'AWS::CloudWatch::Alarm', Properties: { Metrics } },
      Key: { Type: 'AWS::KMS::Key' },
      Queue: { Type: 'AWS::SQS::Queue' },
    };
    expect(dollarsAnHour({ Resources }) * 730).toBeCloseTo(2);
  });
});

const ROOT = path.resolve(__dirname, '../..');

/** Runs `npm run integ` without the build, on a machine with only this AWS configuration file. */
function integ(configFile: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(ROOT, '.scripts/integ.mjs'), ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      AWS_CONFIG_FILE: configFile,
      AWS_SHARED_CREDENTIALS_FILE: devNull,
      AWS_EC2_METADATA_DISABLED: 'true',
    },
  });
  return { status, stdout, stderr };
}

describe('npm run integ, as it is run', () => {
  let folder: string;
  let configFile: string;

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'dlo-integ-test-'));
    configFile = path.join(folder, 'config');
    writeFileSync(configFile, '[profile sandbox]\nregion = eu-central-1\n');
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  test('says in one line that a profile has no credentials', () => {
    expect(integ(configFile, '--profile', 'sandbox', '--yes')).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^integ: profile sandbox cannot be used: .*\n$/),
    });
  });

  test('says that there is no such profile, and asks nobody where there is no terminal', () => {
    const problems = ['it costs money, and nobody is there to be asked: pass --yes'];
    expect(integ(configFile, '--profile', 'nowhere')).toEqual({
      status: 2,
      stdout: '',
      stderr: ['there is no profile nowhere: your AWS configuration has sandbox', ...problems]
        .map(line => `integ: ${line}\n`)
        .join(''),
    });
    expect(integ(devNull, '--profile', 'sandbox', '--yes').stderr).toBe(
      'integ: there is no profile sandbox: your AWS configuration has none\n',
    );
  });
});

describe('the checks of a real account', () => {
  const assembly = assemblyOf(app => void new IntegrationStack(app));

  /** The integration stack in the embedded AWS, as the checks see it. */
  async function deploy(): Promise<DeployedIntegration & { readonly aws: LocalAws }> {
    const deployed = await Deployed.assembly(assembly);
    const { aws, sns, sqs } = deployed;
    return {
      aws,
      sns,
      sqs,
      cloudWatch: new CloudWatchClient(aws.clientConfig()),
      outputs: Object.fromEntries(OUTPUTS.map(name => [name, aws.output(name)])) as Outputs,
      pass: async seconds => void (await aws.advance({ seconds })),
    };
  }

  async function run(deployed: DeployedIntegration) {
    const said: string[] = [];
    return { failures: await check(deployed, line => said.push(line)), said };
  }

  test('find nothing in the stack, deployed in the embedded AWS', async () => {
    const { failures, said } = await run(await deploy());
    expect(failures).toEqual([]);
    expect(said).toEqual(Object.keys(CHECKS).map(what => `ok      ${what}`));
  });

  test('find what a service does not do, and go on', async () => {
    const deployed = await deploy();
    deployed.aws.faults.set({ service: 'lambda', action: 'Invoke' });
    const { failures, said } = await run(deployed);
    expect(failures).toEqual([
      'what the function fails on is kept: the dead letter: not within 15 minutes',
      'each of the three alarms goes off: the alarms: not within 15 minutes',
      'and is heard through the encrypted topic: the news: not within 15 minutes',
    ]);
    expect(said).toContain('ok      what SNS cannot deliver is kept');
  });
});

test('stack: the stack leaves nothing in the account once it is destroyed', () => {
  const { Resources } = Template.fromStack(new IntegrationStack(newApp())).toJSON();
  const all: [string, { DeletionPolicy?: string }][] = Object.entries(Resources);
  expect(all.length).toBeGreaterThan(20);
  expect(all.filter(([, { DeletionPolicy = 'Delete' }]) => DeletionPolicy !== 'Delete')).toEqual([]);
});
