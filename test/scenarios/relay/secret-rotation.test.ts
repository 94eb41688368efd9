import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { Webhook } from 'standardwebhooks';
import { statedSecret } from '../../support/stated-secret';
import { closedBooks } from './relay-books';
import { DOWN, type Posted, RelaySimulation } from './relay-world';

const keyOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
const [OLD, NEW] = [keyOf(1), keyOf(2)];

const HOUR_MS = 3_600_000;

/** Whether a receiver who has this key alone takes it, by its clock. */
function verifies(secret: string, { atMs, body, headers }: Posted): boolean {
  jest.setSystemTime(atMs);
  try {
    new Webhook(secret).verify(body, { ...headers }, { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}

describe('A signing secret that is rotated in the middle of an outage', () => {
  afterEach(() => jest.useRealTimers());

  test.each([{ seed: 51 }])(
    'leaves no receiver behind: one with the old key and one with the new both verify what waited (seed $seed)',
    async ({ seed }) => {
      const world = await RelaySimulation.deploy({
        seed,
        relay: stack => ({ signingSecret: statedSecret(stack, 'Signing', OLD) }),
      });
      const { aws } = world.deployed;
      const rotatedAtMs = aws.nowMs + 3 * HOUR_MS;
      world.partner.behave({ ...DOWN, untilMs: aws.nowMs + 6 * HOUR_MS });
      const secrets = new SecretsManagerClient(aws.clientConfig());
      for (let hour = 0; hour < 8; hour += 1) {
        if (aws.nowMs === rotatedAtMs) {
          await secrets.send(new PutSecretValueCommand({ SecretId: world.deployed.ref('Signing'), SecretString: NEW }));
        }
        for (let index = 0; index < 3; index += 1) await world.publish(`order ${hour}.${index}`);
        await world.advance({ hours: 1 });
      }
      expect(await world.books()).toEqual(closedBooks(24));
      expect(world.queued).toBe(0);

      jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'queueMicrotask'] });
      const taken = world.posted.filter(({ isTaken }) => isTaken);
      expect(taken.filter(posted => verifies(OLD, posted) && verifies(NEW, posted))).toHaveLength(24);
      // What had been tried before the rotation knew of the old key alone, and for five minutes at most after it.
      const signedBy = (secret: string) => world.posted.filter(posted => verifies(secret, posted));
      expect(signedBy(OLD)).toHaveLength(world.posted.length);
      const firstNewAtMs = Math.min(...signedBy(NEW).map(({ atMs }) => atMs));
      expect(firstNewAtMs).toBeGreaterThanOrEqual(rotatedAtMs);
      const stale = world.posted.filter(posted => posted.atMs >= rotatedAtMs && !verifies(NEW, posted));
      expect(stale.filter(({ atMs }) => atMs >= rotatedAtMs + 300_000)).toEqual([]);
    },
  );
});
