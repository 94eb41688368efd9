import { parsePattern, wildcardMatcher } from '../../template/access/wildcard';
import type { Template } from './assembly';

/** A statement of a policy, as a template has it. */
interface Statement {
  Sid?: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource?: unknown;
  readonly Principal?: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

interface PolicyDocument {
  Statement: Statement[];
}

/** Something that a template allows or denies. */
export interface Grant {
  readonly logicalId: string;
  /** Its actions, or the name of an attached policy. */
  readonly action: string;
  /** Whether it alone decided a request. */
  readonly decided: (requests: DecidedRequests) => boolean;
}

/** The requests that one statement or one attached policy decided alone. */
export interface DecidedRequests {
  /** Returns the actions of these requests, in lower case. */
  readonly bySid: (sid: string) => readonly string[];
  /** Whether the policy with this name or ARN decided one for the role. */
  readonly byPolicy: (role: string, policy: string) => boolean;
  /** Returns the physical id of a resource. */
  readonly physicalId: (logicalId: string) => string;
}

/** What a grant is: a whole statement, or one action of it. */
export type Grain = 'statement' | 'action';

/** A statement of a template, and its place. */
export interface PlacedStatement {
  readonly logicalId: string;
  readonly resourceType: string;
  readonly statement: Statement;
}

const listed = (value: string | readonly string[]): readonly string[] => (typeof value === 'string' ? [value] : value);

/** Every policy document a resource has, whatever the type. */
function documentsOf(properties: Record<string, unknown>): PolicyDocument[] {
  const inline = (properties['Policies'] ?? []) as { PolicyDocument: PolicyDocument }[];
  const own = ['PolicyDocument', 'KeyPolicy', 'AssumeRolePolicyDocument'].map(
    name => properties[name] as PolicyDocument | undefined,
  );
  return [...own.filter(document => document !== undefined), ...inline.map(({ PolicyDocument }) => PolicyDocument)];
}

type Found = Omit<Grant, 'logicalId'>;

/** Gives a statement a Sid by which decisions name it. */
function ofStatement(statement: Statement, sid: string, grain: Grain): readonly Found[] {
  statement.Sid = sid;
  const actions = listed(statement.Action);
  if (grain === 'statement') return [{ action: actions.join(', '), decided: ({ bySid }) => bySid(sid).length > 0 }];
  const patterns = actions.map(action => ({ action, matches: wildcardMatcher(parsePattern(action.toLowerCase())) }));
  const only = (request: string) => patterns.filter(({ matches }) => matches(request));
  return actions.map(action => ({
    action,
    decided: ({ bySid }) => bySid(sid).some(request => only(request).every(it => it.action === action)),
  }));
}

function attached(logicalId: string, { ManagedPolicyArns }: Record<string, unknown>): readonly Found[] {
  if (!Array.isArray(ManagedPolicyArns)) return [];
  return ManagedPolicyArns.map(policy => {
    const [, ref] = /^{"Ref":"(\w+)"}$/.exec(JSON.stringify(policy)) ?? [];
    const action = ref ?? JSON.stringify(policy).replace(/^.*policy\/|"[\]}]*$/g, '');
    const decided = ({ byPolicy, physicalId }: DecidedRequests) =>
      byPolicy(physicalId(logicalId), ref === undefined ? `arn:aws:iam::aws:policy/${action}` : physicalId(ref));
    return { action, decided };
  });
}

function invoked(logicalId: string, type: string, { Action }: Record<string, unknown>): readonly Found[] {
  if (type !== 'AWS::Lambda::Permission') return [];
  return [{ action: String(Action), decided: ({ bySid, physicalId }) => bySid(physicalId(logicalId)).length > 0 }];
}

/** Returns everything that a template allows or denies. Gives each statement a Sid. */
export function labelGrants({ Resources }: Template, grain: Grain, prefix: string): readonly Grant[] {
  return Object.entries(Resources).flatMap(([logicalId, { Type, Properties = {} }]) => {
    const statements = documentsOf(Properties).flatMap(document => document.Statement);
    const stated = statements.flatMap((it, place) => ofStatement(it, `${prefix}${logicalId}n${place}`, grain));
    const found = [...stated, ...attached(logicalId, Properties), ...invoked(logicalId, Type, Properties)];
    return found.map(grant => ({ logicalId, ...grant }));
  });
}

/** Every statement of a template. */
export function statementsOf({ Resources }: Template): readonly PlacedStatement[] {
  return Object.entries(Resources).flatMap(([logicalId, { Type: resourceType, Properties = {} }]) =>
    documentsOf(Properties).flatMap(({ Statement }) =>
      Statement.map(statement => ({ logicalId, resourceType, statement })),
    ),
  );
}
