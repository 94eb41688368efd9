import { DEFAULT_RELAY_POLICY } from '../../../policy/relay/relay-defaults';
import { SAMPLE_POLICY } from '../../policy/arbitraries';
import { dlo } from './run-dlo';

/** As many retries as said, all of them after the same delay. */
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

// aws-semantics.md section 7: a queue gives out no more with about 120,000 messages in flight; design.md section 5.
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

  // 10 days less an hour, and 10 % of jitter: as the construct has it.
  test('fits the time its queue keeps messages, ten days unless told otherwise', async () => {
    const nineDays = evenly(220, 3_600);
    const refused = await explained(nineDays);
    expect([refused.exitCode, refused.out]).toEqual([2, '']);
    expect(refused.err).toMatch(/^dlo: p\.json: healthyRetryPolicy .*while its queue keeps a message.*\n$/);
    expect((await explained(nineDays, '--retention 14')).exitCode).toBe(0);
    expect((await explained(evenly(100, 3_600), '--retention 2')).exitCode).toBe(2);
  });

  // An invocation with n immediate retries takes (1 + n) x 16 s + 15 s at most, a second of 16 for the turns of ten, and messages
  // are hidden for six times that: 12 h - 186 s - 5 s, and - 1,146 s - 5 s.
  test.each([
    ['43,009 s where it has no immediate retry', 43_009, 0],
    ['42,049 s where it has ten', 42_049, 10],
  ])('has delays of at most %s', async (_most, mostSeconds, numNoDelayRetries) => {
    const withDelay = (seconds: number) => evenly(numNoDelayRetries + 1, seconds, { numNoDelayRetries });
    expect((await explained(withDelay(mostSeconds))).err).toBe('');
    const { exitCode, err } = await explained(withDelay(mostSeconds + 1));
    expect(exitCode).toBe(2);
    expect(err).toContain(`must be less than or equal to ${mostSeconds}, got ${mostSeconds + 1}`);
  });

  test('has as many immediate retries as an invocation has time for', async () => {
    const { exitCode, err } = await explained(evenly(80, 20, { numNoDelayRetries: 80 }));
    expect([exitCode, err]).toEqual([2, expect.stringContaining('numNoDelayRetries')]);
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
