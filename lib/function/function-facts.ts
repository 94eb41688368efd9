import { Alias, CfnFunction, type IFunction, Version } from 'aws-cdk-lib/aws-lambda';

/** The function's own resource; undefined for a version or alias, and for a function that was made elsewhere. */
export function ownedFunction(handler: IFunction): CfnFunction | undefined {
  const resource = handler.node.defaultChild;
  return resource instanceof CfnFunction ? resource : undefined;
}

/** The function a version or alias is of, or the function itself. */
export function functionBehind(handler: IFunction): IFunction {
  return handler instanceof Alias || handler instanceof Version ? handler.lambda : handler;
}
