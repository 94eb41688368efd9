import { judge } from '../outcome/judge';
import type { Outcome } from '../outcome/outcome';
import { type ProtocolRules, type Ruling, retry, type StatusRule, UNANSWERED } from '../outcome/rules/ruling';
import type { RelaySettings } from './relay-settings';
import type { DeadLetterCause, RelayVerdict } from './relay-step';

/** What a rule of the relay decides; of a dead letter it also says the cause. */
type RelayRuling = RelayVerdict & Ruling;

/** What the judgment on an attempt depends on, besides its outcome. */
export type VerdictContext = Pick<RelaySettings, 'retriedStatuses'>;

function dead(cause: DeadLetterCause, reason: string): RelayRuling {
  return { kind: 'dead', cause, reason };
}

function at(statusCode: number, ruling: RelayRuling): StatusRule<RelayRuling> {
  return { from: statusCode, to: statusCode, ruling };
}

/**
 * Statuses, by what HTTP says of them, the first match first. SNS retries 429 and 5xx alone; that 408 and 425 are tried
 * again too, and that 410 has a cause of its own, is our choice.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-15
 * @see https://www.rfc-editor.org/rfc/rfc8470#section-5.2
 */
const STATUSES: readonly StatusRule<RelayRuling>[] = [
  { from: 200, to: 299, ruling: { kind: 'delivered', reason: 'the endpoint took it' } },
  at(408, retry('the endpoint waited too long for the request')),
  at(410, dead('gone', 'the endpoint is gone for good')),
  at(425, retry('the endpoint will not risk a request that comes too early')),
  at(429, retry('the endpoint asks for fewer requests')),
  { from: 500, to: 599, ruling: retry('the endpoint failed') },
  { from: 300, to: 399, ruling: dead('redirected', 'the endpoint redirects, and redirects are not followed') },
  { from: 400, to: 499, ruling: dead('refused', 'the endpoint refuses it') },
];

/** The rules of one relay: those all have in common, behind what it is told to try again. */
function relayRules({ retriedStatuses }: VerdictContext): ProtocolRules<RelayRuling> {
  return {
    errors: [],
    statuses: [
      ...retriedStatuses.map(status => at(status, retry('the relay is to try this status again'))),
      ...STATUSES,
    ],
    otherwise: dead('not-final', 'the answer is no final answer to a request'),
    unanswered: {
      ...UNANSWERED,
      // Only a name comes so far, and it may come to stand for another address.
      'forbidden-address': retry('the endpoint is at an address that is not public'),
    },
  };
}

/** What one attempt of a relay comes to. */
export function relayVerdict(outcome: Outcome, context: VerdictContext): RelayVerdict {
  return judge(relayRules(context), outcome);
}
