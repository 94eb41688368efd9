import {
  CfnElement,
  DefaultTokenResolver,
  type IResolvable,
  type IResolveContext,
  Names,
  Reference,
  Stack,
  Stage,
  StringConcat,
  Tokenization,
} from 'aws-cdk-lib';
import {
  type AddToPrincipalPolicyResult,
  type Grant,
  type IGrantable,
  type IIdentity,
  type IPrincipal,
  Policy,
  type PolicyStatement,
  type PrincipalPolicyFragment,
} from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct, type IConstruct } from 'constructs';
import { atEndOfSynthesis } from '../checks';

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
function targetsOf(text: string): readonly IConstruct[] {
  return Tokenization.reverseString(text).tokens.flatMap(it => (Reference.isReference(it) ? [it.target] : []));
}

/** The stack of a construct; undefined outside stacks. */
function stackAround({ node }: IConstruct): Stack | undefined {
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
class StackReferences {
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

/** A principal that reads a dead-letter queue, and the keys it may already use. */
interface Reader {
  readonly grantee: IGrantable;
  readonly keys: Set<IKey>;
}

/** The queues that SQS moves messages from to one dead-letter queue, and the readers of the dead-letter queue. */
interface Readership {
  readonly queue: IQueue;
  readonly sources: Set<IQueue>;
  readonly readers: Reader[];
}

/** The app or stage of a construct. References do not leave it. */
function stageOf(construct: IConstruct): IConstruct {
  return Stage.of(construct) ?? construct.node.root;
}

/** For each app or stage, by the ARN of the dead-letter queue: several constructs may import the same queue. */
const readerships = new WeakMap<IConstruct, Map<string, Readership>>();

function readershipOf(queue: IQueue): Readership {
  const stage = stageOf(queue);
  const known = readerships.get(stage);
  const all = known ?? new Map<string, Readership>();
  if (!known) {
    readerships.set(stage, all);
    atEndOfSynthesis(stage, () => grantOnLateKeys(stage, [...all.values()]));
  }
  const found = all.get(queue.queueArn) ?? { queue, sources: new Set<IQueue>(), readers: [] };
  all.set(queue.queueArn, found);
  return found;
}

/** A principal of one stack that has to use a key of another. */
interface ForeignKey {
  readonly principal: IIdentity;
  readonly principalStack: Stack;
  readonly keyStack: Stack;
}

function isIdentity(principal: IPrincipal): principal is IIdentity {
  return Construct.isConstruct(principal) && 'attachInlinePolicy' in principal;
}

/** Undefined if a policy next to the principal refers to no other stack, or to one of another account or Region. */
function foreignKeyFor({ grantPrincipal: principal }: IGrantable, key: IKey): ForeignKey | undefined {
  if (!isIdentity(principal)) return undefined;
  const [keyStack, principalStack] = [
    targetsOf(key.keyArn).flatMap(it => stackAround(it) ?? [])[0],
    Stack.of(principal),
  ];
  if (!keyStack || keyStack === principalStack) return undefined;
  const isSamePlace = keyStack.account === principalStack.account && keyStack.region === principalStack.region;
  return isSamePlace ? { principal, principalStack, keyStack } : undefined;
}

/** A principal whose permissions are in a policy of another stack than its own. */
class PrincipalElsewhere implements IPrincipal {
  public readonly grantPrincipal = this;
  public readonly assumeRoleAction: string;
  public readonly policyFragment: PrincipalPolicyFragment;
  public readonly principalAccount: string | undefined;

  constructor(
    principal: IIdentity,
    private readonly policy: Policy,
  ) {
    this.assumeRoleAction = principal.assumeRoleAction;
    this.policyFragment = principal.policyFragment;
    this.principalAccount = principal.principalAccount;
    principal.attachInlinePolicy(policy);
  }

  public addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    this.policy.addStatements(statement);
    return { statementAdded: true, policyDependable: this.policy };
  }
}

function grantInStackOfKey(key: IKey, principal: IIdentity): void {
  const [owner = key] = targetsOf(key.keyArn);
  const scope = owner.node.scope ?? owner;
  const id = `DecryptedBy${Names.nodeUniqueId(principal.node)}`;
  if (scope.node.tryFindChild(id)) return;
  key.grantDecrypt(new PrincipalElsewhere(principal, new Policy(scope, id)));
}

/**
 * Grants the permission in the stack that may depend on the other one. Mostly, the stack of a key depends on that of the
 * dead-letter queue, because the queue with the key names its dead-letter queue.
 */
function grantAcross(
  key: IKey,
  grantee: IGrantable,
  { principal, principalStack, keyStack }: ForeignKey,
  known: StackReferences,
): void {
  if (known.reaches(keyStack, principalStack)) {
    grantInStackOfKey(key, principal);
    known.add(keyStack, principalStack);
  } else {
    key.grantDecrypt(grantee);
    known.add(principalStack, keyStack);
  }
}

/** Leaves a key of another stack to the synthesis, when it is known which stack depends on the other. */
function decrypt({ grantee, keys }: Reader, key: IKey | undefined): Grant[] {
  if (!key || keys.has(key) || foreignKeyFor(grantee, key)) return [];
  keys.add(key);
  return [key.grantDecrypt(grantee)];
}

/** Grants on keys of other stacks, and on the keys of queues that were created after the grant. */
function grantOnLateKeys(stage: IConstruct, all: readonly Readership[]): void {
  let references: StackReferences | undefined;
  for (const { queue, sources, readers } of all) {
    if (readers.length === 0) continue;
    const sourceKeys = sourcesIn(queue, sources).flatMap(it => it.encryptionMasterKey ?? []);
    for (const reader of readers) {
      for (const key of sourceKeys) {
        decrypt(reader, key);
        const foreign = reader.keys.has(key) ? undefined : foreignKeyFor(reader.grantee, key);
        if (!foreign) continue;
        reader.keys.add(key);
        references ??= new StackReferences(stage);
        grantAcross(key, reader.grantee, foreign, references);
      }
    }
  }
}

/** Declares that SQS moves messages from `source`, so that all readers, of now and later, may decrypt them. */
export function declareSource(deadLetterQueue: IQueue, source: IQueue): void {
  const { sources, readers } = readershipOf(deadLetterQueue);
  sources.add(source);
  for (const reader of readers) decrypt(reader, source.encryptionMasterKey);
}

/** The queues of the app that name a queue as their dead-letter queue, declared or not. */
function sourcesIn(deadLetterQueue: IQueue, declared: Iterable<IQueue>): readonly IQueue[] {
  const queues = stageOf(deadLetterQueue)
    .node.findAll()
    .filter(it => it instanceof Queue);
  const naming = queues.filter(it => it.deadLetterQueue?.queue.queueArn === deadLetterQueue.queueArn);
  return [...declared, ...naming];
}

/**
 * Lets a principal decrypt the messages of a queue. SQS moves a message to a dead-letter queue as it is: "If the queue
 * acts as a dead-letter queue, the consumer must also have the kms:Decrypt permission for any KMS key that is used to
 * encrypt the messages in the source queue."
 *
 * A key of another stack, or of a queue that is created later, is granted at synthesis. The returned grants do not
 * contain it.
 *
 * @param usable keys that the principal may use for another reason
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html#receive-from-encrypted-queue
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-server-side-encryption.html
 */
export function grantDecryptMessages(queue: IQueue, grantee: IGrantable, usable: readonly IKey[] = []): Grant[] {
  const { sources, readers } = readershipOf(queue);
  const { encryptionMasterKey: key } = queue;
  const isUsable = key === undefined || usable.includes(key);
  const reader = { grantee, keys: new Set(key ? [...usable, key] : usable) };
  readers.push(reader);
  // The policy of the principal names the queue, so its stack depends on that of the queue anyway.
  const ofQueue = isUsable ? [] : [key.grantDecrypt(grantee)];
  return [...ofQueue, ...sourcesIn(queue, sources).flatMap(it => decrypt(reader, it.encryptionMasterKey))];
}
