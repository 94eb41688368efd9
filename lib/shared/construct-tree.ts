import {
  CfnResource,
  DefaultTokenResolver,
  StringConcat,
  Tokenization,
  type TokenizedStringFragments,
} from 'aws-cdk-lib';
import type { CfnAlarm, IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Alias, CfnFunction, type IFunction, Version } from 'aws-cdk-lib/aws-lambda';

/**
 * Keeps each text as it is, with its tokens. A property that refers to a construct contains exactly the text of the
 * construct's ARN.
 */
class TextKeeper extends DefaultTokenResolver {
  constructor() {
    super(new StringConcat());
  }

  public override resolveString(fragments: TokenizedStringFragments): unknown {
    return fragments.join(new StringConcat());
  }
}

/** Whether the value of a property contains the ARN of a construct. */
export function mentions(resource: CfnResource, target: unknown, text: string): boolean {
  if (target === undefined) return false;
  const resolved: unknown = Tokenization.resolve(target, { scope: resource, resolver: new TextKeeper() });
  return (JSON.stringify(resolved) ?? '').includes(JSON.stringify(text));
}

/** The metric alarm of `alarm`; undefined for composite and imported alarms. */
export function ownedMetricAlarm({ node: { defaultChild } }: IAlarm): CfnAlarm | undefined {
  const isOwned =
    defaultChild !== undefined &&
    CfnResource.isCfnResource(defaultChild) &&
    defaultChild.cfnResourceType === 'AWS::CloudWatch::Alarm';
  return isOwned ? (defaultChild as CfnAlarm) : undefined;
}

/** The function's own resource; undefined for a version, an alias or an imported function. */
export function ownedFunction(handler: IFunction): CfnFunction | undefined {
  const resource = handler.node.defaultChild;
  return resource instanceof CfnFunction ? resource : undefined;
}

/** The function of a version or alias, or the function itself. */
export function functionBehind(handler: IFunction): IFunction {
  return handler instanceof Alias || handler instanceof Version ? handler.lambda : handler;
}
