import { ServerClock } from '../../../account/connection/server-clock';

/** A machine whose time passes only while it waits, and an AWS that begins at another time. */
class Machine {
  atMs = Date.UTC(2026, 5, 1);
  readonly nowMs = () => this.atMs;
  readonly wait = async (milliseconds: number) => {
    this.atMs += milliseconds;
  };
}

const START_MS = Date.UTC(2031, 0, 1);

/** The clock of a command that talks to a simulation, whose time begins in 2031 and passes at a speed. */
async function simulated(speed: number) {
  const machine = new Machine();
  const beganMs = machine.atMs;
  let movedMs = 0;
  const simulationMs = () => START_MS + (machine.atMs - beganMs) * speed + movedMs;
  const said: string[] = [];
  const clock = new ServerClock(
    machine,
    text => said.push(text),
    async () => ({ nowMs: simulationMs(), speed }),
  );
  await clock.attach('http://127.0.0.1:4566');
  return { machine, clock, said, move: (ms: number) => (movedMs += ms), simulationMs };
}

describe('The clock of AWS', () => {
  test.each([1, 60])('is that of a simulation at speed %i, and waits end by it', async speed => {
    const { clock, machine, simulationMs } = await simulated(speed);
    expect(clock.nowMs()).toBe(START_MS);
    const before = machine.atMs;
    await clock.wait(600_000);
    expect(simulationMs() - START_MS).toBeGreaterThanOrEqual(600_000);
    expect(machine.atMs - before).toBeLessThanOrEqual(600_000 / speed + 200);
    expect(Math.abs(clock.nowMs() - simulationMs())).toBeLessThan(1_000);
    expect(clock.pollSeconds).toBe(1);
  });

  test('stands still with a simulation at speed 0: a wait ends when time is moved, and no poll is long', async () => {
    const { clock, machine, move, said } = await simulated(0);
    const waiting = clock.wait(50_000);
    move(60_000);
    await waiting;
    expect(clock.nowMs()).toBe(START_MS + 60_000);
    expect(clock.pollSeconds).toBe(0);
    // Pauses between calls go by the machine, and pass for the pace of the calls.
    const before = machine.atMs;
    await clock.wait(500);
    clock.answered(START_MS + 60_000);
    expect([machine.atMs - before, clock.nowMs()]).toEqual([500, START_MS + 60_500]);
    expect(said).toEqual([]);
  });

  test.each([1_000, 5_000])(
    'ends waits of %i ms with an error where time stands still and no caller moves it',
    async ms => {
      const { clock, machine, said } = await simulated(0);
      const before = machine.atMs;
      const text = 'time stands still at http://127.0.0.1:4566: move it with POST /_dlo/advance';
      const waits = async () => {
        for (;;) await clock.wait(ms);
      };
      await expect(waits()).rejects.toThrow(text);
      expect(machine.atMs - before).toBe(30_000);
      expect(said).toEqual([expect.stringContaining(text)]);
    },
  );

  test.each([
    [420, '7 min behind'],
    [-420, '7 min ahead of'],
  ])('is that of AWS where the machine is %i seconds off, which is said', async (seconds, says) => {
    const machine = new Machine();
    const clock = new ServerClock(machine);
    await clock.attach(undefined);
    const serverMs = machine.atMs + seconds * 1_000;
    clock.answered(serverMs);
    expect(clock.nowMs()).toBe(serverMs);
    await machine.wait(10_000);
    clock.answered(serverMs + 9_000);
    expect(clock.nowMs()).toBe(serverMs + 10_000);
    expect(clock.skewText).toContain(`the clock of this machine is ${says} AWS's`);
  });

  test('is the machine’s own where both agree to the second', async () => {
    const machine = new Machine();
    const clock = new ServerClock(machine);
    await clock.attach(undefined);
    clock.answered(machine.atMs - 1_500);
    expect([clock.nowMs(), clock.skewText]).toEqual([machine.atMs, undefined]);
  });
});
