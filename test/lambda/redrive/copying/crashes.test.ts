import fc from 'fast-check';
import { DeployedMovePass, deadLetters } from '../../../mover/stint-fixture';

const crash = fc.record({
  fifo: fc.boolean(),
  count: fc.integer({ min: 1, max: 40 }),
  messagesPerSecond: fc.constantFrom(5, 50, 500),
  how: fc.constantFrom('exit', 'out-of-memory', 'timeout'),
  /** The last of them arrives, its answer does not. */
  afterRequests: fc.integer({ min: 1, max: 25 }),
});

/** Each deploys a stack of its own. */
const RUNS = 10;

describe('Wherever a stint of copying breaks off', () => {
  test('no letter is lost, and in a FIFO queue none is doubled by the stint that follows', async () => {
    await fc.assert(
      fc.asyncProperty(crash, async ({ fifo, count, messagesPerSecond, how, afterRequests }) => {
        const movePass = await DeployedMovePass.deploy({ fifo, timeoutSeconds: 60 });
        const bodies = deadLetters(count);
        const inGroup = (MessageBody: string, index: number) => ({
          MessageBody,
          MessageGroupId: `group-${index % 3}`,
          MessageDeduplicationId: String(index),
        });
        await movePass.deadLetterMessage(fifo ? bodies.map(inGroup) : bodies);
        movePass.deployed.aws.interruptions.set({ functionName: movePass.deployed.ref('Stint'), how, afterRequests });
        const home = { kind: 'queue', ...movePass.queue('Home') } as const;
        const { answer } = await movePass.tryRun(home, { messagesPerSecond });
        const arrivedBefore = movePass.arrivals('Home').length;
        // Until SQS gives out again what was in its hands.
        await movePass.deployed.advance({ minutes: 2 });
        expect(await movePass.copy({ messagesPerSecond: 500 })).toMatchObject({ status: 'COMPLETED' });
        expect(movePass.held('Dead')).toBe(0);
        const [broken] = Object.values(movePass.metrics);
        if (!answer) expect(broken).not.toHaveProperty('StintEnd');
        // What is told of as moved has moved.
        expect(broken?.['StintMoved'] ?? 0).toBeLessThanOrEqual(arrivedBefore);
        const copies = await movePass.drain('Home');
        expect([...new Set(copies)].sort()).toEqual([...bodies].sort());
        if (fifo) expect(copies).toHaveLength(count);
        await movePass.deployed.close();
      }),
      { numRuns: RUNS, seed: 6, endOnFailure: true },
    );
  });
});
