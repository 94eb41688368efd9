import { readFileSync } from 'node:fs';
import path from 'node:path';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnRule } from 'aws-cdk-lib/aws-events';
import { ALL_LANES, RESERVE_MS, SWEEP_LANES } from '../../lambda/relay-breaker/drain';
import { MIN_RUN_SECONDS } from '../../lib/relay/breaker';
import { IN_FLIGHT_MARKS } from '../../policy/aws-limits';
import { afterProbe, breakerState, breakerStep, type MappingFacts } from '../../policy/relay/breaker';
import { DEFAULT_RELAY_POLICY, DEFAULT_RELAY_TERMS } from '../../policy/relay/relay-limits';
import { DAY_SECONDS } from '../../policy/time-units';
import { chancesOfAttempts } from '../support/attempt-shares';
import { STACK_BREAKER } from '../support/breakers';
import { examples, stackOf } from '../support/markdown-examples';
import { ROOT } from './source-files';

const GUIDE = ['relay', 'relay-design'].map(it => readFileSync(path.join(ROOT, `docs/${it}.md`), 'utf8')).join('\n');
const [TEN_LINES = ''] = examples(GUIDE);

/** The counts that the guide writes as words, from fifteen on. */
const WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** The numbers in the guide at the place of each group. */
function figures(sentence: RegExp): readonly number[] {
  const said = GUIDE.match(sentence);
  if (!said) throw new Error(`the guide has no sentence that matches ${sentence}`);
  return said.slice(1).map(figure => Number(figure.replaceAll(',', '')));
}

/** The targets of the breaker's rule. */
function breakerOf(example: string): CfnRule['targets'] {
  const rules = stackOf(example)
    .node.findAll()
    .filter((it): it is CfnRule => it instanceof CfnRule);
  return rules.find(({ node }) => node.path.includes(`/${STACK_BREAKER}/`))?.targets;
}

/** The number of alarms that the ten-line example has below a construct. */
function alarmsOf(construct: string): number {
  const all = stackOf(TEN_LINES).node.findAll();
  return all.filter(it => it instanceof CfnAlarm && it.node.path.includes(`/${construct}/`)).length;
}

/** Those of the relay, and that of the breaker, which the first relay of a stack adds. */
const alarmsOfRelay = () => alarmsOf('ToPartnerRelay') + alarmsOf(STACK_BREAKER);

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

test('The guide to the relay states how many messages an open breaker saves from expiring', () => {
  const [minutes, lanes, inFlight, shared, expiring, perDay] = figures(
    /the breaker has (\d+) minutes, (\d+) concurrent batches of ten, and at most ([\d,]+) messages in flight[\s\S]*?several relays share (\d+) such[\s\S]*? no more than ([\d,]+) of them expire on one day, if a\s+batch takes half a second\. By default, a relay that receives ([\d,]+) messages a day/,
  );
  const milliseconds = MIN_RUN_SECONDS * 1_000 - RESERVE_MS;
  const windows = DEFAULT_RELAY_TERMS.retentionSeconds / DAY_SECONDS;
  expect({ minutes, lanes, inFlight, shared, expiring, perDay }).toEqual({
    minutes: milliseconds / 60_000,
    lanes: SWEEP_LANES,
    inFlight: IN_FLIGHT_MARKS.limit,
    shared: ALL_LANES,
    expiring: 2 * SWEEP_LANES * 10 * (milliseconds / 500),
    perDay: IN_FLIGHT_MARKS.limit / windows,
  });
});

/** The minutes from the first success to a closed breaker. It checks at each tick, and its changes take a few seconds. */
function minutesToClose(configuredConcurrency: number): number {
  const written = JSON.stringify(stackOf(TEN_LINES).resolve(breakerOf(TEN_LINES)));
  const setting = (name: string) => Number(written.match(new RegExp(`${name}\\W+(\\d+)`))?.[1]);
  const [settleMs, probeIntervalMs, tickMs] = ['settleMs', 'probeIntervalMs', 'tickMs'].map(setting) as [
    number,
    number,
    number,
  ];
  const changedAt = (nowMs: number) => nowMs + 5_000;
  let mapping: MappingFacts = { state: 'Enabled', maximumConcurrency: 2, lastModifiedAtMs: changedAt(0) };
  let nowMs = 0;
  while (breakerState(mapping, configuredConcurrency) !== 'closed') {
    nowMs += tickMs;
    const alarm = { state: 'OK', sinceMs: 0 } as const;
    const facts = { nowMs, mapping, configuredConcurrency, alarm, settleMs, probeIntervalMs, tickMs };
    if (breakerStep(facts).kind !== 'probe') continue;
    const step = afterProbe({ kind: 'answered', attempts: 1, delivered: 1, failedAttempts: 0 }, facts);
    if (step.kind === 'enable') mapping = { ...mapping, ...step, lastModifiedAtMs: changedAt(nowMs) };
  }
  return nowMs / 60_000;
}

test('The guide to the relay states how long a breaker takes to close', () => {
  const tens: Readonly<Record<string, number>> = { ten: 10, twenty: 20, fifty: 50 };
  const [, step = '', first = '', second = ''] =
    GUIDE.match(
      /(\w+) minutes after each step the relay tries one message[\s\S]*?of 5 is closed again (\w+) minutes after the first success, and one with 50 after (\w+)\./,
    ) ?? [];
  expect([step, first, second].map(word => tens[word.toLowerCase()])).toEqual([3, 5, 50].map(minutesToClose));
});

describe('The costs in the guide to the relay', () => {
  test('state the number of alarms as a word in the comparison', () => {
    const [, word = ''] = GUIDE.match(/^\| runs in your account .* (\w+) alarms \|$/m) ?? [];
    expect(WORDS.indexOf(word)).toBe(alarmsOfRelay());
  });

  test('state how often the default policy tries a message in a day of silence', () => {
    const attempts = chancesOfAttempts();
    const atOnce = attempts.slice(1, 1 + DEFAULT_RELAY_POLICY.numNoDelayRetries);
    const [tries, receives] = figures(
      /a message is tried (\d+) times on\s+average until the endpoint is back, in (\d+) receives/,
    );
    expect({ tries, receives }).toEqual({
      tries: Math.round(sum(attempts)),
      receives: Math.round(sum(attempts) - sum(atOnce)),
    });
  });

  test('include the time that a function without a breaker waits', () => {
    const [messages = 0] = figures(/^\| ([\d,]+) messages, 24 hours of silence \|/m);
    const [millions = 0] = figures(/^\| attempts that fail \| ([\d.]+) million \|/m);
    expect(millions).toBe(Math.round((messages * sum(chancesOfAttempts())) / 100_000) / 10);
    const [waitSeconds, gigabyteSeconds = 0, dollars] = figures(
      /^\| Lambda: batches of ten wait (\d+) s together, the first 30 s \| ([\d,]+) GB-s: ([\d.]+) \|/m,
    );
    expect(waitSeconds).toBe(DEFAULT_RELAY_TERMS.totalTimeoutSeconds);
    const seconds = (messages / 10) * sum(chancesOfAttempts()) * DEFAULT_RELAY_TERMS.totalTimeoutSeconds;
    expect(gigabyteSeconds).toBe(Math.round((0.25 * seconds) / 1_000) * 1_000);
    expect(dollars).toBeCloseTo(gigabyteSeconds * 0.0000133334, 2);
  });
});
