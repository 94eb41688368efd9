import { isObject, listOfOneOrMore } from '../../policy/json-members';
import { parsePattern, wildcardMatcher } from '../../template/access/wildcard';
import { accountOf, type Caller, callerName, principalArn } from '../kernel/caller';
import type { JsonObject } from '../kernel/json';
import type { Place } from '../kernel/place';
import { type Condition, compileConditions } from './conditions';
import { isKnownKey, type PolicyPattern, policyPattern, variablesIn } from './request-context';

/** The kind of a policy, which determines the elements of its statements. */
export type PolicyKind =
  | 'identity'
  | 'resource'
  /** A role's trust policy, with principals and actions. The resource is the role itself. */
  | 'trust';

export interface Statement {
  /** The statement's name in a reason: its Sid, otherwise its number in the policy. */
  readonly label: string;
  readonly effect: 'Allow' | 'Deny';
  readonly matchesAction: (action: string) => boolean;
  readonly matchesResource: PolicyPattern;
  /** The principals; undefined in an identity policy, which applies to its owner. */
  readonly principal?: PrincipalElement;
  /** Whether the statement applies to all principals except `principal`. */
  readonly exceptPrincipal: boolean;
  readonly conditions: readonly Condition[];
  /** Whether it names the session of a role, and not the role: by its ARN, or everyone with a condition on `aws:PrincipalArn`. */
  readonly namesSession: (caller: Caller, place: Place) => boolean;
}

interface StatementReading {
  readonly kind: PolicyKind;
  /** 1 for the first statement. */
  readonly number: number;
  readonly variables: boolean;
  readonly note: (problem: string) => void;
  readonly noteNotSimulated: (problem: string) => void;
}

const ELEMENTS: ReadonlySet<string> = new Set([
  'Sid',
  'Effect',
  'Principal',
  'NotPrincipal',
  'Action',
  'NotAction',
  'Resource',
  'NotResource',
  'Condition',
]);

/** The pairs of elements of which a statement must have one, and the elements it must not have, by kind of policy. */
const GRAMMAR: Readonly<Record<PolicyKind, { readonly one: readonly string[]; readonly none: readonly string[] }>> = {
  identity: { one: ['Action', 'Resource'], none: ['Principal'] },
  resource: { one: ['Action', 'Resource', 'Principal'], none: [] },
  trust: { one: ['Action', 'Principal'], none: ['Resource'] },
};

/**
 * Compiles one statement, and records its problems.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements.html
 */
export function compileStatement(statement: JsonObject, reading: StatementReading): Statement {
  const { kind, number, variables, note } = reading;
  const sid = statement['Sid'];
  const label = typeof sid === 'string' && sid !== '' ? `statement ${number} ("${sid}")` : `statement ${number}`;
  checkGrammar(statement, kind, note);
  const effect = statement['Effect'];
  if (effect !== 'Allow' && effect !== 'Deny') note(`Effect must be Allow or Deny, got ${JSON.stringify(effect)}`);
  const principal = statement['Principal'] ?? statement['NotPrincipal'];
  let isCertain = true;
  const noteNotSimulated = (problem: string): void => {
    isCertain = false;
    reading.noteNotSimulated(problem);
  };
  // A statement with an invalid effect makes its whole policy unusable: see `parsePolicy`.
  const parts = { variables, note, noteNotSimulated, effect: effect === 'Allow' ? effect : 'Deny' } as const;
  const matchesResource = compileResources(statement, parts);
  const conditions = compileConditions(statement['Condition'], parts);
  return {
    label: isCertain || parts.effect === 'Allow' ? label : `${label}, with conditions that are not simulated,`,
    effect: parts.effect,
    matchesAction: compileActions(statement, note),
    matchesResource,
    exceptPrincipal: statement['NotPrincipal'] !== undefined,
    namesSession: sessionNamed(statement),
    conditions,
    ...(principal === undefined ? {} : { principal: compilePrincipal(principal, note) }),
  };
}

function checkGrammar(statement: JsonObject, kind: PolicyKind, note: (problem: string) => void): void {
  for (const element of Object.keys(statement)) if (!ELEMENTS.has(element)) note(`has no element ${element}`);
  const has = (name: string) => [name, `Not${name}`].filter(element => statement[element] !== undefined);
  for (const name of GRAMMAR[kind].one) {
    if (has(name).length !== 1) note(`must have either ${name} or Not${name}`);
  }
  for (const name of GRAMMAR[kind].none) {
    for (const element of has(name))
      note(`must not have ${element} in ${kind === 'trust' ? 'a trust' : 'an identity'} policy`);
  }
}

function compileActions(statement: JsonObject, note: (problem: string) => void): (action: string) => boolean {
  const negated = statement['NotAction'] !== undefined;
  const texts = textsIn(statement['Action'] ?? statement['NotAction'], 'Action', note);
  for (const text of texts) {
    if (text !== '*' && !/^[\w*?-]+:[\w*?-]+$/.test(text))
      note(`Action must be "service:Action" or "*", got "${text}"`);
  }
  const matchers = texts.map(text => wildcardMatcher(parsePattern(text.toLowerCase())));
  return action => {
    const lowerCase = action.toLowerCase();
    return matchers.some(matcher => matcher(lowerCase)) !== negated;
  };
}

function compileResources(
  statement: JsonObject,
  {
    variables,
    effect,
    note,
    noteNotSimulated,
  }: Pick<StatementReading, 'variables' | 'note' | 'noteNotSimulated'> & Pick<Statement, 'effect'>,
): PolicyPattern {
  const element = statement['Resource'] ?? statement['NotResource'];
  if (element === undefined) return () => true;
  const negated = statement['NotResource'] !== undefined;
  const texts = textsIn(element, 'Resource', note);
  const unknown = (variables ? texts.flatMap(variablesIn) : []).filter(key => !isKnownKey(key));
  for (const key of unknown) {
    noteNotSimulated(`Resource: the policy variable ${key} is not implemented by the embedded AWS`);
  }
  // A variable without a value matches nothing. A statement that would then allow more applies to nothing, or denies all.
  if (unknown.length > 0 && negated === (effect === 'Allow')) return () => effect === 'Deny';
  const patterns = texts.map(text => policyPattern(text, { variables, compile: wildcardMatcher }));
  return (resource, context) => patterns.some(pattern => pattern(resource, context)) !== negated;
}

function textsIn(element: unknown, name: string, note: (problem: string) => void): readonly string[] {
  if (element === undefined) return [];
  const list: readonly unknown[] = Array.isArray(element) ? element : [element];
  const texts = list.filter(item => typeof item === 'string');
  if (texts.length < list.length || texts.length === 0) note(`${name} must be a string, or a list of strings`);
  return texts;
}

/**
 * How a `Principal` element matches a caller: it names the caller (or everyone), or only the caller's account. The
 * latter delegates the decision to the account's identity policies.
 */
export type PrincipalMatch = 'itself' | 'its account' | 'not';

type PrincipalElement = (caller: Caller, place: Place) => PrincipalMatch;

const ACCOUNT_ID = /^\d{12}$/;
const ACCOUNT_ROOT = /^arn:[^:]+:iam::(\d{12}):root$/;
const IAM_ARN = /^arn:[^:]+:(iam|sts)::\d{12}:.+$/;

type Note = (problem: string) => void;

/** Parsers of the kinds of principals. Federated principals and canonical user ids are not simulated. */
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
function compilePrincipal(element: unknown, note: Note): PrincipalElement {
  if (element === '*') return everyone;
  if (typeof element !== 'object' || element === null || Array.isArray(element)) {
    note('Principal must be "*" or an object');
    return noPrincipal;
  }
  const entries = Object.entries(element).flatMap(([kind, value]) => compileKind(kind, value, note));
  return (caller, place) => {
    const matches = entries.map(entry => entry(caller, place));
    if (matches.includes('itself')) return 'itself';
    return matches.includes('its account') ? 'its account' : 'not';
  };
}

function sessionNamed({ Principal, Condition }: Readonly<Record<string, unknown>>): Statement['namesSession'] {
  const named = isObject(Principal) ? listOfOneOrMore(Principal['AWS'] ?? []) : [Principal];
  const keys = isObject(Condition) ? Object.values(Condition).flatMap(it => Object.keys(isObject(it) ? it : {})) : [];
  const isOnPrincipal = keys.some(key => key.toLowerCase() === 'aws:principalarn');
  return (caller, { partition }) => {
    const name = callerName(caller, partition);
    return (isOnPrincipal && named.includes('*')) || (name !== principalArn(caller, partition) && named.includes(name));
  };
}

function compileKind(kind: string, value: unknown, note: Note): readonly PrincipalElement[] {
  const compile = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  if (!compile) {
    note(`Principal.${kind} is none of ${Object.keys(KINDS).join(', ')}`);
    return [];
  }
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length === 0) note(`Principal.${kind} must name at least one principal`);
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
const noPrincipal: PrincipalElement = () => 'not';
