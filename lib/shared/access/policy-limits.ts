import { type IPostProcessor, type IResolvable, type IResolveContext, Stack, Token } from 'aws-cdk-lib';
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

/** `arn:aws:sns:us-east-1:111122223333:x`: no ARN that CloudFormation fills in is shorter. */
const SHORTEST_ARN_BYTES = 36;

/** An ARN whose name CloudFormation makes from those of the stack and the resource. */
const USUAL_ARN_BYTES = 90;

/** The shortest values of pseudo parameters. */
const PSEUDO_PARAMETERS: Readonly<Record<string, string>> = {
  'AWS::AccountId': '111122223333',
  'AWS::Partition': 'aws',
  'AWS::Region': 'us-east-1',
  'AWS::URLSuffix': 'amazonaws.com',
};

/** The text that CloudFormation makes from a value of a template, where an unknown ARN has `arnBytes`. */
function filledIn(value: unknown, arnBytes: number): unknown {
  if (Array.isArray(value)) return value.map(it => filledIn(it, arnBytes));
  if (!isObject(value)) return value;
  const [[name = '', argument] = [], ...others] = Object.entries(value);
  if (others.length > 0 || !(name === 'Ref' || name.startsWith('Fn::'))) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, filledIn(member, arnBytes)]));
  }
  if (name === 'Ref' && typeof argument === 'string' && argument.startsWith('AWS::')) {
    return PSEUDO_PARAMETERS[argument] ?? '';
  }
  const [delimiter, parts]: readonly unknown[] = name === 'Fn::Join' && Array.isArray(argument) ? argument : [];
  if (!Array.isArray(parts)) return 'x'.repeat(arnBytes);
  // An intrinsic function within a text is only a part of an ARN.
  return parts.map(it => filledIn(it, 0)).join(String(delimiter));
}

/** The limits that a policy exceeds. The size of the policy is not known before deployment. */
function excesses(owner: PolicyOwner, document: unknown, arnBytes: number): readonly PolicyExcess[] {
  const bytes = Buffer.byteLength(JSON.stringify(filledIn(document, arnBytes)) ?? '');
  return policyExcesses(owner, document, bytes);
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
  const found = (arnBytes: number) => {
    const document = policyOf();
    return document === undefined ? [] : excesses(owner, Stack.of(scope).resolve(document), arnBytes);
  };
  const texts = (all: readonly PolicyExcess[]) => all.map(it => `policy ${excessText(owner, it)}. ${ADVICE}`);
  scope.node.addValidation({ validate: () => texts(found(SHORTEST_ARN_BYTES)) });
  atSynthesis(scope, () => {
    const [probable] = found(SHORTEST_ARN_BYTES).length > 0 ? [] : found(USUAL_ARN_BYTES);
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

/**
 * The policy that Lambda makes of the permissions that this app adds to a function.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/access-control-resource-based.html
 */
function functionPolicy({ node, functionArn }: IFunction): object | undefined {
  const all = node.root.node.findAll().filter(it => it instanceof CfnPermission);
  const own = all.filter(({ functionName }) => functionName === functionArn);
  if (own.length === 0) return undefined;
  const statements = own.map(({ action, principal, sourceAccount, sourceArn, logicalId }) => ({
    Sid: logicalId,
    Effect: 'Allow',
    Principal: { Service: principal },
    Action: action,
    Resource: functionArn,
    Condition: {
      ...(sourceArn !== undefined && { ArnLike: { 'AWS:SourceArn': sourceArn } }),
      ...(sourceAccount !== undefined && { StringEquals: { 'AWS:SourceAccount': sourceAccount } }),
    },
  }));
  return { Version: '2012-10-17', Id: 'default', Statement: statements };
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
export function checkFunctionPolicy(handler: IFunction): void {
  checkAtSynthesis(handler, 'function', () => functionPolicy(handler));
}
