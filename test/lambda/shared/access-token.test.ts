import { type AccessTokenParts, accessToken } from '../../../lambda/shared/access-token';
import type { HttpAnswer, NoAnswer } from '../../../lambda/shared/http-send';
import { addressGuards } from '../../../policy/address-guard';
import { answered, unanswered } from '../http-results';

const issuing = (token: string, expires_in = 600): HttpAnswer =>
  answered(200, JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in }));

const DOWN = unanswered(new Error('reset'));

/** An access token whose endpoint gives these answers, and whose clock is set by the test. */
function tokenOf(answers: readonly (HttpAnswer | NoAnswer)[], parts: Partial<AccessTokenParts> = {}) {
  const asked: number[] = [];
  let seconds = 0;
  const { get, renew } = accessToken({
    request: { tokenUrl: 'https://auth.example.com/token' },
    credentials: async () => ({ kind: 'credentials', credentials: { clientId: 'a', clientSecret: 'b' } }),
    guards: addressGuards([]),
    send: async () => {
      asked.push(seconds);
      return answers[asked.length - 1] ?? DOWN;
    },
    nowMs: () => seconds * 1_000,
    ...parts,
  });
  const at = (second: number) => {
    seconds = second;
  };
  const getAt = async (second: number) => {
    at(second);
    const answer = await get();
    return answer.kind === 'token' ? answer.token : answer.reason;
  };
  const renewAt = (second: number, refused: string) => {
    at(second);
    return renew(refused);
  };
  return { get, getAt, renewAt, asked };
}

const NO_ANSWER = 'https://auth.example.com/token: the token endpoint does not answer: reset';

describe('An access token', () => {
  test('is requested once for concurrent requests', async () => {
    const { getAt, asked } = tokenOf([issuing('one')]);
    expect(await Promise.all([getAt(0), getAt(0), getAt(0)])).toEqual(['one', 'one', 'one']);
    expect(asked).toEqual([0]);
  });

  test('that cannot be requested without credentials is a failure of ours, until the next request', async () => {
    const none = { kind: 'none', reason: 'KMS denies it', isBroken: true } as const;
    const { get } = tokenOf([], { credentials: async () => none });
    expect([await get(), await get()]).toEqual([none, none]);
  });

  test('is replaced a minute before it expires', async () => {
    const { getAt, asked } = tokenOf([issuing('one'), issuing('two')]);
    expect([await getAt(0), await getAt(539), await getAt(540)]).toEqual(['one', 'one', 'two']);
    expect(asked).toEqual([0, 540]);
  });

  test('is used until it expires if it cannot be replaced, which is tried every five seconds', async () => {
    const { getAt, asked } = tokenOf([issuing('one'), DOWN, DOWN, DOWN, issuing('two')]);
    expect(await getAt(0)).toBe('one');
    expect([await getAt(540), await getAt(544), await getAt(599)]).toEqual(['one', 'one', 'one']);
    expect([await getAt(604), await getAt(609), await getAt(610)]).toEqual([NO_ANSWER, 'two', 'two']);
    expect(asked).toEqual([0, 540, 599, 604, 609]);
  });

  test('that the endpoint refuses is replaced once for all requests that were refused', async () => {
    const { getAt, renewAt, asked } = tokenOf([issuing('one'), issuing('two')]);
    await getAt(0);
    expect(await Promise.all([renewAt(60, 'one'), renewAt(60, 'one')])).toEqual(['two', 'two']);
    expect([await renewAt(61, 'one'), await getAt(61)]).toEqual(['two', 'two']);
    expect(asked).toEqual([0, 60]);
  });

  test.each([
    { what: 'is too new to be the reason', second: 59, answers: [issuing('one'), issuing('two')], asked: [0] },
    {
      what: 'is what the token endpoint gives again',
      second: 60,
      answers: [issuing('one'), issuing('one')],
      asked: [0, 60],
    },
    { what: 'cannot be replaced', second: 60, answers: [issuing('one'), DOWN], asked: [0, 60] },
  ])('that the endpoint refuses is not replaced if it $what', async ({ second, answers, asked }) => {
    const token = tokenOf(answers);
    await token.getAt(0);
    expect(await token.renewAt(second, 'one')).toBeUndefined();
    expect(token.asked).toEqual(asked);
  });

  test.each([
    ['http://auth.example.com/token', 'the token URL must be https'],
    ['https://10.0.0.5/token', 'the token URL must name a public host'],
    ['https://me:hush@auth.example.com/', 'the token URL must have neither user nor password'],
    ['hush', 'the token URL must be an absolute http or https URL'],
  ])('is not requested from %s', async (tokenUrl, reason) => {
    const { getAt, asked } = tokenOf([issuing('one')], { request: { tokenUrl } });
    expect(await getAt(0)).toMatch(reason);
    expect(await getAt(0)).not.toContain('hush');
    expect(asked).toEqual([]);
  });
});
