import { classify } from '../../../policy/outcome/classify';
import type { Outcome, Verdict } from '../../../policy/outcome/outcome';
import type { Protocol } from '../../../policy/outcome/protocol';

/** What was judged of answers that are nothing but a status, by protocol: most attempts end so. */
const verdicts = new Map<Protocol, Map<number, Verdict>>();

/** What `classify` says, said once for all answers of one status. */
export function verdictOn(protocol: Protocol, outcome: Outcome): Verdict {
  if (outcome.kind === 'unanswered' || outcome.errorCode !== undefined) return classify(protocol, outcome);
  const { statusCode } = outcome;
  const ofProtocol = verdicts.get(protocol) ?? new Map<number, Verdict>();
  const known = ofProtocol.get(statusCode);
  if (known) return known;
  const verdict = classify(protocol, outcome);
  verdicts.set(protocol, ofProtocol.set(statusCode, verdict));
  return verdict;
}
