import { CfnResource, Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import type { Problem } from '../../policy/problem';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html */
const MAX_RESOURCES = 500;

/** The context key with which an app lowers the limit, or switches it off with 0, as aws-cdk-lib reads it. */
const LIMIT_CONTEXT = '@aws-cdk/core:stackResourceLimit';

/**
 * The problem of a stack with more resources than CloudFormation accepts, if it has relays: about ten fit into one.
 * Only the first relay of the stack reports it.
 */
export function stackSizeProblems(relay: IConstruct, isRelay: (it: IConstruct) => boolean): Problem[] {
  const stack = Stack.of(relay);
  const stated: unknown = stack.node.tryGetContext(LIMIT_CONTEXT);
  const most = typeof stated === 'number' ? stated : MAX_RESOURCES;
  const all = stack.node.findAll().filter(it => Stack.of(it) === stack);
  const relays = all.filter(isRelay);
  const { length: value } = all.filter(it => CfnResource.isCfnResource(it));
  if (relays[0] !== relay || most === 0 || value <= most) return [];
  const rule = `must be at most ${most}, CloudFormation's limit for a stack; move relays to another stack (it has ${relays.length})`;
  return [{ property: `resources of ${stack.node.path}`, rule, value }];
}
