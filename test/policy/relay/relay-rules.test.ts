import fc from 'fast-check';
import { type Outcome, TRANSPORT_FAILURES } from '../../../policy/outcome/outcome';
import { relayVerdict, type VerdictContext } from '../../../policy/relay/relay-rules';
import { DEAD_LETTER_CAUSES } from '../../../policy/relay/relay-step';

const CONTEXT: VerdictContext = { retriedStatuses: [] };

function answered(statusCode: number): Outcome {
  return { kind: 'answered', statusCode };
}

test.each([
  [200, 'delivered', 'the endpoint took it'],
  [299, 'delivered', 'the endpoint took it'],
  [408, 'retry', 'the endpoint waited too long for the request'],
  [425, 'retry', 'the endpoint will not risk a request that comes too early'],
  [429, 'retry', 'the endpoint asks for fewer requests'],
  [500, 'retry', 'the endpoint failed'],
  [503, 'retry', 'the endpoint failed'],
  [599, 'retry', 'the endpoint failed'],
])('%i is %s', (statusCode, kind, reason) => {
  expect(relayVerdict(answered(statusCode), CONTEXT)).toEqual({ kind, reason: `${reason} (${statusCode})` });
});

test.each([
  [410, 'gone', 'the endpoint is gone for good'],
  [300, 'redirected', 'the endpoint redirects, and redirects are not followed'],
  [308, 'redirected', 'the endpoint redirects, and redirects are not followed'],
  [399, 'redirected', 'the endpoint redirects, and redirects are not followed'],
  [400, 'refused', 'the endpoint refuses it'],
  [404, 'refused', 'the endpoint refuses it'],
  [407, 'refused', 'the endpoint refuses it'],
  [409, 'refused', 'the endpoint refuses it'],
  [499, 'refused', 'the endpoint refuses it'],
  [101, 'not-final', 'the answer is no final answer to a request'],
  [600, 'not-final', 'the answer is no final answer to a request'],
])('%i is dead: %s', (statusCode, cause, reason) => {
  expect(relayVerdict(answered(statusCode), CONTEXT)).toEqual({
    kind: 'dead',
    cause,
    reason: `${reason} (${statusCode})`,
  });
});

test('A status the relay is told to retry is retried, and its neighbours are not', () => {
  const context = { retriedStatuses: [404, 410] };
  const reason = (status: number) => `the relay is to try this status again (${status})`;
  expect(relayVerdict(answered(404), context)).toEqual({ kind: 'retry', reason: reason(404) });
  expect(relayVerdict(answered(410), context)).toEqual({ kind: 'retry', reason: reason(410) });
  expect(relayVerdict(answered(403), context)).toMatchObject({ kind: 'dead', cause: 'refused' });
  expect(relayVerdict(answered(405), context)).toMatchObject({ kind: 'dead', cause: 'refused' });
});

test('Every failure without an answer is tried again', () => {
  for (const failure of TRANSPORT_FAILURES) {
    expect(relayVerdict({ kind: 'unanswered', failure }, CONTEXT)).toMatchObject({ kind: 'retry' });
  }
});

test.each([
  ['timeout', 'no answer came in time'],
  ['forbidden-address', 'the endpoint is at an address that is not public'],
] as const)('%s is tried again: %s', (failure, reason) => {
  expect(relayVerdict({ kind: 'unanswered', failure }, CONTEXT)).toEqual({ kind: 'retry', reason });
});

test('Any status has one verdict, and a dead letter has a cause', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -1, max: 1_000 }),
      fc.array(fc.integer({ min: 300, max: 499 })),
      (status, retriedStatuses) => {
        const verdict = relayVerdict(answered(status), { retriedStatuses });
        expect(verdict.reason).toContain(`(${status})`);
        if (retriedStatuses.includes(status)) expect(verdict.kind).toBe('retry');
        if (verdict.kind === 'dead') expect(DEAD_LETTER_CAUSES).toContain(verdict.cause);
      },
    ),
  );
});
