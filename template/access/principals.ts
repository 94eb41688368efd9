import { parseArn } from '../../policy/arn';
import { isObject } from '../../policy/members';
import { hasStandIn, isAccountStandIn } from '../stand-in';
import { type Answer, allOf, anyOf, opposite } from './answer';
import { isEqual, listed } from './texts';

/** How a statement's principals meet who asks: they name it, or everyone; or only the account it belongs to. */
export interface PrincipalAnswers {
  readonly itself: Answer;
  /** Of a service `no`: it belongs to none. */
  readonly account: Answer;
}

export type Asker = { readonly service: string } | { readonly roleArn: string };

const UNKNOWN_PRINCIPALS: PrincipalAnswers = { itself: 'unknown', account: 'unknown' };
const NO_PRINCIPAL: PrincipalAnswers = { itself: 'no', account: 'no' };
const EVERYONE: PrincipalAnswers = { itself: 'yes', account: 'no' };

/**
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html
 */
function principalsNamed(element: unknown, asker: Asker): PrincipalAnswers {
  if (element === '*') return EVERYONE;
  if (!isObject(element)) return UNKNOWN_PRINCIPALS;
  const entries = Object.entries(element).flatMap(([kind, value]) =>
    listed(value).map(it => (typeof it === 'string' ? entryNames(kind, it, asker) : UNKNOWN_PRINCIPALS)),
  );
  return { itself: anyOf(entries.map(it => it.itself)), account: anyOf(entries.map(it => it.account)) };
}

function entryNames(kind: string, entry: string, asker: Asker): PrincipalAnswers {
  if (kind === 'Service') return 'service' in asker ? serviceNamed(entry, asker.service) : NO_PRINCIPAL;
  if (kind === 'AWS') return entry === '*' ? EVERYONE : accountNamed(entry, asker);
  return kind === 'Federated' || kind === 'CanonicalUser' ? NO_PRINCIPAL : UNKNOWN_PRINCIPALS;
}

/** A service has names of its own in some Regions, of which it is not told which one AWS uses. */
function serviceNamed(entry: string, service: string): PrincipalAnswers {
  if (entry === service) return EVERYONE;
  const isRelated = entry.split('.')[0] === service.split('.')[0] || hasStandIn(entry) || entry.includes('*');
  return isRelated ? { itself: 'unknown', account: 'no' } : NO_PRINCIPAL;
}

const ACCOUNT = /^(?:arn:[^:]+:iam::([^:]+):root|([^:]+))$/;
/** What IAM turns a principal into that has been deleted: a user, a role. */
const UNIQUE_ID = /^A[A-Z0-9]{15,}$/;

function accountNamed(entry: string, asker: Asker): PrincipalAnswers {
  const isOpen = hasStandIn(entry) && !parseArn(entry) && !isAccountStandIn(entry);
  if ('service' in asker) return isOpen ? { itself: 'unknown', account: 'no' } : NO_PRINCIPAL;
  if (UNIQUE_ID.test(entry)) return UNKNOWN_PRINCIPALS;
  const { account: own = '' } = parseArn(asker.roleArn) ?? {};
  const [, ofRoot, alone] = ACCOUNT.exec(entry) ?? [];
  const account = ofRoot ?? alone;
  if (account !== undefined) return { itself: isOpen ? 'unknown' : 'no', account: isEqual(account, own) };
  if (parseArn(entry)?.service === 'sts') return { itself: 'unknown', account: 'no' };
  return { itself: isEqual(entry, asker.roleArn), account: 'no' };
}

/** Whom a statement speaks of: all that its Principal names, or all that its NotPrincipal does not. */
export function speaksOf(statement: Readonly<Record<string, unknown>>, asker: Asker): PrincipalAnswers {
  const { Principal: named, NotPrincipal: others } = statement;
  if (others === undefined) return named === undefined ? UNKNOWN_PRINCIPALS : principalsNamed(named, asker);
  const { itself, account } = principalsNamed(others, asker);
  return { itself: allOf([opposite(itself), opposite(account)]), account: 'no' };
}
