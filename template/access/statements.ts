import { isObject } from '../../policy/members';
import type { RequestKeys } from './access-question';
import { type Answer, allOf, anyOf, opposite } from './answer';
import { conditionsHold } from './conditions';
import type { PolicyDocument } from './policy-document';
import { type Asker, type PrincipalAnswers, speaksOf } from './principals';
import { anyMatches, isLike, listed, type TextMatch } from './texts';

/** What of a request a statement is held against. */
export interface Request {
  readonly asker: Asker;
  readonly action: string;
  readonly resource: string;
  readonly keys: RequestKeys;
}

/** Where a policy hangs: that of an identity speaks of its owner, that of a resource says of whom. */
export type PolicyKind = 'identity' | 'resource';

type Effect = 'Allow' | 'Deny';

const isLikeAction: TextMatch = (wanted, actual) => isLike(wanted.toLowerCase(), actual.toLowerCase());

const OWNER: PrincipalAnswers = { itself: 'yes', account: 'no' };

/** How far the statements of one effect apply to a request. */
export function statementsApply(
  document: PolicyDocument,
  kind: PolicyKind,
  effect: Effect,
  request: Request,
): PrincipalAnswers {
  const each = listed(document.Statement).map(it => applies(it, kind, effect, request));
  return { itself: anyOf(each.map(it => it.itself)), account: anyOf(each.map(it => it.account)) };
}

function applies(statement: unknown, kind: PolicyKind, wanted: Effect, request: Request): PrincipalAnswers {
  if (!isObject(statement)) return { itself: 'unknown', account: 'unknown' };
  const { asker, action, resource, keys } = request;
  const rest = [
    hasEffect(statement['Effect'], wanted),
    elementMatches(statement['Action'], statement['NotAction'], action, isLikeAction),
    elementMatches(statement['Resource'], statement['NotResource'], resource, isLike),
    conditionsHold(statement['Condition'], keys),
  ];
  const who = kind === 'identity' ? OWNER : speaksOf(statement, asker);
  return { itself: allOf([who.itself, ...rest]), account: allOf([who.account, ...rest]) };
}

function hasEffect(effect: unknown, wanted: Effect): Answer {
  if (effect === wanted) return 'yes';
  return effect === 'Allow' || effect === 'Deny' ? 'no' : 'unknown';
}

function elementMatches(element: unknown, negation: unknown, actual: string, match: TextMatch): Answer {
  if (element !== undefined) return anyMatches(element, actual, match);
  return negation === undefined ? 'unknown' : opposite(anyMatches(negation, actual, match));
}
