import {
  DefaultTokenResolver,
  type IResolvable,
  type IResolveContext,
  Reference,
  StringConcat,
  Tokenization,
  type TokenizedStringFragments,
} from 'aws-cdk-lib';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';
import { type WarningId, warn } from '../checks';

/** A policy that this app would write a statement into, and what happens where nobody does. */
export interface Unwritable {
  /** As in `queue`: the noun, and half of the warning's id. */
  readonly kind: 'queue' | 'key' | 'topic' | 'function';
  readonly path: string;
  /** What happens without the statement, as in `its dead letters are lost`. */
  readonly otherwise: string;
  /** How the statement gets there, where that is not plain. */
  readonly addedBy?: string;
}

/** A statement that somebody else must add, and why: one sentence for every policy that cannot be written from here. */
export function manualPolicyText(scope: IConstruct, unwritable: Unwritable, statement: PolicyStatement): string {
  const { kind, path, otherwise, addedBy } = unwritable;
  const which = addedBy ? `, which ${addedBy} adds, ` : ' ';
  return `The policy of ${kind} ${path} cannot be written from here. Without this statement${which}${otherwise}: ${statementText(scope, statement)}`;
}

/** Says as a warning what to add by hand. */
export function warnOfManualPolicy(
  scope: IConstruct,
  id: WarningId,
  unwritable: Unwritable,
  statement: PolicyStatement,
): void {
  warn(scope, id, manualPolicyText(scope, unwritable, statement));
}

/** Fails the synthesis with what to add by hand, where nobody has said that it is there. */
export function refuseManualPolicy(scope: IConstruct, unwritable: Unwritable, statement: PolicyStatement): void {
  const way =
    'Add it there and say so, with an ImportedDeadLetterQueue whose access is DeadLetterAccess.GRANTED_ELSEWHERE; or let this stack write the whole policy, with DeadLetterAccess.WRITE_POLICY.';
  scope.node.addValidation({ validate: () => [`${manualPolicyText(scope, unwritable, statement)} ${way}`] });
}

/** What a reader recognises the construct by: its own path, not that of the resource within. */
function pathOfTarget({ node }: IConstruct): string {
  return node.scope?.node.defaultChild?.node.path === node.path ? node.scope.node.path : node.path;
}

function tokenText(token: IResolvable, context: IResolveContext): string {
  if (Reference.isReference(token) && token.target.node.path !== '' && !token.displayName.startsWith('AWS::')) {
    return `<ARN of ${pathOfTarget(token.target)}>`;
  }
  const value: unknown = context.resolve(token);
  if (typeof value === 'string') return value;
  const pseudo = typeof value === 'object' && value !== null && 'Ref' in value ? String(value.Ref) : undefined;
  return pseudo?.startsWith('AWS::') ? `<${pseudo}>` : '<not known before deployment>';
}

/** Puts a name a person can replace where a value is not known before deployment. */
class ForReaders extends DefaultTokenResolver {
  constructor() {
    super(new StringConcat());
  }

  public override resolveString(fragments: TokenizedStringFragments, context: IResolveContext): unknown {
    return fragments.mapTokens({ mapToken: token => tokenText(token, context) }).join(new StringConcat());
  }
}

/**
 * A statement as its reader would add it to a policy by hand: JSON, with `<ARN of Stack/Topic>` for the ARN of what has
 * none before deployment, and `<AWS::AccountId>` for an account that is not known.
 */
export function statementText(scope: IConstruct, statement: PolicyStatement): string {
  return JSON.stringify(Tokenization.resolve(statement.toStatementJson(), { scope, resolver: new ForReaders() }));
}
