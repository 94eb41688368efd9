import type { RelayFacts } from '../../../account/relay/relay-state';
import { listText } from '../../../bin/relay/relay-command';
import { PAINT } from '../command-output';

const QUIET: RelayFacts = {
  relay: {
    name: 'Partner',
    logGroupName: 'log',
    settings: undefined,
    problems: [],
    isMappingUnknown: false,
    mapping: { id: '1', queueArn: 'arn', state: 'Enabled', maximumConcurrency: 5, lastModifiedAtMs: 0 },
    breaker: { configuredConcurrency: 5, probeIntervalMs: 300_000, logGroupName: 'log of the breaker' },
  },
  messages: { areUnknown: false, visible: 1_200, inFlight: 3, dead: 0 },
  failureAlarm: { name: 'Failing', state: 'OK', sinceMs: 0, description: '' },
  alarms: [],
  areAlarmsUnknown: false,
};

const lineOf = (facts: RelayFacts) => listText([facts], 'us-east-1', { paint: PAINT }).split('\n')[1] ?? '';

test('The heading of the list stands out, and numbers have their thousands apart', () => {
  const [heading, line] = listText([QUIET], 'us-east-1', { paint: PAINT }).split('\n');
  expect(heading).toMatch(/^<b>RELAY .*<\/b>$/);
  expect(line).toMatch(/^Partner .* closed +1,200 +3 +0 {2}OK$/);
});

test('What is unknown of a relay is shown as unknown, and not as missing', () => {
  const unread = { areUnknown: true, visible: undefined, inFlight: undefined, dead: undefined };
  const relay = { ...QUIET.relay, mapping: undefined, isMappingUnknown: true };
  const facts = { ...QUIET, relay, messages: unread, failureAlarm: undefined, areAlarmsUnknown: true };
  expect(lineOf(facts)).toMatch(/^Partner .* \? +\? +\? +\? +\?$/);
});

test.each([
  ['dead letters', { messages: { areUnknown: false, visible: 0, inFlight: 0, dead: 1 } }],
  ['an alarm that fires', { failureAlarm: { name: 'Failing', state: 'ALARM', sinceMs: 0, description: '' } }],
  ['no mapping', { relay: { ...QUIET.relay, mapping: undefined } }],
] satisfies [string, Partial<RelayFacts>][])('A relay with %s stands out', (_, facts) => {
  expect(lineOf({ ...QUIET, ...facts })).toMatch(/^<y>Partner .*<\/y>$/);
});

test.each([
  ['Disabled', 2],
  ['Enabled', 2],
  ['Disabled', 5],
])('A relay whose mapping is %s with %i stands out', (state, maximumConcurrency) => {
  const mapping = { id: '1', queueArn: 'arn', state, maximumConcurrency, lastModifiedAtMs: 0 };
  expect(lineOf({ ...QUIET, relay: { ...QUIET.relay, mapping } })).toMatch(/^<y>/);
});

test('A terminal that is too narrow for the table shows each relay in a few lines', () => {
  const dead = { ...QUIET, messages: { areUnknown: false, visible: 0, inFlight: 0, dead: 1 } };
  const text = listText([QUIET, dead], 'us-east-1', { paint: PAINT, width: 40 });
  expect(text).toMatch(
    /^Partner\n {2}delivers to {4}\S.*\n {2}breaker {8}closed\n {2}due {12}1,200\n.*\n.*\n {2}failure alarm {2}OK\n<y>Partner<\/y>\n/,
  );
  expect(listText([QUIET], 'us-east-1', { paint: PAINT, width: 100 })).toMatch(/^<b>RELAY/);
});
