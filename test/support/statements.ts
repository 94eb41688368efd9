import type { Template } from './assembly';

/** A statement of a policy, as a template has it. */
interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource?: unknown;
  readonly Principal?: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

interface PolicyDocument {
  Statement: Statement[];
}

/** Something that a template allows or denies, and how to remove it. */
export interface Grant {
  readonly logicalId: string;
  readonly resourceType: string;
  /** Its actions, or the name of an attached policy. */
  readonly action: string;
  readonly effect: 'Allow' | 'Deny';
  /** Removes it from its template. */
  readonly remove: () => void;
}

/** What is removed at once: a whole statement, or one action of it. */
export type Grain = 'statement' | 'action';

/** A statement of a template, and its place. */
export interface PlacedStatement {
  readonly logicalId: string;
  readonly resourceType: string;
  readonly statement: Statement;
}

/** No account has this number, so no principal matches it. */
const NOBODY = '000000000000';

/** A statement that never applies replaces a removed one, because a policy without statements cannot be deployed. */
function disarmed(statement: Statement): Statement {
  const { Condition = {} } = statement;
  return {
    ...statement,
    Condition: { ...Condition, StringEquals: { ...Condition['StringEquals'], 'aws:SourceAccount': NOBODY } },
  };
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

type Found = Omit<Grant, 'logicalId' | 'resourceType'>;

function grantsOfStatement(document: PolicyDocument, index: number, grain: Grain): Found[] {
  const statement = document.Statement[index] as Statement;
  const { Effect: effect } = statement;
  const actions = listed(statement.Action);
  const keep = (others: readonly string[]) => {
    document.Statement[index] = others.length > 0 ? { ...statement, Action: others } : disarmed(statement);
  };
  if (grain === 'statement') return [{ action: actions.join(', '), effect, remove: () => keep([]) }];
  return actions.map(action => ({ action, effect, remove: () => keep(actions.filter(other => other !== action)) }));
}

function attached(properties: Record<string, unknown>): Found[] {
  const policies = properties['ManagedPolicyArns'];
  if (!Array.isArray(policies)) return [];
  return policies.map(policy => ({
    action: JSON.stringify(policy).replace(/^.*policy\/|"[\]}]*$/g, ''),
    effect: 'Allow' as const,
    remove: () => {
      properties['ManagedPolicyArns'] = policies.filter(other => other !== policy);
    },
  }));
}

function invoked(type: string, properties: Record<string, unknown>): Found[] {
  if (type !== 'AWS::Lambda::Permission') return [];
  const remove = () => {
    properties['SourceAccount'] = NOBODY;
  };
  return [{ action: String(properties['Action']), effect: 'Allow', remove }];
}

/** Everything that a template allows or denies. */
export function grantsOf({ Resources }: Template, grain: Grain): readonly Grant[] {
  return Object.entries(Resources).flatMap(([logicalId, { Type: resourceType, Properties = {} }]) => {
    const stated = documentsOf(Properties).flatMap(document =>
      [...document.Statement.keys()].flatMap(index => grantsOfStatement(document, index, grain)),
    );
    const found = [...stated, ...attached(Properties), ...invoked(resourceType, Properties)];
    return found.map(grant => ({ logicalId, resourceType, ...grant }));
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
