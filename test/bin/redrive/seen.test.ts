import type { AlarmReport } from '../../../account/alarm-reports';
import { adviceOf } from '../../../account/redrive/advice';
import { prospectOf } from '../../../account/redrive/operate-redrive';
import { type FailurePlace, gatesOf, movesOf, type RedriveView } from '../../../account/redrive/redrive-state';
import { decisionText, depthText } from '../../../account/redrive/redrive-words';
import { listText } from '../../../bin/redrive/redrive-text';
import { planRedrive } from '../../../policy/redrive/plan-redrive';
import type { RedriveFacts } from '../../../policy/redrive/redrive-facts';
import type { RedriveSettings } from '../../../policy/redrive/redrive-settings';
import { MINUTE_MS } from '../../../policy/time-units';
import { alarm, depth, FACTS, move, NOW, QUARANTINE, SETTINGS } from '../../policy/redrive/fixtures';
import { PAINT } from '../command-output';

function seen(changes: Partial<RedriveFacts> = {}, stated: Partial<RedriveSettings> = {}): RedriveView {
  const settings = { ...SETTINGS, ...stated };
  const facts: RedriveFacts = { ...FACTS, ...changes };
  const redrive = { name: 'orders-redrive', path: settings.name, logGroupName: 'log', settings, problems: [] };
  const ifAsked = planRedrive(settings, { ...facts, trigger: 'operator' });
  return { redrive, facts, byItself: planRedrive(settings, facts), ifAsked };
}

const RUNNING = move({ status: 'RUNNING', handle: 'task', startedAtMs: NOW - MINUTE_MS / 2, moved: 5 });

describe('Asking for a run', () => {
  test.each([
    ['begins one where all is well', 'begins', seen()],
    ['begins none where it is not enabled', 'kept', seen({}, { enabled: false })],
    ['begins none where a gate is shut', 'kept', seen({ killSwitch: 'off' })],
    ['is for nothing where there is no message', 'nothing-to-do', seen({ deadLetters: depth(0) })],
    ['is for nothing while one moves', 'nothing-to-do', seen({ moves: [RUNNING] })],
    [
      'is for nothing while one settles',
      'nothing-to-do',
      seen({ moves: [move({ startedAtMs: NOW - 3 * MINUTE_MS })] }),
    ],
    [
      'is for nothing where one is about to go on',
      'nothing-to-do',
      seen({ moves: [move()], destination: { depth: depth(0), deleted: 60 } }),
    ],
    [
      'begins none before it is known how the last one ended',
      'kept',
      seen({ moves: [move({ startedAtMs: NOW - 2 * MINUTE_MS, moved: 3 })] }),
    ],
  ] as const)('%s', (_, prospect, it) => {
    expect(prospectOf(it)).toBe(prospect);
  });
});

test('Gates are those of a run that would begin, and of going on where messages move', () => {
  const shut = (it: RedriveView) => gatesOf(it).flatMap(({ cause, reason }) => (reason === undefined ? [] : [cause]));
  const alarms = [alarm('orders-failing', { state: 'ALARM', sinceMs: NOW }), alarm('orders-late')];
  expect(shut(seen())).toEqual([]);
  expect(shut(seen({ killSwitch: 'off', alarms }))).toEqual(['switched-off', 'alarm-firing', 'not-healthy-for-long']);
  expect(shut(seen({ alarms, moves: [RUNNING] }))).toEqual(['alarm-firing']);
  expect(gatesOf(seen()).map(({ cause }) => cause)).toContain('runs-spent');
  expect(gatesOf(seen({ moves: [RUNNING] })).map(({ cause }) => cause)).not.toContain('runs-spent');
});

test("Somebody else's move is told from its own", () => {
  const theirs = move({ startedAtMs: NOW - MINUTE_MS / 4, messagesPerSecond: 7, status: 'RUNNING' });
  expect(movesOf(seen({ moves: [theirs, RUNNING] })).map(({ isOwn }) => isOwn)).toEqual([false, true]);
});

/** A user who has passed an endpoint and a profile. */
const SITE = { options: { profile: 'ops', endpointUrl: 'http://127.0.0.1:4566' }, region: 'eu-west-1' };

describe('What to do', () => {
  const place: FailurePlace = { queue: QUARANTINE, isByRedrive: false, depth: depth(2), oldestAgeSeconds: 7_200 };
  const link = 'https://example.com/runbook#redrive-stopped';
  const own: AlarmReport = { name: 'Stopped', state: 'OK', sinceMs: NOW, description: `It stopped. ${link}` };
  const advised = (it: RedriveView, places: readonly FailurePlace[] = [], ownAlarms: readonly AlarmReport[] = []) =>
    adviceOf({ seen: it, site: SITE, places, alarms: [], ownAlarms });

  test('is nothing where there is no message and nothing is wrong', () => {
    expect(advised(seen({ deadLetters: depth(0) }), [{ ...place, depth: depth(0) }])).toEqual([]);
  });

  test('names the section of the runbook, wherever its app says it is', () => {
    const [advice] = advised(seen({ deadLetters: depth(0) }), [place], [own]);
    expect(advice).toMatch(
      /^2 messages are in quarantine, the oldest for 2 h\. .* https:\/\/example\.com\/runbook#dead-letters-in-quarantine\n/,
    );
    expect(advised(seen({ deadLetters: depth(0) }), [place])[0]).not.toContain('See');
  });

  test('is said in commands for the same profile, Region and endpoint', () => {
    const [, look] = advised(seen({ deadLetters: depth(0) }), [place])
      .join('\n')
      .split('\n');
    expect(look).toMatch(/^aws sqs receive-message .* --profile ops --region eu-west-1 --endpoint-url \S+$/);
    expect(advised(seen({ killSwitch: 'off' }))[0]).toMatch(
      /\ndlo redrive start \S+ --execute --profile ops --endpoint-url http:\/\/127\.0\.0\.1:4566$/,
    );
  });

  test('leaves to another redrive what that one empties, and misses a queue that is gone', () => {
    const places = [
      { ...place, emptiedBy: 'other-redrive' },
      { ...place, depth: undefined },
    ];
    expect(advised(seen({ deadLetters: depth(0) }), places)).toEqual([
      '2 messages are in quarantine, the oldest for 2 h, which the redrive other-redrive empties.',
      'quarantine, the queue for messages that fail again, does not exist: npx cdk deploy --revert-drift creates it again.',
    ]);
  });

  test('does not say how to begin a run of one that is not enabled', () => {
    expect(advised(seen({}, { enabled: false }))).toEqual([
      'It is not enabled: it moves messages only with enabled: true in its app.',
    ]);
  });
});

test('A quota of all there are is none, and a queue that is not there has no depth', () => {
  const start = { kind: 'start', step: 2, carrier: 'copy', messagesPerSecond: 50, reason: 'all is well' } as const;
  expect(decisionText({ ...start, messages: Number.POSITIVE_INFINITY })).toBe(
    'continues with step 3: all that are left at 50 a second, by copying; all is well',
  );
  expect(depthText(undefined)).toBe('the queue does not exist');
  expect(depthText(depth(1_200, 3, 4))).toBe('1,200 visible, 3 in flight, 4 delayed');
});

test.each([
  ['stopped', { moves: [move({ startedAtMs: NOW - 60 * MINUTE_MS, moved: 3 })] }, true],
  ['switched off', { killSwitch: 'off' }, true],
  ['without its dead-letter queue', { deadLetters: undefined }, true],
  ['well', {}, false],
] satisfies [string, Partial<RedriveFacts>, boolean][])(
  'In the list one that is %s stands out, if somebody should look',
  (_, facts, isOut) => {
    const it = seen(facts);
    const [heading, line] = listText([{ redrive: it.redrive, seen: it, warnings: [] }], 'us-east-1', {
      paint: PAINT,
    }).split('\n');
    expect(heading).toMatch(/^<b>REDRIVE .*<\/b>$/);
    expect(line?.startsWith('<y>')).toBe(isOut);
  },
);
