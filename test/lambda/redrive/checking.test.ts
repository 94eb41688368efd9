import { passChecker } from '../../../lambda/redrive/checking';
import type { MoveFacts, RedriveFacts } from '../../../policy/redrive/redrive-facts';
import { alarm, depth, FACTS, MINUTE, move, NOW, SETTINGS } from '../../policy/redrive/fixtures';

const STARTED = NOW - MINUTE;

const MOVE_PASS: MoveFacts = move({ carrier: 'copy', status: 'RUNNING', startedAtMs: STARTED, moved: 40, toMove: 500 });

/** What comes of a look while a stint goes on, where it shows such changes since the stint began. */
function check(changes: Partial<RedriveFacts> = {}, settings: Partial<typeof SETTINGS> = {}) {
  const looking = passChecker(
    {
      readAgain: async (before, movePass) => {
        const facts = { ...before, moves: [movePass], ...changes };
        return { facts, ifUnreadWereHealthy: facts, unread: [] };
      },
    },
    { ...SETTINGS, ...settings },
  );
  return looking({ ...FACTS, deadLetters: depth(460) }, MOVE_PASS, STARTED);
}

test('A stint goes on while all is well', async () => {
  expect(await check()).toBeUndefined();
});

test('A stint keeps its own quota, which is within the budget: that is no cause to stop it', async () => {
  expect(await check({}, { messagesPerDay: 60 })).toBeUndefined();
});

test('A stint goes on where what waits in the destination can be its own: in a minute, the first at once, 61', async () => {
  expect(await check({ destination: { depth: depth(1_061) } })).toBeUndefined();
});

test.each<[string, Partial<RedriveFacts>, object]>([
  ['the switch is off', { killSwitch: 'off' }, { cause: 'switched-off' }],
  ['the switch cannot be read', { killSwitch: 'unknown' }, { cause: 'switch-unknown' }],
  ['the destination is gone', { destination: undefined }, { cause: 'no-destination' }],
  ['too much waits in the destination', { destination: { depth: depth(1_062) } }, { cause: 'backlog' }],
  [
    'nobody reads the destination',
    { mappings: [{ id: 'mapping-1', state: 'Disabled' }] },
    { cause: 'consumer-stopped' },
  ],
  ['nobody can look at an alarm', { alarms: [alarm('orders-failing')] }, { cause: 'alarm-missing' }],
  [
    'an alarm fires',
    { alarms: [alarm('orders-failing', { state: 'ALARM', sinceMs: NOW }), alarm('orders-late')] },
    { cause: 'alarm-firing', reason: 'the alarm orders-failing is in ALARM' },
  ],
  [
    'an alarm has fired and is OK again',
    { alarms: [alarm('orders-failing', { sinceMs: NOW - 1, recovered: true }), alarm('orders-late')] },
    { cause: 'alarm-firing', reason: 'the alarm orders-failing has fired since the run began' },
  ],
  [
    'somebody moves letters beside it',
    { moves: [move({ status: 'RUNNING', messagesPerSecond: 2 }), MOVE_PASS] },
    { cause: 'foreign-task' },
  ],
])('A stint stops where %s', async (_, changes, halt) => {
  expect(await check(changes)).toMatchObject(halt);
});

describe('What could not be read', () => {
  const unread = ['DescribeAlarms: ThrottlingException: Rate exceeded'];

  /** Looks at stints, so many seconds after now each, of which all but some can read nothing. */
  async function halts(looks: readonly { atS: number; isRead?: boolean; movePass?: MoveFacts; beside?: object }[]) {
    let atMs = NOW;
    let isRead = true;
    let beside = {};
    const look = passChecker(
      {
        readAgain: async (before, movePass) => {
          const ifUnreadWereHealthy = { ...before, moves: [movePass], nowMs: atMs, ...beside };
          const facts: RedriveFacts = isRead ? ifUnreadWereHealthy : { ...ifUnreadWereHealthy, killSwitch: 'unknown' };
          return { facts, ifUnreadWereHealthy, unread: isRead ? [] : unread };
        },
      },
      SETTINGS,
    );
    const causes: (string | undefined)[] = [];
    for (const { atS, movePass = MOVE_PASS, ...how } of looks) {
      atMs = NOW + atS * 1_000;
      isRead = how.isRead ?? false;
      beside = how.beside ?? {};
      causes.push((await look({ ...FACTS, deadLetters: depth(460) }, movePass, STARTED))?.cause);
    }
    return causes;
  }

  test('stops a stint once it could not be for two and a half minutes', async () => {
    const looks = [0, 30, 60, 90, 120, 149, 150].map(atS => ({ atS }));
    expect(await halts(looks)).toEqual([...Array(6).fill(undefined), 'switch-unknown']);
  });

  test('is forgotten once all was read again', async () => {
    expect(await halts([{ atS: 0 }, { atS: 120, isRead: true }, { atS: 150 }, { atS: 299 }, { atS: 300 }])).toEqual([
      ...Array(4).fill(undefined),
      'switch-unknown',
    ]);
  });

  test('is nothing to the next stint', async () => {
    const next = { ...MOVE_PASS, startedAtMs: STARTED + 15 * MINUTE };
    expect(await halts([{ atS: 0 }, { atS: 900, movePass: next }])).toEqual([undefined, undefined]);
  });

  test('hides nothing that was read', async () => {
    const beside = { mappings: [{ id: 'mapping-1', state: 'Disabled' }] };
    expect(await halts([{ atS: 0, beside }])).toEqual(['consumer-stopped']);
  });
});
