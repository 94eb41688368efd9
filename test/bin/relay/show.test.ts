import { CloudWatchLogsClient, CreateLogGroupCommand, DeleteLogGroupCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DeleteEventSourceMappingCommand, UpdateFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { DeleteQueueCommand } from '@aws-sdk/client-sqs';
import { response } from '../../../local';
import { factsIn, section } from '../command-output';
import { PARTNER, RelayAccount, SECRET_PATH, twoRelays } from './relay-account';

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
      Queue: deployed.name('Bank/Queue'),
      'Dead letters': deployed.name('Bank/Queue/DeadLetterQueue'),
      Ceiling: '50 requests a second, shared by 5 invocations',
      Log: deployed.ref('Bank/Log'),
      Breaker: 'no breaker',
      Messages: '0 due, 0 in flight or waiting for their next attempt, 0 dead',
      'Last hour': '0 attempts; 0 delivered, 0 to be tried again, 0 given up',
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
      'Each delay is up to 10 % shorter or longer; a Retry-After of the endpoint makes one up to 1 h long.',
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
    ['Function', (all: string) => `Function is a part of several names; say which: ${all}`],
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
    expect(factsIn(out)['Last hour']).toMatch(/^\d+ attempts; 0 delivered, \d+ to be tried again, 0 given up$/);
    const advice = section(out, 'What to do');
    expect(advice).toContain(` before:\n    dlo relay start ${account.name('Partner')} ${account.site}\n`);
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
    await account.fire('Partner/LatenessAlarm');
    const { advice } = await account.json('show Partner');
    expect(advice).toEqual([
      expect.stringContaining('Have the endpoint repaired'),
      expect.stringMatching(
        /^Test-PartnerLatenessAlarm.* fires since 2026-01-01 00:0\d UTC: Attempts begin too long .*#relay-behind-schedule$/,
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
    expect(advice.join('\n')).toMatch(/somebody deleted the mapping[\s\S]*dead-letter queue is not there/);
    expect((await account.dlo('ls')).out).toMatch(/no event source mapping +0 +0 +- /);
    const { exitCode, err } = await account.dlo('stop Partner');
    expect([exitCode, err]).toEqual([
      1,
      `dlo: ${account.name('Partner')} has no event source mapping: npx cdk deploy --revert-drift makes it anew\n`,
    ]);
  });

  test('shows what can be known of a relay whose settings it cannot read, and warns', async () => {
    const Variables = { RELAY_SETTINGS: '{"version":9}' };
    const FunctionName = account.name('Bank');
    await account.lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Environment: { Variables } }));
    const { exitCode, out, err } = await account.dlo('show Bank');
    expect(exitCode).toBe(0);
    expect(err).toContain(`dlo: warning: ${FunctionName}: RELAY_SETTINGS: queueUrl must be a text`);
    expect(factsIn(out)).toMatchObject({ 'Delivers to': 'settings of another version', Breaker: 'no breaker' });
    expect(section(out, 'Schedule')).toBe('');
  });
});
