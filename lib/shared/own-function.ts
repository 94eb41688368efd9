import { existsSync } from 'node:fs';
import path from 'node:path';
import { CfnResource, type Duration, type RemovalPolicy } from 'aws-cdk-lib';
import {
  type AddToPrincipalPolicyResult,
  Effect,
  Policy,
  PolicyDocument,
  PolicyStatement,
  Role,
  type RoleProps,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  type FunctionOptions,
  Function as LambdaFunction,
  type RecursiveLoop,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { type DeclaredUsage, USAGE_METADATA } from '../../diagnosis/cost/declared-usage';
import { acknowledgeRule, NODE_24 } from './cdk-features';
import { packageRoot } from './own-package';

/** The memory of a function of this library, unless its properties say another. */
export const OWN_MEMORY_MEBIBYTES = 256;

/** What differs between the functions of this package. */
interface OwnFunctionOptions extends FunctionNetwork {
  /** The folder of the bundle below `dist/lambda`. */
  readonly bundle: string;
  readonly description: string;
  /** The description of the function's role. */
  readonly roleDescription: string;
  readonly timeout: Duration;
  /** In megabytes. Lambda allocates CPU in proportion to it. @default 256 */
  readonly memorySize?: number;
  /** @default - CloudFormation generates one */
  readonly functionName?: string;
  /** @default - only the variables that all functions have */
  readonly environment?: Readonly<Record<string, string>>;
  /** How long Lambda keeps an asynchronous event and retries it. @default - six hours, Lambda's default */
  readonly maxEventAge?: Duration;
  /** How often Lambda retries an asynchronous event after a function error. @default - twice, Lambda's default */
  readonly retryAttempts?: number;
  /** The maximum number of concurrent executions, reserved from the account's limit. @default - not limited */
  readonly reservedConcurrentExecutions?: number;
  /** @default - Lambda stops a loop of the function with queues and topics after about 16 invocations */
  readonly recursiveLoop?: RecursiveLoop;
  /** @default RetentionDays.THREE_MONTHS */
  readonly logRetention?: RetentionDays;
  /** What happens to the log group when the stack is deleted. @default - it is retained */
  readonly removalPolicy?: RemovalPolicy;
  /** What the role may do in addition to writing the log. @default - nothing */
  readonly statements?: readonly PolicyStatement[];
  /**
   * Whether the permissions are in the role itself, until `sealRole` is called. The role must never get more than a role
   * has room for, and no resource that a permission names may depend on the role.
   * @default false - they are in a policy of their own, which aws-cdk-lib divides if it is too large
   */
  readonly hasInlinePolicy?: boolean;
  /** What its invocations use, for the report of costs. @default - like any function's */
  readonly usage?: DeclaredUsage;
}

/** A function of this package with its role and its log group. */
export interface OwnFunction {
  readonly handler: LambdaFunction;
  readonly role: Role;
  /** Puts permissions that are granted from now on into a policy of their own. */
  readonly sealRole: () => void;
  readonly logGroup: LogGroup;
}

/**
 * A role with its permissions in itself, which saves a resource. Permissions that are granted after it is sealed, by the
 * code of users, are in a policy of their own as usual: such a grant may let a resource depend on the role that the role
 * names, for example the key of a secret, and CloudFormation would refuse the cycle.
 */
class InlineRole extends Role {
  private readonly inline: PolicyDocument;
  private isSealed = false;

  constructor(scope: Construct, id: string, props: RoleProps) {
    const inline = new PolicyDocument();
    super(scope, id, { ...props, inlinePolicies: { Own: inline } });
    this.inline = inline;
  }

  public override addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    if (this.isSealed) return super.addToPrincipalPolicy(statement);
    this.inline.addStatements(statement);
    return { statementAdded: true, policyDependable: this };
  }

  public seal(): void {
    this.isSealed = true;
  }
}

/**
 * Creates a function whose code is part of this package, as `Function`, `Role` and `Log` below `scope`. Its role may
 * write only its own log group. The managed policy of AWS would allow every log group of the account.
 * @throws if the bundle has not been built
 */
export function addOwnFunction(scope: Construct, options: OwnFunctionOptions): OwnFunction {
  const { bundle, roleDescription, logRetention = RetentionDays.THREE_MONTHS, removalPolicy, ...settings } = options;
  const { environment, statements = [], usage, hasInlinePolicy = false, ...props } = settings;
  const logGroup = new LogGroup(scope, 'Log', { retention: logRetention, removalPolicy });
  const roleProps = { description: roleDescription, assumedBy: new ServicePrincipal('lambda.amazonaws.com') };
  const inlineRole = hasInlinePolicy ? new InlineRole(scope, 'Role', roleProps) : undefined;
  const role = inlineRole ?? new Role(scope, 'Role', roleProps);
  const writesItsLog = new PolicyStatement({
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    resources: [logGroup.logGroupArn],
  });
  const networking = props.vpc ? [interfaceStatement()] : [];
  for (const statement of [writesItsLog, ...statements, ...networking]) role.addToPolicy(statement);
  const handler = new LambdaFunction(scope, 'Function', {
    memorySize: OWN_MEMORY_MEBIBYTES,
    ...props,
    runtime: NODE_24,
    architecture: Architecture.ARM_64,
    handler: 'index.handler',
    code: handlerCode(bundle),
    role,
    logGroup,
    environment: { ...environment, NODE_OPTIONS: '--enable-source-maps' },
  });
  if (usage && handler.node.defaultChild instanceof CfnResource) {
    handler.node.defaultChild.addMetadata(USAGE_METADATA, usage);
  }
  if (props.vpc) keepInterfacesFromCode(scope, handler, role);
  return { handler, role, logGroup, sealRole: () => inlineRole?.seal() };
}

/** The network of a function. Without `vpc` it runs outside any VPC of the account. */
export type FunctionNetwork = Pick<FunctionOptions, 'vpc' | 'vpcSubnets' | 'securityGroups' | 'allowAllOutbound'>;

/**
 * The actions with which Lambda manages the network interfaces of a function, using the function's role.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
 */
const INTERFACE_ACTIONS = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

/**
 * Lets Lambda manage network interfaces in a VPC. Lambda checks the permission before an interface exists, so the
 * resource is `*`.
 */
function interfaceStatement(): PolicyStatement {
  return new PolicyStatement({ actions: INTERFACE_ACTIONS, resources: ['*'] });
}

/**
 * Restricts the permissions of `interfaceStatement` to Lambda itself and denies them to the function's code. They need
 * a policy of their own, because the statement names the function, and the function depends on the role's main policy.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
 */
function keepInterfacesFromCode(scope: Construct, handler: LambdaFunction, role: Role): void {
  const denied = new PolicyStatement({
    effect: Effect.DENY,
    actions: INTERFACE_ACTIONS,
    resources: ['*'],
    conditions: { ArnEquals: { 'lambda:SourceFunctionArn': handler.functionArn } },
  });
  new Policy(scope, 'NoInterfacesForCode', { roles: [role], statements: [denied] });
  acknowledgeRule(role, {
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason:
      'Lambda asks for the permissions to manage network interfaces before there is one, and the code itself is denied them.',
  });
}

/**
 * The bundled code of a handler of this package. It is bundled when the package is built, so users need no esbuild. Its
 * source map is included, so that stack traces in the log show source lines. Node reads the map only when an error is
 * thrown.
 */
export function handlerCode(name: string): Code {
  const folder = path.join(packageRoot(), 'dist', 'lambda', name);
  if (!existsSync(path.join(folder, 'index.js'))) {
    throw new Error(`the bundle of handler '${name}' is missing from ${folder}: run npm run build`);
  }
  return Code.fromAsset(folder);
}
