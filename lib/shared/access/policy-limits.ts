import { type IPostProcessor, type IResolvable, type IResolveContext, Stack, Token } from 'aws-cdk-lib';
import { CfnPolicy, type Role } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { CfnKey } from 'aws-cdk-lib/aws-kms';
import { CfnPermission, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnTopicPolicy, type Topic } from 'aws-cdk-lib/aws-sns';
import { CfnQueueInlinePolicy, CfnQueuePolicy } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { isObject } from '../../../policy/json-members';
import {
  excessText,
  joinedSources,
  type PolicyExcess,
  type PolicyOwner,
  policyExcesses,
} from '../../../policy/resource-policy';
import { atSynthesis, warn } from '../checks';
import { mentions } from '../construct-tree';

/** `arn:aws:sns:us-east-1:111122223333:x`: no ARN that CloudFormation fills in is shorter. */
const SHORTEST_ARN_BYTES = 36;

/** An ARN whose name CloudFormation makes from those of the stack and the resource. */
const USUAL_ARN_BYTES = 90;

const PSEUDO_PARAMETERS: Readonly<Record<string, string>> = {
  'AWS::AccountId': '111122223333',
  'AWS::Partition': 'aws',
  'AWS::Region': 'us-east-1',
  'AWS::URLSuffix': 'amazonaws.com',
};

/** The assumed sizes of values that are not known before deployment, in bytes. */
interface AssumedSizes {
  readonly arn: number;
  /** A part of an ARN, such as a name. */
  readonly part: number;
}

/** Nothing that CloudFormation fills in is smaller. */
const SMALLEST: AssumedSizes = { arn: SHORTEST_ARN_BYTES, part: 0 };

const USUAL: AssumedSizes = { arn: USUAL_ARN_BYTES, part: 0 };

/** The text that CloudFormation makes from a value of a template. */
function filledIn(value: unknown, sizes: AssumedSizes): unknown {
  if (Array.isArray(value)) return value.map(it => filledIn(it, sizes));
  if (!isObject(value)) return value;
  const [[name = '', argument] = [], ...others] = Object.entries(value);
  if (others.length > 0 || !(name === 'Ref' || name.startsWith('Fn::'))) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, filledIn(member, sizes)]));
  }
  if (name === 'Ref' && typeof argument === 'string' && argument.startsWith('AWS::')) {
    return PSEUDO_PARAMETERS[argument] ?? '';
  }
  const [delimiter, parts]: readonly unknown[] = name === 'Fn::Join' && Array.isArray(argument) ? argument : [];
  if (!Array.isArray(parts)) return 'x'.repeat(sizes.arn);
  // An intrinsic function within a text is only a part of an ARN.
  return parts.map(it => filledIn(it, { ...sizes, arn: sizes.part })).join(String(delimiter));
}

/** The size of a document of a template, as its JSON text without spaces. */
function bytesOf(document: unknown, sizes: AssumedSizes): number {
  return Buffer.byteLength(JSON.stringify(filledIn(document, sizes)) ?? '');
}

function excesses(owner: PolicyOwner, document: unknown, sizes: AssumedSizes): readonly PolicyExcess[] {
  return policyExcesses(owner, document, bytesOf(document, sizes));
}

const ADVICE =
  'Give it fewer sources: use a second queue, topic, key or function, or add one statement whose aws:SourceArn has wildcards.';

/** Constructs whose policies are already checked. */
const checked = new WeakSet<IConstruct>();

/**
 * Fails the synthesis if a policy certainly exceeds a limit of AWS, and warns if it probably does.
 *
 * @param policyOf returns the document; undefined if there is no policy
 */
function checkAtSynthesis(scope: IConstruct, owner: PolicyOwner, policyOf: () => unknown): void {
  if (checked.has(scope)) return;
  checked.add(scope);
  const found = (sizes: AssumedSizes) => {
    const document = policyOf();
    return document === undefined ? [] : excesses(owner, Stack.of(scope).resolve(document), sizes);
  };
  const texts = (all: readonly PolicyExcess[]) => all.map(it => `policy ${excessText(owner, it)}. ${ADVICE}`);
  scope.node.addValidation({ validate: () => texts(found(SMALLEST)) });
  atSynthesis(scope, () => {
    const [probable] = found(SMALLEST).length > 0 ? [] : found(USUAL);
    if (probable === undefined) return;
    const text = `The policy of ${scope.node.path} probably ${excessText(owner, probable)}. ${ADVICE}`;
    warn(scope, 'policy-nearly-too-large', text);
  });
}

/** A policy document in which statements that differ only in their source are one statement. */
class PolicyWithJoinedSources implements IResolvable, IPostProcessor {
  public readonly creationStack: string[] = [];

  constructor(private readonly document: unknown) {}

  public resolve(context: IResolveContext): unknown {
    context.registerPostProcessor(this);
    return this.document;
  }

  public postProcess(document: unknown): unknown {
    if (!isObject(document) || !Array.isArray(document['Statement'])) return document;
    return { ...document, Statement: joinedSources(document['Statement']) };
  }

  public toString(): string {
    return Token.asString(this);
  }
}

/** The resource of a queue's policy, if the queue has one in this app. */
function policyResource(queue: IConstruct): CfnQueuePolicy | CfnQueueInlinePolicy | undefined {
  const child = queue.node.tryFindChild('Policy');
  const resource = child instanceof CfnQueueInlinePolicy ? child : child?.node.defaultChild;
  return resource instanceof CfnQueueInlinePolicy || resource instanceof CfnQueuePolicy ? resource : undefined;
}

/**
 * Lets a queue have more sources than its policy may have statements: joins those that differ only in their source,
 * including those that aws-cdk-lib adds. Checks the limits of the policy.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-policies.html
 */
export function joinSourcesOf(queue: IConstruct): void {
  if (checked.has(queue)) return;
  atSynthesis(queue, () => {
    const resource = policyResource(queue);
    if (resource) resource.policyDocument = new PolicyWithJoinedSources(resource.policyDocument);
  });
  checkAtSynthesis(queue, 'queue', () => policyResource(queue)?.policyDocument);
}

/** @see https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-language-api-permissions-reference.html */
export function checkTopicPolicy(topic: Topic): void {
  checkAtSynthesis(topic, 'topic', () => {
    const resource = topic.node.tryFindChild('Policy')?.node.defaultChild;
    return resource instanceof CfnTopicPolicy ? resource.policyDocument : undefined;
  });
}

/** @see https://docs.aws.amazon.com/kms/latest/APIReference/API_PutKeyPolicy.html */
export function checkKeyPolicy(key: IKey): void {
  const resource = key.node.defaultChild;
  if (resource instanceof CfnKey) checkAtSynthesis(key, 'key', () => resource.keyPolicy);
}

/** A random suffix of CloudFormation. */
const SUFFIX = 'x'.repeat(12);

const LONGEST_STATEMENT_ID = 100;

/** An id as long as the one that CloudFormation makes: stack name, logical id and a random suffix. */
function statementId(permission: CfnPermission): string {
  const stack = Stack.of(permission);
  const parts: readonly unknown[] = [stack.stackName, permission.logicalId].map(it => stack.resolve(it));
  // The name of a nested stack is not known before deployment.
  const known = parts.map(it => (typeof it === 'string' ? it : ''));
  return [...known, SUFFIX].join('-').slice(0, LONGEST_STATEMENT_ID);
}

/**
 * The policy that Lambda makes of the permissions that this app adds to a function.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/access-control-resource-based.html
 */
function functionPolicy({ node, functionArn }: IFunction): object | undefined {
  const all = node.root.node.findAll().filter(it => it instanceof CfnPermission);
  const own = all.filter(({ functionName }) => functionName === functionArn);
  if (own.length === 0) return undefined;
  const statements = own.map(permission => {
    const { action, principal, sourceAccount, sourceArn } = permission;
    return {
      Sid: statementId(permission),
      Effect: 'Allow',
      Principal: { Service: principal },
      Action: action,
      Resource: functionArn,
      Condition: {
        ...(sourceArn !== undefined && { ArnLike: { 'AWS:SourceArn': sourceArn } }),
        ...(sourceAccount !== undefined && { StringEquals: { 'AWS:SourceAccount': sourceAccount } }),
      },
    };
  });
  return { Version: '2012-10-17', Id: 'default', Statement: statements };
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
export function checkFunctionPolicy(handler: IFunction): void {
  checkAtSynthesis(handler, 'function', () => functionPolicy(handler));
}

/** All inline policies of a role together, without spaces. The limit cannot be raised. */
const ROLE_POLICIES_BYTES = 10_240;

const USUAL_NAME_BYTES = 24;

/**
 * Fails the synthesis if the policies that this app adds to a role are certainly too large, and warns if they probably are.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html#reference_iam-quotas-entity-length
 */
export function checkRolePolicies(role: Role, advice: string): void {
  const found = (sizes: AssumedSizes): string | undefined => {
    const policies = role.node.root.node.findAll().filter(it => it instanceof CfnPolicy);
    const own = policies.filter(it => mentions(it, it.roles, role.roleName));
    const bytes = own.reduce((sum, it) => sum + bytesOf(Stack.of(it).resolve(it.policyDocument), sizes), 0);
    if (bytes <= ROLE_POLICIES_BYTES) return undefined;
    const [have, most] = [bytes, ROLE_POLICIES_BYTES].map(it => it.toLocaleString('en-US'));
    return `${have} bytes, but IAM accepts at most ${most} for all of them together. ${advice}`;
  };
  const validate = () => {
    const certain = found(SMALLEST);
    return certain === undefined ? [] : [`inline policies of the role have ${certain}`];
  };
  role.node.addValidation({ validate });
  atSynthesis(role, () => {
    const probable =
      found(SMALLEST) === undefined ? found({ arn: USUAL_ARN_BYTES, part: USUAL_NAME_BYTES }) : undefined;
    if (probable === undefined) return;
    warn(role, 'policy-nearly-too-large', `The inline policies of ${role.node.path} probably have ${probable}`);
  });
}
