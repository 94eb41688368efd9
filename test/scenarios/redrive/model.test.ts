import { ModelGame } from './model-game';
import { RULES } from './model-rules';

/** A sample: `model.long.test.ts` plays 1,500 games. */
const GAMES = 60;

test(`${GAMES} random games come to rest and break no rule of a redrive`, async () => {
  const broken: string[] = [];
  for (let seed = 1; seed <= GAMES; seed += 1) {
    const game = new ModelGame(seed);
    await game.play();
    if (!(await game.comesToRest())) broken.push(`seed ${seed}: never comes to rest`);
    // Messages in flight become visible, so that all can be counted.
    await game.world.timeline.advanceTo(game.world.nowMs + 60_000);
    for (const [name, rule] of Object.entries(RULES))
      broken.push(...rule(game).map(it => `seed ${seed}: ${name}: it ${it}`));
  }
  expect(broken).toEqual([]);
});
