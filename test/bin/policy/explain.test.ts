import { DEFAULT_RELAY_POLICY } from '../../../policy/relay/relay-limits';
import { SAMPLE_POLICY } from '../../policy/arbitraries';
import { dlo } from './run-dlo';

describe('explain command', () => {
  const SAMPLE = JSON.stringify(SAMPLE_POLICY);
  const TOPIC = JSON.stringify({
    http: { defaultHealthyRetryPolicy: SAMPLE_POLICY.healthyRetryPolicy, disableSubscriptionOverrides: true },
  });

  describe('as JSON', () => {
    test('the default policy is three retries at 20, 40 and 60 s', async () => {
      const { exitCode, out, err } = await dlo('policy explain --preset http-default --json');
      expect(JSON.parse(out)).toEqual({
        policy: {
          healthyRetryPolicy: {
            minDelayTarget: 20,
            maxDelayTarget: 20,
            numRetries: 3,
            numMaxDelayRetries: 0,
            numNoDelayRetries: 0,
            numMinDelayRetries: 0,
            backoffFunction: 'linear',
          },
          requestPolicy: { headerContentType: 'text/plain; charset=UTF-8' },
        },
        retries: [
          { retry: 1, phase: 'backoff', delaySeconds: 20, atSeconds: 20 },
          { retry: 2, phase: 'backoff', delaySeconds: 20, atSeconds: 40 },
          { retry: 3, phase: 'backoff', delaySeconds: 20, atSeconds: 60 },
        ],
        totalSeconds: 60,
        problems: [],
      });
      expect([exitCode, err]).toEqual([0, '']);
    });

    test('times carry no noise of adding fractions', async () => {
      const { out } = await dlo('policy explain - --json', {
        '-': '{"healthyRetryPolicy":{"maxDelayTarget":21,"minDelayTarget":20,"numRetries":4}}',
      });
      expect(JSON.parse(out).retries.map((entry: { atSeconds: number }) => entry.atSeconds)).toEqual([
        20, 40.333333, 61, 82,
      ]);
    });
  });

  describe('as text', () => {
    test("the sample of AWS's page", async () => {
      const { exitCode, out, err } = await dlo('policy explain policy.json', { 'policy.json': SAMPLE });
      expect(out).toBe(`policy.json: delivery policy of an HTTP/S subscription
1 + 50 attempts: the first, then 50 retries.
Total: 2,228.96 s (37 min 8.96 s) from first failure to last retry.

Phase         Retries  Numbers  Delay before each
no-delay            3  1-3      none
pre-backoff         2  4-5      1 s
backoff            10  6-15     1 to 60 s, exponential
post-backoff       35  16-50    60 s

Retry  Phase           Delay  Happens at
  1-3  no-delay          0 s  0 s
  4-5  pre-backoff       1 s  1 s to 2 s
    6  backoff           1 s  3 s
    7  backoff        1.12 s  4.12 s
    8  backoff        1.35 s  5.46 s
    9  backoff        1.81 s  7.27 s
   10  backoff        2.73 s  10 s
   11  backoff        4.58 s  14.58 s
   12  backoff        8.27 s  22.86 s
   13  backoff       15.66 s  38.52 s
   14  backoff       30.44 s  1 min 8.96 s
   15  backoff          60 s  2 min 8.96 s
16-50  post-backoff     60 s  3 min 8.96 s to 37 min 8.96 s

Throttle: 10 deliveries a second on average, for each subscription.
Content-Type: application/json
* AWS publishes only the first and the last delay of the exponential curve. The
  delays between them are assumptions.
* A delay counts from the end of the failed attempt before it. The times here
  are those of attempts that fail at once. An endpoint that does not respond
  adds 15 s to each.
* SNS adds jitter, but publishes no details. It is not shown.
`);
      expect([exitCode, err]).toEqual([0, '']);
    });

    test('100,015 retries fold into one line a run', async () => {
      const { out } = await dlo('policy explain --preset aws-managed');
      expect(out.split('\n').length).toBeLessThan(40);
      expect(out).toContain(
        '1 + 100,015 attempts: the first, then 100,015 retries.\nTotal: 2,000,049.67 s (23 d 3 h 34 min)',
      );
      expect(out).toContain('16-100,015  post-backoff     20 s  1 min 9.67 s to 23 d 3 h 34 min\n');
      expect(out).toContain('fail at once.\n');
      expect(out).not.toContain('does not respond');
    });

    test('nothing of a curve is ours where AWS publishes all of it', async () => {
      const linear = { numRetries: 9, minDelayTarget: 1, maxDelayTarget: 9, backoffFunction: 'linear' };
      for (const healthyRetryPolicy of [
        linear,
        { ...linear, backoffFunction: 'geometric', maxDelayTarget: 1 },
        { ...linear, backoffFunction: 'geometric', numRetries: 2 },
      ]) {
        const { out } = await dlo('policy explain -', { '-': JSON.stringify({ healthyRetryPolicy }) });
        expect(out).not.toContain('assumptions');
      }
      const geometric = { healthyRetryPolicy: { ...linear, backoffFunction: 'geometric', numRetries: 3 } };
      expect((await dlo('policy explain -', { '-': JSON.stringify(geometric) })).out).toContain(
        'of the geometric curve',
      );
    });

    test('a phase with one delay shows one', async () => {
      const one = { healthyRetryPolicy: { numRetries: 1, minDelayTarget: 5, maxDelayTarget: 9 } };
      const { out } = await dlo('policy explain -', { '-': JSON.stringify(one) });
      expect(out).toContain('1 + 1 attempts: the first, then 1 retry.\nTotal: 5 s from first');
      expect(out).toContain('backoff             1  1        5 s\n');
    });

    test('no retry is said in words', async () => {
      const none = {
        healthyRetryPolicy: { numRetries: 0, minDelayTarget: 1, maxDelayTarget: 1 },
        throttlePolicy: { maxReceivesPerSecond: 1 },
      };
      const { out } = await dlo('policy explain -', { '-': JSON.stringify(none) });
      expect(out).toContain('1 attempt and no retry: a failed delivery is final.\n');
      expect(out).toContain('Throttle: 1 delivery a second');
      expect(out).not.toContain('Happens at');
    });

    test('a topic that has the only word says so', async () => {
      const { out } = await dlo('policy explain -', { '-': TOPIC });
      expect(out).toContain('standard input: delivery policy of a topic, for its HTTP/S subscriptions\n');
      expect(out).toContain('* Subscriptions cannot override this policy: disableSubscriptionOverrides is\n  true.\n');
    });

    test('warns about a missing member without which SNS rejects the policy, and reports no error', async () => {
      const { exitCode, err } = await dlo('policy explain p.json', {
        'p.json': '{"healthyRetryPolicy":{"numRetries":5}}',
      });
      expect(err).toBe(
        'dlo: warning: p.json: SNS has rejected retry policies without minDelayTarget, maxDelayTarget, although its documentation gives defaults: set each of them\n',
      );
      expect(exitCode).toBe(0);
      expect((await dlo('policy explain -', { '-': '{"throttlePolicy":{"maxReceivesPerSecond":5}}' })).err).toBe('');
    });
  });

  describe('a bad policy', () => {
    const BAD =
      '{"healthyRetryPolicy":{"numRetries":101,"minDelayTarget":1.5},"requestPolicy":{"headerContentType":"text/csv"}}';
    const SAID = [
      'healthyRetryPolicy.minDelayTarget must be a whole number, got 1.5',
      'healthyRetryPolicy.numRetries must be less than or equal to 100, got 101',
      'requestPolicy.headerContentType must be one of application/json, text/plain while raw message delivery is off, got "text/csv"',
    ];

    test('has every problem on stderr, and ends with 2', async () => {
      const { exitCode, out, err, written } = await dlo('policy explain bad.json --plot bad.svg', { 'bad.json': BAD });
      expect(err).toBe(SAID.map(problem => `dlo: bad.json: ${problem}\n`).join(''));
      expect([exitCode, out, written.size]).toEqual([2, '', 0]);
    });

    test('has them in the JSON as well', async () => {
      const { exitCode, out, err } = await dlo('policy explain bad.json --json', { 'bad.json': BAD });
      const explanation = JSON.parse(out);
      expect(explanation).toMatchObject({ policy: JSON.parse(BAD), retries: [], totalSeconds: 0 });
      expect(explanation.problems).toHaveLength(3);
      expect(explanation.problems[1]).toEqual({
        property: 'healthyRetryPolicy.numRetries',
        rule: 'must be less than or equal to 100',
        value: 101,
        message: SAID[1],
      });
      expect(err.split('\n')).toHaveLength(4);
      expect(exitCode).toBe(2);
    });

    test('may be good for raw message delivery', async () => {
      const csv = { '-': '{"requestPolicy":{"headerContentType":"text/csv"}}' };
      expect((await dlo('policy explain -', csv)).exitCode).toBe(2);
      expect((await dlo('policy explain - --raw', csv)).exitCode).toBe(0);
    });
  });

  describe('bad input', () => {
    test.each([
      ['policy explain missing.json', 'dlo: missing.json: no such file\n'],
      ['policy explain empty.json', 'dlo: empty.json: is empty, and a delivery policy was expected\n'],
      ['policy explain -', 'dlo: standard input: is empty, and a delivery policy was expected\n'],
      [
        'policy explain',
        'dlo: policy explain needs one policy: a FILE, - for standard input, --preset NAME, or --relay\n',
      ],
      [
        'policy explain a.json --preset aws-managed',
        'dlo: policy explain needs one policy: a FILE, - for standard input, --preset NAME, or --relay\n',
      ],
    ])('%s', async (args, message) => {
      const { exitCode, out, err } = await dlo(args, { 'empty.json': ' \n', '-': '\uFEFF' });
      expect([exitCode, out, err]).toEqual([2, '', message]);
    });

    test('a policy that is not JSON is an error of one line, and with --json the answer is JSON still', async () => {
      const { exitCode, out, err } = await dlo('policy explain p.json --json', { 'p.json': '{"healthy' });
      expect(err).toMatch(/^dlo: p\.json: DeliveryPolicy must be JSON \(.*\), got "\{\\"healthy"\n$/);
      expect(JSON.parse(out)).toMatchObject({
        policy: {},
        retries: [],
        totalSeconds: 0,
        problems: [{ property: 'DeliveryPolicy' }],
      });
      expect(exitCode).toBe(2);
    });

    test.each([
      [
        'policy explain --preset sqs',
        /argument 'sqs' is invalid\. Allowed choices are aws-managed, customer-managed, http-default/,
      ],
      ['policy explain --speed 3', /unknown option '--speed'/],
      ['policy explain a.json b.json', /too many arguments/],
      ['policy explain --plot', /argument missing/],
      ['policy examine', /unknown command 'examine'/],
      ['polcy', /unknown command 'polcy'/],
      ['policy', /Usage: dlo policy/],
      ['', /Usage: dlo/],
    ])('dlo %s', async (args, message) => {
      const { exitCode, out, err } = await dlo(args);
      expect([exitCode, out]).toEqual([2, '']);
      expect(err).toMatch(message);
    });
  });

  test('a byte order mark is no part of a policy', async () => {
    expect((await dlo('policy explain -', { '-': `\uFEFF${SAMPLE}` })).exitCode).toBe(0);
  });

  test('help is no error', async () => {
    const { exitCode, out, err } = await dlo('policy explain --help');
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toContain('Usage: dlo policy explain [options] [FILE]');
    expect(out).toContain('Exit codes: 0 success, 1 failure, 2 bad input');
  });

  describe('a plot', () => {
    test('is written beside the text', async () => {
      const { exitCode, out, written } = await dlo('policy explain p.json --plot p.svg', { 'p.json': SAMPLE });
      expect([exitCode, [...written.keys()]]).toEqual([0, ['p.svg']]);
      expect(written.get('p.svg')).toMatch(/^<svg [\s\S]*p\.json: delivery policy[\s\S]*<\/svg>\n$/);
      expect(out).toContain('1 + 50 attempts');
    });

    test('that cannot be written ends with 1', async () => {
      const { exitCode, err } = await dlo('policy explain p.json --plot /nowhere/p.svg', { 'p.json': SAMPLE });
      expect([exitCode, err]).toEqual([1, 'dlo: cannot write /nowhere/p.svg\n']);
    });
  });
});

describe('explain relay', () => {
  /** A policy with this many retries, all after the same delay. */
  const evenly = (numRetries: number, delaySeconds: number, more = {}) =>
    JSON.stringify({
      healthyRetryPolicy: { numRetries, minDelayTarget: delaySeconds, maxDelayTarget: delaySeconds, ...more },
    });

  const explained = (policy: string, options = '') =>
    dlo(`policy explain p.json --relay ${options}`, { 'p.json': policy });

  /** The table of what is in flight, without its heading. */
  const inFlightRows = (out: string) =>
    out
      .match(/Messages a second.*\n((?: *[\d.,]+ {2}.*\n)+)/)?.[1]
      ?.trimEnd()
      .split('\n');

  describe('The default policy of a relay', () => {
    test('needs no file, and lasts for more than three days', async () => {
      const { exitCode, out, err } = await dlo('policy explain --relay');
      expect([exitCode, err]).toEqual([0, '']);
      expect(out).toContain('the default policy of an HttpRelay\n1 + 93 attempts');
      expect(out).toContain('(3 d 10 h 2 min) from first failure to last retry');
      expect(out).toContain('up to 10 % shorter or longer');
      expect(out).not.toContain('SNS adds jitter');
      expect(out.split('\n').every(line => line.length <= 80)).toBe(true);
    });

    test('is drawn', async () => {
      const { written } = await dlo('policy explain --relay --plot p.svg');
      expect(written.get('p.svg')).toContain('the default policy of an HttpRelay');
    });

    test('is data, with the rates at which its queue is full', async () => {
      const { out } = await dlo('policy explain --relay --json');
      const { policy, retries, totalSeconds, inFlight } = JSON.parse(out);
      expect(policy).toEqual({ healthyRetryPolicy: DEFAULT_RELAY_POLICY });
      expect(retries).toHaveLength(93);
      expect(inFlight.map(({ messages }: { messages: number }) => messages)).toEqual([80_000, 120_000]);
      for (const { messages, failingPerSecond } of inFlight) {
        expect(failingPerSecond * totalSeconds).toBeCloseTo(messages, 5);
      }
    });
  });

  // aws-semantics.md section 7: a queue returns no more messages with about 120,000 in flight.
  describe('What a relay has in flight', () => {
    test('is told by rates at which its policy comes there at all, and by round ones above', async () => {
      const { out } = await explained(evenly(100, 800));
      expect(inFlightRows(out)).toEqual([
        '                1  22 h 13 min 20 s  never',
        '              1.5  14 h 48 min 53 s  22 h 13 min 20 s',
        '               10  2 h 13 min 20 s   3 h 20 min',
        '              100  13 min 20 s       20 min',
        '            1,000  1 min 20 s        2 min',
      ]);
    });

    test.each([
      ['that SNS carries out', 'policy explain p.json', evenly(3, 20)],
      ['without a delay', 'policy explain p.json --relay', evenly(2, 20, { numNoDelayRetries: 2 })],
      ['without retries', 'policy explain p.json --relay', evenly(0, 20)],
    ])('is not told of a policy %s', async (_what, args, policy) => {
      const { exitCode, out } = await dlo(args, { 'p.json': policy });
      expect([exitCode, out]).toEqual([0, expect.not.stringContaining('In flight while')]);
      const { out: json } = await dlo(`${args} --json`, { 'p.json': policy });
      expect(JSON.parse(json)).not.toHaveProperty('inFlight');
    });
  });

  describe('A policy of a relay', () => {
    test('may go where SNS does not', async () => {
      const hourly = evenly(200, 3_600);
      expect((await explained(hourly)).out).toContain('p.json: retry policy of an HttpRelay\n1 + 200 attempts');
      expect((await dlo('policy explain p.json', { 'p.json': hourly })).exitCode).toBe(2);
    });

    // 10 days less an hour, with 10 % of jitter, as in the construct.
    test('fits the time its queue keeps messages, ten days unless told otherwise', async () => {
      const nineDays = evenly(220, 3_600);
      const refused = await explained(nineDays);
      expect([refused.exitCode, refused.out]).toEqual([2, '']);
      expect(refused.err).toMatch(/^dlo: p\.json: healthyRetryPolicy .*while its queue keeps a message.*\n$/);
      expect((await explained(nineDays, '--retention 14')).exitCode).toBe(0);
      expect((await explained(evenly(100, 3_600), '--retention 2')).exitCode).toBe(2);
    });

    test('says nothing of rate and content type, which the relay itself is told', async () => {
      const { exitCode, out } = await explained(
        JSON.stringify({ ...SAMPLE_POLICY, requestPolicy: { headerContentType: 'application/cloudevents+json' } }),
      );
      expect(exitCode).toBe(0);
      expect(out).toContain('are properties of its construct');
      expect(out).not.toMatch(/Throttle:|Content-Type:/);
      expect((await explained(evenly(3, 20))).out).not.toContain('are properties of its construct');
    });

    test('is not warned of what SNS alone demands', async () => {
      expect((await explained('{"healthyRetryPolicy":{"numRetries":5}}')).err).toBe('');
    });
  });

  test.each([
    ['--relay --preset aws-managed', /cannot be used with option '--preset/],
    ['--relay --raw', /cannot be used with option '--raw/],
    ['--retention 3', /--retention is for --relay only/],
    ['--relay --retention 15', /above 0, and 14 at most/],
    ['--relay --retention soon', /above 0, and 14 at most/],
  ])('dlo policy explain %s is bad input', async (args, message) => {
    const { exitCode, out, err } = await dlo(`policy explain ${args}`);
    expect([exitCode, out]).toEqual([2, '']);
    expect(err).toMatch(message);
  });
});
