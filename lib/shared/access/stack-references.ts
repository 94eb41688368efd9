import type { IResolvable, IResolveContext } from 'aws-cdk-lib';
import { CfnElement, DefaultTokenResolver, Reference, Stack, StringConcat, Tokenization } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Resolves the properties of an element, and remembers the constructs they refer to. */
class ReferenceFinder extends DefaultTokenResolver {
  public readonly found: IConstruct[] = [];

  constructor() {
    super(new StringConcat());
  }

  public override resolveToken(token: IResolvable, context: IResolveContext, postProcessor: PostProcessor): unknown {
    if (Reference.isReference(token)) this.found.push(token.target);
    return super.resolveToken(token, context, postProcessor);
  }
}

type PostProcessor = Parameters<DefaultTokenResolver['resolveToken']>[2];

/** What aws-cdk-lib calls at synthesis. Its declarations leave the method out. */
interface Rendered {
  _toCloudFormation(): object;
}

function isRendered(element: object): element is Rendered {
  return '_toCloudFormation' in element && typeof element._toCloudFormation === 'function';
}

function referencesOf(element: IConstruct): readonly IConstruct[] {
  if (!CfnElement.isCfnElement(element) || !isRendered(element)) return [];
  const resolver = new ReferenceFinder();
  Tokenization.resolve(element._toCloudFormation(), { scope: element, resolver, preparing: true });
  return resolver.found;
}

/** The constructs that a text such as an ARN refers to. */
export function targetsOf(text: string): readonly IConstruct[] {
  return Tokenization.reverseString(text).tokens.flatMap(it => (Reference.isReference(it) ? [it.target] : []));
}

/** The stack of a construct; undefined outside stacks. */
export function stackAround({ node }: IConstruct): Stack | undefined {
  return node.scopes.reverse().find(it => Stack.isStack(it));
}

/** The stacks that a stack is nested in, outermost first, and the stack itself. */
function nesting(stack: Stack): readonly Stack[] {
  const { nestedStackParent: parent } = stack;
  return parent ? [...nesting(parent), stack] : [stack];
}

/** The two stacks of which CloudFormation deploys one before the other. Undefined if one stack contains the other. */
function apart(one: Stack, other: Stack): readonly [Stack, Stack] | undefined {
  const [these, those] = [nesting(one), nesting(other)];
  const depth = these.findIndex((it, i) => it !== those[i]);
  const [first, second] = [these[depth], those[depth]];
  return first && second ? [first, second] : undefined;
}

/** Which stacks depend on which, by references and by stated dependencies. A reference the other way round would be a cycle. */
export class StackReferences {
  private readonly targets = new Map<Stack, Set<Stack>>();

  /** @param root the app or stage, whose constructs are complete */
  constructor(root: IConstruct) {
    for (const construct of root.node.findAll()) {
      const stack = stackAround(construct);
      if (!stack) continue;
      for (const target of [...referencesOf(construct), ...construct.node.dependencies]) {
        const other = stackAround(target);
        if (other) this.add(stack, other);
      }
      if (stack === construct) for (const other of stack.dependencies) this.add(stack, other);
    }
  }

  /** Adds the dependency of one stack on another. */
  public add(from: Stack, to: Stack): void {
    const [source, target] = apart(from, to) ?? [];
    if (!source || !target) return;
    this.targets.set(source, (this.targets.get(source) ?? new Set()).add(target));
  }

  /** Whether a stack depends on another, directly or not. */
  public reaches(from: Stack, to: Stack): boolean {
    const [source, target] = apart(from, to) ?? [];
    if (!source || !target) return false;
    const reached = new Set([source]);
    for (const stack of reached) for (const next of this.targets.get(stack) ?? []) reached.add(next);
    return reached.has(target);
  }
}
