import {
  CfnResource,
  DefaultTokenResolver,
  StringConcat,
  Tokenization,
  type TokenizedStringFragments,
} from 'aws-cdk-lib';
import type { CfnAlarm, IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Alias, CfnFunction, type IFunction, Version } from 'aws-cdk-lib/aws-lambda';

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

/** The metric alarm behind `alarm`; undefined of a composite one, and of one that was made elsewhere. */
export function ownedMetricAlarm({ node: { defaultChild } }: IAlarm): CfnAlarm | undefined {
  const isOwned =
    defaultChild !== undefined &&
    CfnResource.isCfnResource(defaultChild) &&
    defaultChild.cfnResourceType === 'AWS::CloudWatch::Alarm';
  return isOwned ? (defaultChild as CfnAlarm) : undefined;
}

/** The function's own resource; undefined for a version or alias, and for a function that was made elsewhere. */
export function ownedFunction(handler: IFunction): CfnFunction | undefined {
  const resource = handler.node.defaultChild;
  return resource instanceof CfnFunction ? resource : undefined;
}

/** The function a version or alias is of, or the function itself. */
export function functionBehind(handler: IFunction): IFunction {
  return handler instanceof Alias || handler instanceof Version ? handler.lambda : handler;
}
