import type { RedriveCause } from '../../../policy/redrive/redrive-decision';
import { ModelGame } from './model-game';
import { RULES } from './model-rules';

const GAMES = 500;

const CANCELLED_FOR: readonly RedriveCause[] = [
  'alarm-firing',
  'backlog',
  'returned',
  'consumer-stopped',
  'messages-spent',
  'switch-unknown',
  'switched-off',
];

const STOPPED_FOR: readonly RedriveCause[] = [
  'abandoned',
  'alarm-firing',
  'alarm-missing',
  'alarm-without-data',
  'returned',
  'cancelled',
  'consumer-stopped',
  'messages-spent',
  'task-failed',
  'not-consumed',
];

const LEFT_FOR: readonly RedriveCause[] = [
  'alarm-firing',
  'alarm-missing',
  'alarm-without-data',
  'backlog',
  'consumer-stopped',
  'foreign-task',
  'messages-spent',
  'no-dead-letters',
  'not-healthy-for-long',
  'nothing-to-do',
  'resting',
  'runs-spent',
  'switch-unknown',
  'switched-off',
];

/** The violations by rule, each with the seed of its game. */
const broken = new Map<string, string[]>();

/** The decisions and their causes in all games, counted. */
const decided = new Map<string, number>();

/** How many runs began in all games together. */
let runs = 0;

async function play(seed: number): Promise<void> {
  const game = new ModelGame(seed);
  await game.play();
  const rests = await game.comesToRest();
  // Messages in flight become visible, so that all can be counted.
  await game.world.timeline.advanceTo(game.world.nowMs + 60_000);
  const note = (rule: string, wrongs: readonly string[]) =>
    broken.set(rule, [...(broken.get(rule) ?? []), ...wrongs.map(wrong => `seed ${seed}: it ${wrong}`)]);
  note('it always ends', rests ? [] : ['never comes to rest']);
  for (const [name, rule] of Object.entries(RULES)) note(name, rule(game));
  runs += game.begun.filter(({ step }) => step === 0).length;
  for (const { plan } of game.looks) {
    const { decision } = plan;
    const what = 'cause' in decision ? `${decision.kind}: ${decision.cause}` : decision.kind;
    decided.set(what, (decided.get(what) ?? 0) + 1);
  }
}

describe(`In ${GAMES} games, with arrivals, failures, lost and doubled ticks, delays, and people who interfere`, () => {
  beforeAll(async () => {
    for (let seed = 1; seed <= GAMES; seed += 1) await play(seed);
  });

  test.each(['it always ends', ...Object.keys(RULES)])('%s', rule => {
    expect(broken.get(rule)).toEqual([]);
  });

  test('runs begin, go on, end well, and are cancelled and stopped for nearly every cause there is', () => {
    const missing = (kind: string, causes: readonly string[]) =>
      causes.map(cause => `${kind}: ${cause}`).filter(what => !decided.has(what));
    expect(['start', 'wait', 'finish'].filter(kind => !decided.has(kind))).toEqual([]);
    expect(runs).toBeGreaterThan(600);
    expect(missing('cancel', ['step-done', ...CANCELLED_FOR])).toEqual([]);
    expect(missing('stop', STOPPED_FOR)).toEqual([]);
    expect(missing('leave', LEFT_FOR)).toEqual([]);
  });
});
