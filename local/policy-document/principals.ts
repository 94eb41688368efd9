import { accountOf, type Caller, callerName, principalArn } from '../kernel/caller';
import type { Place } from '../kernel/place';

/**
 * How a `Principal` element meets a caller: it names the caller (or everyone) itself, or only the account the caller
 * belongs to, which leaves the decision to that account's identity policies.
 */
export type PrincipalMatch = 'itself' | 'its account' | 'not';

export type PrincipalElement = (caller: Caller, place: Place) => PrincipalMatch;

const ACCOUNT_ID = /^\d{12}$/;
const ACCOUNT_ROOT = /^arn:[^:]+:iam::(\d{12}):root$/;
const IAM_ARN = /^arn:[^:]+:(iam|sts)::\d{12}:.+$/;

type Note = (problem: string) => void;

/** Kinds of principals, and how one entry of each is read. Nobody here is federated or has a canonical user id. */
const KINDS: Readonly<Record<string, (entry: string, note: Note) => PrincipalElement>> = {
  AWS: awsPrincipal,
  Service: entry => caller => (isService(caller, entry) ? 'itself' : 'not'),
  Federated: () => () => 'not',
  CanonicalUser: () => () => 'not',
};

/**
 * Compiles a `Principal` element: `"*"`, or lists by kind.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html
 */
export function compilePrincipal(element: unknown, note: Note): PrincipalElement {
  if (element === '*') return everyone;
  if (typeof element !== 'object' || element === null || Array.isArray(element)) {
    note('Principal must be "*" or an object');
    return nobody;
  }
  const entries = Object.entries(element).flatMap(([kind, value]) => compileKind(kind, value, note));
  return (caller, place) => {
    const matches = entries.map(entry => entry(caller, place));
    if (matches.includes('itself')) return 'itself';
    return matches.includes('its account') ? 'its account' : 'not';
  };
}

function compileKind(kind: string, value: unknown, note: Note): readonly PrincipalElement[] {
  const compile = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  if (!compile) {
    note(`Principal.${kind} is not implemented by the embedded AWS`);
    return [];
  }
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length === 0) note(`Principal.${kind} must name somebody`);
  return list.flatMap(entry => {
    if (typeof entry === 'string' || typeof entry === 'number') return [compile(String(entry), note)];
    note(`Principal.${kind} must be a string, or a list of strings`);
    return [];
  });
}

function awsPrincipal(entry: string, note: Note): PrincipalElement {
  if (entry === '*') return everyone;
  const account = ACCOUNT_ID.test(entry) ? entry : ACCOUNT_ROOT.exec(entry)?.[1];
  if (account !== undefined) return caller => matchAccount(caller, account);
  if (!IAM_ARN.test(entry)) note(`Principal.AWS must be "*", an account, or the ARN of a role or user, got "${entry}"`);
  else if (/[*?]/.test(entry)) note(`Principal.AWS cannot hold wildcards within an ARN, got "${entry}"`);
  return (caller, place) => {
    const arns = [principalArn(caller, place.partition), callerName(caller, place.partition)];
    return arns.includes(entry) ? 'itself' : 'not';
  };
}

function matchAccount(caller: Caller, account: string): PrincipalMatch {
  if (accountOf(caller) !== account) return 'not';
  return caller.principal.kind === 'account' ? 'itself' : 'its account';
}

function isService({ principal }: Caller, name: string): boolean {
  return principal.kind === 'service' && principal.service === name;
}

const everyone: PrincipalElement = () => 'itself';
const nobody: PrincipalElement = () => 'not';
