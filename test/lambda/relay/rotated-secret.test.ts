import { response } from '../../../local';
import { DeployedRelay, NO_RETRIES, POLICY, type RelayOptions } from './relay-fixture';

const bearer = (token: string): string => JSON.stringify({ Authorization: `Bearer ${token}` });

/** A relay that has read its secret a minute ago, from a function that is warm. */
async function warmRelay(options: RelayOptions = {}): Promise<DeployedRelay> {
  const secrets = { headers: bearer('old-token') };
  const relay = await DeployedRelay.deploy({ retryPolicy: { ...POLICY, numNoDelayRetries: 1 }, secrets, ...options });
  await relay.publish('before');
  await relay.deployed.advance({ minutes: 1 });
  return relay;
}

const tokensOf = ({ requests }: DeployedRelay) => requests.map(({ headers }) => headers['authorization']);

/** Secrets are used for five minutes without asking again. */
describe('A message that is refused while its secret was changed', () => {
  test.each([401, 403, 404, 410, 302])('is tried again at once, with the new one: %d', async status => {
    const relay = await warmRelay();
    await relay.setSecret('headers', bearer('new-token'));
    relay.host.behave({ reply: response(status), count: 1 });
    await relay.publish('x');
    await relay.settle();
    expect(tokensOf(relay)).toEqual(['Bearer old-token', 'Bearer old-token', 'Bearer new-token']);
    expect(relay.attempts.slice(1)).toMatchObject([
      {
        status: 'FAILURE',
        relay: { verdict: 'retry', reason: expect.stringMatching(/, but a secret has changed since$/) },
      },
      { status: 'SUCCESS' },
    ]);
    expect([await relay.metric('Delivered'), await relay.metric('Dead')]).toEqual([2, 0]);
  });

  test('is dead if the new one is refused too', async () => {
    const relay = await warmRelay();
    await relay.setSecret('headers', bearer('new-token'));
    relay.host.behave({ reply: response(401) });
    await relay.publish('x');
    await relay.settle();
    expect(tokensOf(relay)).toHaveLength(3);
    expect(await relay.deadLetters()).toMatchObject([
      { attributes: { DeadLetterCause: 'refused', AttemptsSpent: '2', LastStatusCode: '401' } },
    ]);
  });

  test('is dead where its policy has no retry, and has a cause that says so', async () => {
    const relay = await warmRelay({ retryPolicy: NO_RETRIES });
    await relay.setSecret('headers', bearer('new-token'));
    relay.host.behave({ reply: response(401) });
    await relay.publish('x');
    await relay.settle();
    expect(await relay.deadLetters()).toMatchObject([{ attributes: { DeadLetterCause: 'retries-spent' } }]);
  });
});

test('A message that is refused while no secret was changed is dead at once', async () => {
  const relay = await warmRelay();
  relay.host.behave({ reply: response(401) });
  await relay.publish('x');
  await relay.settle();
  expect(tokensOf(relay)).toHaveLength(2);
  expect(await relay.deadLetters()).toMatchObject([{ attributes: { DeadLetterCause: 'refused' } }]);
});
