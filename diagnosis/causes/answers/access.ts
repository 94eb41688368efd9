import type { ServiceQuestion } from '../../../template/access/access-question';
import { mayDo } from '../../../template/access/may-do';
import type { PolicyDocument } from '../../../template/access/policy-document';
import { isKnown, type MaybeKnown } from '../../../template/told';
import type { Fix } from '../../fixes/fix';

/** Whom something did not let in, and what lets it in. */
export interface MissingGrant {
  readonly question: ServiceQuestion;
  /** Of what did not let it in, as it is now. Undefined where it has none. */
  readonly policy: MaybeKnown<PolicyDocument | undefined>;
  readonly grant: Fix;
}

/** Lets whoever asks do what is asked, so that only a denial is left that could keep it from that. */
function withGrant({ question, policy }: MissingGrant): MaybeKnown<PolicyDocument> {
  if (!isKnown(policy)) return policy;
  const { service, action, resource } = question;
  const there = policy?.Statement ?? [];
  const granted = { Effect: 'Allow', Principal: { Service: service }, Action: action, Resource: resource };
  return { ...policy, Statement: [...(Array.isArray(there) ? there : [there]), granted] };
}

/**
 * What to do about a grant that was missing: nothing where it is there by now, and what no grant can do where a statement
 * denies it by name.
 */
export function fixAccess(missing: MissingGrant): Fix {
  const { question, policy, grant } = missing;
  if (mayDo(question, policy) === 'yes') {
    return { says: 'Nothing is left to mend: its policy allows it by now. Send the letters home.' };
  }
  if (mayDo(question, withGrant(missing)) === 'no') {
    return {
      says: `A statement of its policy denies ${question.action} to ${question.service} by name: that must go.`,
    };
  }
  return grant;
}
