import { Code, type FunctionProps, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';

/** A function with inline code. */
export function inlineFunction(
  scope: Construct,
  id: string,
  code: string,
  props: Partial<FunctionProps> = {},
): LambdaFunction {
  return new LambdaFunction(scope, id, {
    runtime: Runtime.NODEJS_22_X,
    handler: 'index.handler',
    code: Code.fromInline(code),
    ...props,
  });
}

/** A function that does nothing. */
export function newFunction(scope: Construct, props: Partial<FunctionProps> = {}): LambdaFunction {
  return inlineFunction(scope, 'Function', 'exports.handler = async () => {};', props);
}
