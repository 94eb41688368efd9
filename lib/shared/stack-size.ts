import { CfnResource, Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { counted } from '../../policy/format-text';
import { formatProblem } from '../../policy/problem';
import { atSynthesis, warn } from './checks';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html */
const MAX_RESOURCES = 500;

/** The context key with which an app lowers the limit, or switches it off with 0, as aws-cdk-lib reads it. */
const LIMIT_CONTEXT = '@aws-cdk/core:stackResourceLimit';

/** Above this share of the limit, a stack has a warning: one more construct may be too many. */
const NEARLY = 0.9;

/** A construct with a larger share of the limit may be listed by its parts. */
const LARGE = 0.1;

const MOST_LISTED = 10;

const ALARM = /^AWS::CloudWatch::(Composite)?Alarm$/;

const watched = new WeakSet<Stack>();

/**
 * Reports a stack that has more resources than CloudFormation accepts, with the constructs that made them. CDK validates
 * constructs before it writes templates, so its own error, which lists only resource types, does not follow.
 */
export function watchStackSize(construct: IConstruct): void {
  const stack = Stack.of(construct);
  if (watched.has(stack)) return;
  watched.add(stack);
  stack.node.addValidation({ validate: () => stackSizeErrors(stack) });
  atSynthesis(stack, () => warnOfStackSize(stack));
}

/** The limit that CDK applies to the stack; undefined if the app switched it off. */
function limitOf({ node }: Stack): number | undefined {
  const stated: unknown = node.tryGetContext(LIMIT_CONTEXT);
  const limit = stated === undefined ? MAX_RESOURCES : Number.parseInt(String(stated), 10);
  return limit > 0 ? limit : undefined;
}

/** The resources of the stack itself that will be in its template. A nested stack has its own limit. */
function resourcesOf(stack: Stack): readonly CfnResource[] {
  const all = stack.node.findAll().filter((it): it is CfnResource => CfnResource.isCfnResource(it));
  // CDK leaves out empty policies.
  return all.filter(it => it.stack === stack && it['shouldSynthesize']());
}

function stackSizeErrors(stack: Stack): string[] {
  const limit = limitOf(stack);
  const resources = resourcesOf(stack);
  const { length: value } = resources;
  if (limit === undefined || value <= limit) return [];
  const rule = `must be at most ${limit}, CloudFormation's limit for a stack`;
  const problem = formatProblem({ property: `resources of ${stack.node.path}`, rule, value });
  return [[problem, ...sizeLines(stack, resources, limit)].join('\n')];
}

function warnOfStackSize(stack: Stack): void {
  const limit = limitOf(stack);
  const resources = resourcesOf(stack);
  if (limit === undefined || resources.length <= NEARLY * limit || resources.length > limit) return;
  const first = `${stack.node.path} has ${resources.length} resources, and CloudFormation accepts ${limit} in a stack.`;
  warn(stack, 'stack-nearly-full', [first, ...sizeLines(stack, resources, limit)].join('\n'));
}

/** A construct and the number of its resources. */
interface Sized {
  readonly construct: IConstruct;
  readonly count: number;
}

/** The constructs in a construct that have resources of the stack. */
function childrenOf({ node }: IConstruct, isCounted: ReadonlySet<IConstruct>): readonly Sized[] {
  const sized = node.children.map(construct => {
    const { length: count } = construct.node.findAll().filter(it => isCounted.has(it));
    return { construct, count };
  });
  return sized.filter(({ count }) => count > 0);
}

/** Lists a large construct by its parts, unless most of them are single resources. */
function partsOf(sized: Sized, isCounted: ReadonlySet<IConstruct>, large: number): readonly Sized[] {
  if (sized.count <= large) return [sized];
  const children = childrenOf(sized.construct, isCounted);
  const inParts = children.filter(({ count }) => count > 1).reduce((sum, { count }) => sum + count, 0);
  return inParts * 2 < sized.count ? [sized] : children.flatMap(it => partsOf(it, isCounted, large));
}

/** The largest constructs, and what to do. */
function sizeLines(stack: Stack, resources: readonly CfnResource[], limit: number): readonly string[] {
  const isCounted = new Set<IConstruct>(resources);
  const large = Math.max(1, LARGE * limit);
  const parts = childrenOf(stack, isCounted).flatMap(it => partsOf(it, isCounted, large));
  const sorted = [...parts].sort((a, b) => b.count - a.count);
  const listed = sorted.slice(0, MOST_LISTED);
  const rest = sorted.slice(MOST_LISTED);
  const restCount = rest.reduce((sum, { count }) => sum + count, 0);
  const width = String(listed[0]?.count ?? 0).length;
  const { length: alarms } = resources.filter(it => ALARM.test(it.cfnResourceType));
  return [
    ...listed.map(({ construct, count }) => `    ${String(count).padStart(width)} in ${construct.node.path}`),
    ...(rest.length > 0 ? [`    ${restCount} in ${counted(rest.length, 'more construct', 'more constructs')}`] : []),
    `    Create some of these constructs in a second stack or in a nested stack. ${counted(alarms, 'resource is an alarm', 'resources are alarms')}.`,
  ];
}
