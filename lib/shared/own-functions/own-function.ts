import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { type FunctionNetwork, interfaceStatement, keepInterfacesFromCode } from './function-network';
import { handlerCode } from './handler-code';

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
