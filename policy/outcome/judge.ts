import type { Answered, Outcome } from './outcome';
import type { ErrorRule, ProtocolRules, Ruling } from './rules/ruling';

function rulingOnAnswer<R extends Ruling>({ errors, statuses, otherwise }: ProtocolRules<R>, answer: Answered): R {
  const { statusCode, errorCode, errorMessage = '' } = answer;
  const isNamed = ({ codes, saying }: ErrorRule<R>) =>
    errorCode !== undefined && codes.includes(errorCode) && (saying?.test(errorMessage) ?? true);
  const byError = errors.find(isNamed);
  if (byError) return byError.ruling;
  return statuses.find(({ from, to }) => statusCode >= from && statusCode <= to)?.ruling ?? otherwise;
}

function detailOf({ statusCode, errorCode }: Answered): string {
  return errorCode === undefined ? `${statusCode}` : `${statusCode} ${errorCode}`;
}

/** What `rules` make of one attempt. The reason of a ruling on an answer names the status, and the error if it has one. */
export function judge<R extends Ruling>(rules: ProtocolRules<R>, outcome: Outcome): R {
  if (outcome.kind === 'unanswered') return rules.unanswered[outcome.failure];
  const ruling = rulingOnAnswer(rules, outcome);
  return { ...ruling, reason: `${ruling.reason} (${detailOf(outcome)})` };
}
