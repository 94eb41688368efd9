import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Duration, type RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Effect, Policy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, type FunctionOptions, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { packageRoot } from './published-runbook';

/** What sets one of our functions apart from the others. */
export interface OwnFunctionOptions extends FunctionNetwork {
  /** The handler's name: the folder below `dist/lambda` that has its bundle. */
  readonly bundle: string;
  readonly description: string;
  /** What its role is for, as the role's description says it. */
  readonly roleDescription: string;
  readonly timeout: Duration;
  /** In megabytes, by which Lambda gives it its share of a processor too. @default 256 */
  readonly memorySize?: number;
  /** @default - CloudFormation makes one up */
  readonly functionName?: string;
  /** @default - only what all of them have */
  readonly environment?: Readonly<Record<string, string>>;
  /** How long an asynchronous event may wait and be retried. @default - Lambda's own six hours */
  readonly maxEventAge?: Duration;
  /** How often an asynchronous event is tried again that the function failed on. @default - twice, as Lambda does */
  readonly retryAttempts?: number;
  /** How many of it run side by side at most, which are taken from what the account has. @default - as many as are needed */
  readonly reservedConcurrentExecutions?: number;
  /** @default RetentionDays.THREE_MONTHS */
  readonly logRetention?: RetentionDays;
  /** What becomes of the log when the stack is deleted. @default - it stays */
  readonly removalPolicy?: RemovalPolicy;
  /** What its role may do beside writing the log. @default - nothing */
  readonly statements?: readonly PolicyStatement[];
}

/** A function of ours, and what belongs to it. */
export interface OwnFunction {
  readonly handler: LambdaFunction;
  readonly role: Role;
  readonly logGroup: LogGroup;
}

/**
 * Makes a function whose code comes with this package, as `Function`, `Role` and `Log` below `scope`. Its role may write its
 * own log and nothing else, instead of a managed policy for every log group of the account.
 * @throws where the bundle has not been built
 */
export function addOwnFunction(scope: Construct, options: OwnFunctionOptions): OwnFunction {
  const { bundle, roleDescription, logRetention = RetentionDays.THREE_MONTHS, removalPolicy, ...settings } = options;
  const { environment, statements = [], ...props } = settings;
  const logGroup = new LogGroup(scope, 'Log', { retention: logRetention, removalPolicy });
  const role = new Role(scope, 'Role', {
    description: roleDescription,
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
  });
  const writesItsLog = new PolicyStatement({
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    resources: [logGroup.logGroupArn],
  });
  const networking = props.vpc ? [interfaceStatement()] : [];
  for (const statement of [writesItsLog, ...statements, ...networking]) role.addToPolicy(statement);
  const handler = new LambdaFunction(scope, 'Function', {
    memorySize: 256,
    ...props,
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    handler: 'index.handler',
    code: handlerCode(bundle),
    role,
    logGroup,
    environment: { ...environment, NODE_OPTIONS: '--enable-source-maps' },
  });
  if (props.vpc) keepInterfacesFromCode(scope, handler, role);
  return { handler, role, logGroup };
}

/** In which network a function runs: none of the account's own, where there is no `vpc`. */
export type FunctionNetwork = Pick<FunctionOptions, 'vpc' | 'vpcSubnets' | 'securityGroups' | 'allowAllOutbound'>;

/**
 * What Lambda does to the network interfaces of a function, in the name of the function's role.
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

/** Lets Lambda have network interfaces in a VPC. It asks before there is one, and so of all resources. */
export function interfaceStatement(): PolicyStatement {
  return new PolicyStatement({ actions: INTERFACE_ACTIONS, resources: ['*'] });
}

/**
 * Leaves the permissions of `interfaceStatement` to Lambda alone: what the function's own code asks for is refused. It is a
 * policy of its own, for it names the function, which waits for all that stands in the role's other one.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
 */
export function keepInterfacesFromCode(scope: Construct, handler: LambdaFunction, role: Role): void {
  const denied = new PolicyStatement({
    effect: Effect.DENY,
    actions: INTERFACE_ACTIONS,
    resources: ['*'],
    conditions: { ArnEquals: { 'lambda:SourceFunctionArn': handler.functionArn } },
  });
  new Policy(scope, 'NoInterfacesForCode', { roles: [role], statements: [denied] });
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason:
      'Lambda asks for the permissions to manage network interfaces before there is one, and the code itself is denied them.',
  });
}

/**
 * The bundled code of one of our handlers, built when the package was: a consumer needs no esbuild. Its source map goes
 * along, a few kilobytes that Node reads only when an error is thrown, so that a stack trace in the log names our lines.
 * @throws where the bundle has not been built
 */
export function handlerCode(name: string): Code {
  const folder = path.join(packageRoot(), 'dist', 'lambda', name);
  if (!existsSync(path.join(folder, 'index.js'))) {
    throw new Error(`the bundle of handler '${name}' is missing from ${folder}: run npm run build`);
  }
  return Code.fromAsset(folder);
}
