import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { CloudWatchLogsClient, CreateLogGroupCommand, DeleteLogGroupCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DeleteEventSourceMappingCommand, UpdateFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { DeleteQueueCommand } from '@aws-sdk/client-sqs';
import { EXIT_CODES } from '../../../bin/shared/command-line';
import { LocalAws, response } from '../../../local';
import { inlineFunction } from '../../support/inline-function';
import { cells, factsIn, section } from '../command-output';
import { addOperators, type Takes, testPermissions } from '../command-permissions';
import { PARTNER, RelayAccount, SECRET_PATH, twoRelays } from './relay-account';

describe('list', () => {
  describe('dlo relay ls', () => {
    let account: RelayAccount;

    beforeAll(async () => {
      account = await RelayAccount.of(stack => {
        twoRelays(stack);
        inlineFunction(stack, 'NoRelay', 'exports.handler = async () => {};', { environment: { RELAY: 'no' } });
      });
    });

    test('lists every relay, whatever else is in the Region, and shows no secret', async () => {
      const { exitCode, out, err } = await account.dlo('ls');
      expect([exitCode, err]).toEqual([0, '']);
      expect(cells(out)).toEqual([
        ['RELAY', 'DELIVERS TO', 'BREAKER', 'DUE', 'IN FLIGHT', 'DEAD', 'FAILURE ALARM'],
        [account.name('Bank'), 'url of secret bank', 'no breaker', '0', '0', '0', 'OK'],
        [account.name('Partner'), `https://${PARTNER}/orders`, 'closed', '0', '0', '0', 'OK'],
      ]);
      const { out: json } = await account.dlo('ls --json');
      for (const secret of ['s3cret', SECRET_PATH]) expect(out + json).not.toContain(secret);
    });

    test('aligns its columns', async () => {
      const [heading = '', ...lines] = (await account.dlo('ls')).out.trimEnd().split('\n');
      const at = heading.indexOf('BREAKER');
      expect(lines.map(line => line.slice(at).split('  ')[0])).toEqual(['no breaker', 'closed']);
    });

    test('tells the state of each breaker, by what its mapping says', async () => {
      const shown = async (Enabled: boolean, MaximumConcurrency: number) => {
        await account.remap('Partner', { Enabled, MaximumConcurrency });
        const relay = (await account.json('ls')).relays[1];
        return [
          cells((await account.dlo('ls')).out)[2]?.[2],
          relay.state,
          relay.concurrency,
          relay.configuredConcurrency,
        ];
      };
      expect(await shown(false, 2)).toEqual([
        expect.stringMatching(/^open since 2026-01-01 00:\d\d UTC$/),
        'open',
        2,
        10,
      ]);
      expect(await shown(false, 10)).toEqual([
        expect.stringMatching(/^stopped by hand since 2026-01-01 00:\d\d UTC$/),
        'stopped-by-hand',
        10,
        10,
      ]);
      expect(await shown(true, 4)).toEqual(['half-open 4/10', 'half-open', 4, 10]);
      expect(await shown(true, 10)).toEqual(['closed', 'closed', 10, 10]);
    });

    test('says of a relay without a breaker that somebody stopped it, whatever concurrency it has', async () => {
      const stateOf = async () => (await account.json('ls')).relays[0].state;
      await account.remap('Bank', { Enabled: false, MaximumConcurrency: 2 });
      expect(await stateOf()).toBe('stopped-by-hand');
      await account.remap('Bank', { Enabled: true, MaximumConcurrency: 5 });
      expect(await stateOf()).toBe('running');
    });
  });

  test('dlo relay ls, while an endpoint is down, counts what is due, in flight and dead, and tells that the alarm fires', async () => {
    const account = await RelayAccount.of(twoRelays);
    const { aws } = account.deployed;
    aws.endpoint(PARTNER).behave({ reply: response(503) });
    await account.deployed.send('Partner/Queue/DeadLetterQueue', 'an old one');
    await account.deployed.publish('Orders', 'order 7');
    await account.deployed.advance({ seconds: 30 });
    const messages = async () => (await account.json('ls')).relays[1].messages;
    expect(await messages()).toEqual({ visible: 0, inFlight: 1, dead: 1 });
    await account.remap('Partner', { Enabled: false, MaximumConcurrency: 10 });
    await account.deployed.publish('Orders', 'order 8');
    await account.deployed.advance({ minutes: 1 });
    expect(await messages()).toEqual({ visible: 2, inFlight: 0, dead: 1 });
    await account.fire('Partner/EndpointFailingAlarm');
    const { failureAlarm } = (await account.json('ls')).relays[1];
    expect(failureAlarm).toMatchObject({
      name: account.deployed.ref('Partner/EndpointFailingAlarm'),
      state: 'ALARM',
    });
  });

  test('dlo relay ls of a Region without relays says so, and ends with 0', async () => {
    const account = await RelayAccount.of(() => {});
    expect(await account.dlo('ls')).toEqual({ exitCode: 0, out: 'No relay is in us-east-1.\n', err: '' });
    expect(await account.json('ls')).toEqual({ region: 'us-east-1', relays: [] });
  });
});

const RUNBOOK = 'https://github.com/dead-letter-office/dead-letter-office/blob/v0.1.0/docs/runbook.md';

describe('dlo relay show', () => {
  let account: RelayAccount;

  beforeAll(async () => {
    account = await RelayAccount.of(twoRelays);
  });

  test('says of a relay that has done nothing yet what it is, without any secret', async () => {
    const { exitCode, out, err } = await account.dlo('show Bank');
    expect([exitCode, err]).toEqual([0, '']);
    const { deployed } = account;
    expect(out.split('\n')[0]).toBe(account.name('Bank'));
    expect(factsIn(out)).toEqual({
      'Delivers to': 'url of secret bank',
      'Access tokens': 'from https://bank.example.com/token',
      Queue: deployed.name('Bank/Queue'),
      'Dead letters': deployed.name('Bank/Queue/DeadLetterQueue'),
      Ceiling: '50 requests a second, shared by 5 invocations',
      Log: deployed.ref('Bank/Log'),
      Breaker: 'no breaker',
      Messages: '0 due, 0 in flight or waiting for their next attempt, 0 dead',
      'Last hour': '0 attempts; 0 delivered, 0 to be retried, 0 dead-lettered',
      'Last delivery': 'none in 14 days',
      'Last failure': 'none in 14 days',
      'Failure alarm': 'OK since 2026-01-01 00:01 UTC',
    });
    expect(out).not.toContain(SECRET_PATH);
    expect(section(out, 'What to do')).toBe('');
  });

  test('has the schedule in words, as dlo policy explain says it', async () => {
    const { out } = await account.dlo('show Bank');
    expect(section(out, 'Schedule').split('\n')).toEqual([
      'Schedule',
      '1 + 93 attempts: the first, then 93 retries.',
      'Total: 295,336.95 s (3 d 10 h 2 min) from first failure to last retry.',
      'Phase         Retries  Numbers  Delay before each',
      'no-delay            1  1        none',
      'pre-backoff         2  2-3      20 s',
      'backoff            10  4-13     20 to 3600 s, exponential',
      'post-backoff       80  14-93    3600 s',
      'Each delay is up to 10 % shorter or longer. A Retry-After header of the endpoint extends a delay to',
      '  up to 1 h.',
      '',
    ]);
    const { schedule, maxReceivesPerSecond } = await account.json('show Bank');
    expect(maxReceivesPerSecond).toBe(50);
    expect(schedule).toMatchObject({ attempts: 94, totalSeconds: expect.closeTo(295_336.95, 1), jitterPercent: 10 });
  });

  test('takes a part of the name, in any case, that no other relay has', async () => {
    expect((await account.json('show partnerFUNCTION')).name).toBe(account.name('Partner'));
  });

  test.each([
    ['Nobody', (all: string) => `no relay in us-east-1 is named Nobody: there are ${all}`],
    ['Function', (all: string) => `Function matches several names: use one of ${all}`],
  ])('takes the name %s for bad input', async (name, message) => {
    const all = `${account.name('Bank')}, ${account.name('Partner')}`;
    expect(await account.dlo(`show ${name}`)).toEqual({ exitCode: 2, out: '', err: `dlo: ${message(all)}\n` });
  });
});

describe('dlo relay show, in an outage,', () => {
  let account: RelayAccount;

  beforeAll(async () => {
    account = await RelayAccount.of(twoRelays);
    const { aws } = account.deployed;
    const text = 'down\u001b[31m\nfor repair';
    aws.endpoint(PARTNER).behave({ reply: response(503, text) });
    for (let order = 0; order < 12; order += 1) await account.deployed.publish('Orders', `order ${order}`);
    await account.deployed.advance({ minutes: 4 });
  });

  test('says since when the breaker is open, what failed last, when it is probed next, and what to do', async () => {
    const { out, exitCode } = await account.dlo('show Partner');
    expect(exitCode).toBe(0);
    expect(factsIn(out)).toMatchObject({
      Breaker: 'open since 2026-01-01 00:03 UTC',
      'Next probe': "the breaker's first run from 2026-01-01 00:08 UTC on",
      Messages: '12 due, 0 in flight or waiting for their next attempt, 0 dead',
      'Last failure': expect.stringMatching(/^2026-01-01 00:0\d UTC: .*503.*: down \[31m for repair$/),
    });
    expect(factsIn(out)['Last hour']).toMatch(/^\d+ attempts; 0 delivered, \d+ to be retried, 0 dead-lettered$/);
    const advice = section(out, 'What to do');
    expect(advice).toContain(` before):\n    dlo relay start ${account.name('Partner')} ${account.site}\n`);
    expect(advice).toContain(`${RUNBOOK}#relay-endpoint-failing\n`);
    expect(out).not.toContain('\u001b');
  });

  test('has the same as JSON', async () => {
    const document = await account.json('show Partner');
    expect(document).toMatchObject({
      name: account.name('Partner'),
      destination: `https://${PARTNER}/orders`,
      state: 'open',
      since: expect.stringMatching(/^2026-01-01T00:03/),
      queueUrl: account.deployed.ref('Partner/Queue'),
      lastDeliveryAt: null,
      lastFailure: {
        statusCode: 503,
        answer: 'down\u001b[31m\nfor repair',
        at: expect.stringMatching(/^2026-01-01T00:0/),
      },
      nextProbeAt: expect.stringMatching(/^2026-01-01T00:08/),
      messages: { visible: 12, inFlight: 0, dead: 0 },
    });
    const { attempts, delivered, dead, failedAttempts } = document.lastHour;
    expect(attempts).toBe(account.deployed.aws.endpoint(PARTNER).requests.length);
    expect([delivered, dead, failedAttempts]).toEqual([0, 0, attempts]);
  });

  test('leads from each alarm that fires to its section of the runbook', async () => {
    await account.fire('Partner/StalledAlarm');
    const { advice } = await account.json('show Partner');
    expect(advice).toEqual([
      expect.stringContaining('Have the endpoint repaired'),
      expect.stringMatching(
        /^Test-PartnerStalledAlarm.* has been in ALARM since 2026-01-01 00:0\d UTC: The relay itself is broken.*#relay-stalled$/,
      ),
    ]);
  });

  test('tells when it last delivered, once it does again', async () => {
    account.deployed.aws.endpoint(PARTNER).behave();
    await account.deployed.advance({ minutes: 10 });
    const { lastDeliveryAt, lastHour, state, nextProbeAt } = await account.json('show Partner');
    expect(lastHour).toMatchObject({ delivered: 12, dead: 0 });
    expect([state, nextProbeAt]).toEqual(['half-open', null]);
    expect(lastDeliveryAt).toMatch(/^2026-01-01T00:1\d:00/);
  });

  test('still tells, when the log has it no more, in which minute the last attempt failed', async () => {
    const { aws } = account.deployed;
    const group = account.deployed.ref('Partner/Log');
    await new CloudWatchLogsClient(aws.clientConfig()).send(new DeleteLogGroupCommand({ logGroupName: group }));
    await new CloudWatchLogsClient(aws.clientConfig()).send(new CreateLogGroupCommand({ logGroupName: group }));
    expect(factsIn((await account.dlo('show Partner')).out)['Last failure']).toMatch(/^2026-01-01 00:0\d UTC$/);
  });
});

describe('dlo relay show of what somebody has broken', () => {
  let account: RelayAccount;

  beforeAll(async () => {
    account = await RelayAccount.of(twoRelays);
  });

  test('names a mapping and a dead-letter queue that are not there', async () => {
    const { lambda, deployed } = account;
    await lambda.send(new DeleteEventSourceMappingCommand({ UUID: (await account.mapping('Partner')).UUID }));
    await deployed.sqs.send(new DeleteQueueCommand({ QueueUrl: deployed.ref('Partner/Queue/DeadLetterQueue') }));
    await deployed.advance({ minutes: 2 });
    const { state, messages, advice } = await account.json('show Partner');
    expect(state).toBe('no-mapping');
    expect(messages).toEqual({ visible: 0, inFlight: 0, dead: null });
    expect(advice.join('\n')).toMatch(/event source mapping was deleted[\s\S]*dead-letter queue does not exist/);
    expect((await account.dlo('ls')).out).toMatch(/no event source mapping +0 +0 +- /);
    const { exitCode, err } = await account.dlo('stop Partner');
    expect([exitCode, err]).toEqual([
      1,
      `dlo: ${account.name('Partner')} has no event source mapping: npx cdk deploy --revert-drift creates it again\n`,
    ]);
  });

  test('shows what can be known of a relay whose settings it cannot read, and warns', async () => {
    const Variables = { RELAY_SETTINGS: '{"version":9}' };
    const FunctionName = account.name('Bank');
    await account.lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Environment: { Variables } }));
    const { exitCode, out, err } = await account.dlo('show Bank');
    expect(exitCode).toBe(0);
    expect(err).toContain(`dlo: warning: ${FunctionName}: RELAY_SETTINGS: queueUrl must be a string`);
    expect(factsIn(out)).toMatchObject({ 'Delivers to': 'settings of another version', Breaker: 'no breaker' });
    expect(section(out, 'Schedule')).toBe('');
  });
});

describe('dlo relay stop and start', () => {
  let account: RelayAccount;

  beforeEach(async () => {
    account = await RelayAccount.of(twoRelays);
  });

  test('say what they would do, and do nothing, without --execute', async () => {
    const { exitCode, out } = await account.dlo('stop Partner');
    expect(exitCode).toBe(0);
    const name = account.name('Partner');
    const { UUID } = await account.mapping('Partner');
    expect(out).toBe(`Stop ${name}, which delivers to https://partner.example.com/orders.
  Breaker now  closed
  Mapping      ${UUID} becomes disabled
* Messages wait in its queue, which keeps each message for 10 d. Waiting uses up no delivery
  attempt.
* Its breaker does not start it: an operator has to.
Nothing has been changed: dlo relay stop ${name} --execute ${account.site} does it.
`);
    expect(await account.switched('Partner')).toEqual({ State: 'Enabled', MaximumConcurrency: 10 });
  });

  test.each([
    { from: 'closed', Enabled: true, MaximumConcurrency: 10, reported: null },
    { from: 'half-open', Enabled: true, MaximumConcurrency: 2, reported: 10 },
    { from: 'half-open', Enabled: true, MaximumConcurrency: 4, reported: 10 },
    { from: 'open', Enabled: false, MaximumConcurrency: 2, reported: 10 },
  ])('stop one that is $from at $MaximumConcurrency so that its breaker takes it for no work of its own', async row => {
    const { from, Enabled, MaximumConcurrency, reported } = row;
    if (from !== 'closed') await account.remap('Partner', { Enabled, MaximumConcurrency });
    expect(await account.json('stop Partner --execute')).toEqual({
      relay: account.name('Partner'),
      action: 'stop',
      from,
      to: 'stopped-by-hand',
      mappingId: (await account.mapping('Partner')).UUID,
      change: { enabled: false, maximumConcurrency: reported },
      executed: true,
    });
    await account.deployed.advance({ minutes: 30 });
    expect(await account.switched('Partner')).toEqual({ State: 'Disabled', MaximumConcurrency: 10 });
  });

  test.each([
    { from: 'open', Enabled: false, MaximumConcurrency: 2 },
    { from: 'half-open', Enabled: true, MaximumConcurrency: 4 },
    { from: 'stopped-by-hand', Enabled: false, MaximumConcurrency: 10 },
  ])('start one that is $from at its whole concurrency', async ({ from, Enabled, MaximumConcurrency }) => {
    await account.remap('Partner', { Enabled, MaximumConcurrency });
    expect(await account.json('start Partner --execute')).toMatchObject({ from, to: 'closed', executed: true });
    expect(await account.switched('Partner')).toEqual({ State: 'Enabled', MaximumConcurrency: 10 });
  });

  test('start what a breaker left behind that is no more', async () => {
    await account.remap('Bank', { Enabled: false, MaximumConcurrency: 2 });
    expect(await account.json('start Bank --execute')).toMatchObject({
      from: 'stopped-by-hand',
      to: 'running',
      change: { enabled: true, maximumConcurrency: 5 },
    });
    expect(await account.switched('Bank')).toEqual({ State: 'Enabled', MaximumConcurrency: 5 });
  });

  test('do it once, however often they are asked', async () => {
    const nothing = (text: string) => ({
      exitCode: 0,
      out: `Nothing to do: ${account.name('Partner')} ${text}\n`,
      err: '',
    });
    expect(await account.dlo('start Partner --execute')).toEqual(nothing('is running already.'));
    expect((await account.dlo('stop Partner --execute')).out).toContain('Done.');
    expect(await account.dlo('stop Partner --execute')).toEqual(nothing('is stopped by hand already.'));
    expect(await account.json('stop Partner --execute')).toMatchObject({ change: null, executed: false });
    await account.deployed.advance({ minutes: 1 });
    const recorded = await account.recorded('start Partner --execute');
    expect(recorded.out).toContain('Done.');
    const both = { command: 'relay start', resource: expect.any(String), who: { account: '123456789012' } };
    const details = { relay: account.name('Partner'), from: 'stopped-by-hand', to: 'closed' };
    expect(recorded.records).toMatchObject([
      { ...both, phase: 'intent', details },
      { ...both, phase: 'outcome' },
    ]);
    expect(await account.dlo('start Partner --execute')).toEqual(nothing('is running already.'));
  });

  test('say that Lambda is at another change', async () => {
    const busy = {
      service: 'lambda',
      action: 'UpdateEventSourceMapping',
      code: 'ResourceInUseException',
      httpStatus: 400,
    };
    account.deployed.aws.faults.set({ ...busy, service: 'lambda' });
    const name = account.name('Partner');
    const text = `Lambda still applies another change of the mapping of ${name}: run this again in a minute`;
    expect(await account.dlo('stop Partner --execute')).toEqual({ exitCode: 1, out: '', err: `dlo: ${text}\n` });
  });

  test('stop while messages wait, spend none of their attempts, and deliver them once started', async () => {
    const { deployed } = account;
    const requests = () => deployed.aws.endpoint('partner.example.com').requests.length;
    await account.dlo('stop Partner --execute');
    await deployed.advance({ minutes: 1 });
    await deployed.publish('Orders', 'order 7');
    await deployed.advance({ hours: 3 });
    expect(requests()).toBe(0);
    await account.dlo('start Partner --execute');
    await deployed.advance({ minutes: 2 });
    expect(requests()).toBe(1);
  });
});

const FIND = ['lambda:ListFunctions', 'lambda:ListEventSourceMappings'];
const LIST = [...FIND, 'sqs:GetQueueAttributes', 'cloudwatch:DescribeAlarms'];

/** The permissions that the help of each command lists. Only the last two commands need more than read permissions. */
const TAKES: Takes = {
  ls: LIST,
  'show Partner': [...LIST, 'cloudwatch:GetMetricData', 'logs:FilterLogEvents'],
  'stop Partner': FIND,
  'start Partner': FIND,
  'stop Partner --execute': [...FIND, 'lambda:UpdateEventSourceMapping'],
};

describe('dlo relay', () => {
  let account: RelayAccount;

  beforeAll(async () => {
    account = await RelayAccount.of(stack => {
      twoRelays(stack);
      addOperators(stack, TAKES);
    });
    // The command reads the log only if attempts have failed.
    account.deployed.aws.endpoint(PARTNER).behave({ reply: response(503) });
    await account.deployed.publish('Orders', 'order 7');
    await account.deployed.advance({ minutes: 2 });
  });

  // Start it first: stopping a stopped one changes nothing.
  beforeEach(async () => {
    await account.deployed.advance({ minutes: 1 });
    expect(await account.dlo('start Partner --execute')).toMatchObject({ exitCode: 0 });
    await account.deployed.advance({ minutes: 1 });
  });

  testPermissions(TAKES, LIST, () => account);
});

/** The command as a user installs it. It is built before the tests run. */
const DLO = path.join(__dirname, '../../../dist/bin/dlo.js');

const ENVIRONMENT = {
  ...process.env,
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_REGION: 'eu-central-1',
  AWS_MAX_ATTEMPTS: '1',
};

describe('dlo relay, as built', () => {
  test('talks to AWS with what is bundled into it, and ends', async () => {
    const aws = LocalAws.start({
      place: { account: '123456789012', region: 'eu-central-1', partition: 'aws', urlSuffix: 'amazonaws.com' },
    });
    const { url } = await aws.listen();
    const child = spawn(process.execPath, [DLO, 'relay', 'ls', '--endpoint-url', url], { env: ENVIRONMENT });
    const [out, err, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    await aws.close();
    expect({ exitCode, out, err }).toEqual({ exitCode: 0, out: 'No relay is in eu-central-1.\n', err: '' });
  });

  test('says without a stack trace that nobody is there', () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [DLO, 'relay', 'ls', '--endpoint-url', 'http://127.0.0.1:1'],
      {
        encoding: 'utf8',
        env: ENVIRONMENT,
      },
    );
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^dlo: lambda:\w+ could not reach AWS: .*ECONN.*\n$/)]);
  });

  test.each(['ls', 'show', 'stop', 'start'])('has an example in the help of %s', command => {
    const { status, stdout } = spawnSync(process.execPath, [DLO, 'relay', command, '--help'], { encoding: 'utf8' });
    expect(status).toBe(0);
    expect(stdout).toContain(`\n  dlo relay ${command}`);
    expect(stdout).toContain(EXIT_CODES);
    expect(stdout.split('\n').filter(line => line.length > 120)).toEqual([]);
  });
});
