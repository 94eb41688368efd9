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
