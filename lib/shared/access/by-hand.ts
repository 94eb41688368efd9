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

/** A policy that needs a statement this app cannot add, and what happens without it. */
interface Unwritable {
  /** A noun such as `queue`, which is also part of the warning's id. */
  readonly kind: 'queue' | 'key' | 'topic' | 'function';
  readonly path: string;
  /** What happens without the statement, for example `its dead letters are lost`. */
  readonly otherwise: string;
  /** The command that adds the statement, if it is not obvious. */
  readonly addedBy?: string;
}

/** The text that asks the owner of an imported resource to add a statement. Every such warning and error uses it. */
function manualPolicyText(scope: IConstruct, unwritable: Unwritable, statement: PolicyStatement): string {
  const { kind, path, otherwise, addedBy } = unwritable;
  const which = addedBy ? `, which ${addedBy} adds, ` : ' ';
  return `This app cannot change the policy of ${kind} ${path}. Without this statement${which}${otherwise}: ${statementText(scope, statement)}`;
}

/** Warns that the owner of a resource must add a statement. */
export function warnOfManualPolicy(
  scope: IConstruct,
  id: WarningId,
  unwritable: Unwritable,
  statement: PolicyStatement,
): void {
  warn(scope, id, manualPolicyText(scope, unwritable, statement));
}

/** Fails the synthesis with the statement to add, unless the app says that it has been added. */
export function refuseManualPolicy(scope: IConstruct, unwritable: Unwritable, statement: PolicyStatement): void {
  const way =
    'Add it there and pass an ImportedDeadLetterQueue with DeadLetterAccess.GRANTED_ELSEWHERE. Or let this stack write the whole policy, with DeadLetterAccess.WRITE_POLICY.';
  scope.node.addValidation({ validate: () => [`${manualPolicyText(scope, unwritable, statement)} ${way}`] });
}

/** The path a reader recognizes: that of the construct, not of the resource in it. */
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

/** Replaces values that are not known before deployment with names that a reader can fill in. */
class ForReaders extends DefaultTokenResolver {
  constructor() {
    super(new StringConcat());
  }

  public override resolveString(fragments: TokenizedStringFragments, context: IResolveContext): unknown {
    return fragments.mapTokens({ mapToken: token => tokenText(token, context) }).join(new StringConcat());
  }
}

/**
 * A statement as JSON that a reader can add to a policy. It has `<ARN of Stack/Topic>` for an ARN that is not known
 * before deployment, and `<AWS::AccountId>` for an unknown account.
 */
function statementText(scope: IConstruct, statement: PolicyStatement): string {
  return JSON.stringify(Tokenization.resolve(statement.toStatementJson(), { scope, resolver: new ForReaders() }));
}
