import type { PropertyReader } from '../cloudformation/property-reader';
import type { PolicyDocument } from '../kernel/access';
import type { AwsError } from '../kernel/aws-error';
import { isObject, parseJson } from '../kernel/json';
import { compileStatement, type PolicyKind, type Statement } from './statement';

/** A parsed and compiled policy. One with problems is never evaluated, because the decision could be wrong. */
export interface Policy {
  readonly statements: readonly Statement[];
  readonly problems: readonly string[];
  /** What is not implemented, but can be evaluated: a condition key that no request has, a kind of principal that does not exist. */
  readonly notSimulated: readonly string[];
}

const VERSIONS: ReadonlySet<unknown> = new Set(['2012-10-17', '2008-10-17', undefined]);
const ELEMENTS: ReadonlySet<string> = new Set(['Version', 'Id', 'Statement']);

/**
 * Parses the text of a queue's or topic's policy. Conditions that are not simulated are accepted: their evaluation allows
 * nothing that AWS may refuse, and the reason of a refusal names them.
 *
 * @param refuse makes the error: from the problems of the policy, or from nothing when the text is not a policy
 */
export function readPolicyText(
  text: string,
  kind: PolicyKind,
  refuse: (problem: string | undefined) => AwsError,
): PolicyDocument {
  const document = parseJson(text, () => refuse(undefined));
  if (!isPolicyDocument(document)) throw refuse(undefined);
  const [problem] = parsePolicy(document, kind).problems;
  if (problem !== undefined) throw refuse(problem);
  return document;
}

function isPolicyDocument(value: unknown): value is PolicyDocument {
  return isObject(value) && value['Statement'] !== undefined;
}

const compiled: Readonly<Record<PolicyKind, WeakMap<PolicyDocument, Policy>>> = {
  identity: new WeakMap(),
  resource: new WeakMap(),
  trust: new WeakMap(),
};

/**
 * Parses a policy document. The result is cached by the document object, so a changed policy needs a new object.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_grammar.html
 */
export function parsePolicy(document: PolicyDocument, kind: PolicyKind): Policy {
  const known = compiled[kind].get(document);
  if (known) return known;
  const policy = compile(document, kind);
  compiled[kind].set(document, policy);
  return policy;
}

function compile(document: PolicyDocument, kind: PolicyKind): Policy {
  const problems: string[] = [];
  const notSimulated: string[] = [];
  for (const element of Object.keys(document)) {
    if (!ELEMENTS.has(element)) problems.push(`a policy has no element ${element}`);
  }
  if (!VERSIONS.has(document.Version)) {
    problems.push(`Version must be 2012-10-17 or 2008-10-17, got "${document.Version}"`);
  }
  const list: readonly unknown[] = Array.isArray(document.Statement) ? document.Statement : [document.Statement];
  const statements = list.flatMap((statement, i) => {
    const number = i + 1;
    const noteIn = (list: string[]) => (problem: string) => list.push(`statement ${number} ${problem}`);
    const note = noteIn(problems);
    if (isObject(statement)) {
      const variables = document.Version === '2012-10-17';
      return [compileStatement(statement, { kind, number, variables, note, noteNotSimulated: noteIn(notSimulated) })];
    }
    note('must be an object');
    return [];
  });
  return { statements, problems, notSimulated };
}

/**
 * Reads a policy from a resource's properties, and records everything in it that cannot be evaluated or is not simulated.
 *
 * @returns undefined when it is missing or invalid
 */
export function policyProperty(properties: PropertyReader, name: string, kind: PolicyKind): PolicyDocument | undefined {
  const members = properties.document(name);
  if (!members) return undefined;
  const document: PolicyDocument = { ...members, Statement: members['Statement'] };
  const { problems } = parsePolicy(document, kind);
  notePolicyParts(properties, name, document, kind);
  for (const problem of problems) properties.problem(name, `cannot be evaluated: ${problem}`);
  return problems.length > 0 ? undefined : document;
}

/** Records what is not simulated of a policy that a service judges itself. */
export function notePolicyParts(
  properties: PropertyReader,
  name: string,
  document: PolicyDocument,
  kind: PolicyKind = 'resource',
): void {
  const { notSimulated } = parsePolicy(document, kind);
  for (const rule of notSimulated) properties.notSimulated(name, `cannot be evaluated: ${rule}`);
}

/** Reads a required policy like `policyProperty`. */
export function requiredPolicyProperty(
  properties: PropertyReader,
  name: string,
  kind: PolicyKind,
): PolicyDocument | undefined {
  const before = properties.notedProblems().length;
  const document = policyProperty(properties, name, kind);
  if (!document && properties.notedProblems().length === before) properties.problem(name, 'is required');
  return document;
}
