import {
  type CfnResource,
  DefaultTokenResolver,
  StringConcat,
  Tokenization,
  type TokenizedStringFragments,
} from 'aws-cdk-lib';

/** Leaves each text as it stands, tokens and all: what names a construct by its ARN holds the very text that is its ARN. */
class TextKeeper extends DefaultTokenResolver {
  constructor() {
    super(new StringConcat());
  }

  public override resolveString(fragments: TokenizedStringFragments): unknown {
    return fragments.join(new StringConcat());
  }
}

/** Whether what a property of a resource holds names an ARN, as the construct that has it says it. */
export function mentions(resource: CfnResource, target: unknown, text: string): boolean {
  if (target === undefined) return false;
  const resolved: unknown = Tokenization.resolve(target, { scope: resource, resolver: new TextKeeper() });
  return (JSON.stringify(resolved) ?? '').includes(JSON.stringify(text));
}
