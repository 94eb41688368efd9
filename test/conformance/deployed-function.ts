import {
  CreateRoleCommand,
  DeleteRoleCommand,
  DeleteRolePolicyCommand,
  PutRolePolicyCommand,
} from '@aws-sdk/client-iam';
import {
  AddPermissionCommand,
  CreateEventSourceMappingCommand,
  type CreateEventSourceMappingCommandInput,
  CreateFunctionCommand,
  type CreateFunctionCommandInput,
  DeleteEventSourceMappingCommand,
  DeleteFunctionCommand,
  InvokeCommand,
  PutFunctionConcurrencyCommand,
  PutFunctionEventInvokeConfigCommand,
  type PutFunctionEventInvokeConfigCommandInput,
  waitUntilFunctionActiveV2,
} from '@aws-sdk/client-lambda';
import { strToU8, zipSync } from 'fflate';
import { ON_AWS, type Target } from './target';
import type { Topic } from './topic';

const BASICS = ['logs:*', 'sqs:*', 'sns:*', 'lambda:InvokeFunction', 'events:PutEvents'];

/** How long a real account takes until services may assume a new role. */
const ROLE_SECONDS = 10;

/** Creates a role that a service may assume, and deletes it at the end. Returns its ARN. */
export async function roleFor(aws: Target, service: string, actions: readonly string[]): Promise<string> {
  const RoleName = aws.name('role');
  const policy = (statement: object) =>
    JSON.stringify({ Version: '2012-10-17', Statement: { Effect: 'Allow', ...statement } });
  const trust = policy({ Principal: { Service: service }, Action: 'sts:AssumeRole' });
  const { Role } = await aws.iam.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument: trust }));
  const named = { RoleName, PolicyName: 'all-it-needs' };
  const PolicyDocument = policy({ Action: actions, Resource: '*' });
  await aws.iam.send(new PutRolePolicyCommand({ ...named, PolicyDocument }));
  aws.afterwards(() => aws.iam.send(new DeleteRoleCommand({ RoleName })));
  aws.afterwards(() => aws.iam.send(new DeleteRolePolicyCommand(named)));
  if (ON_AWS) await aws.pass(ROLE_SECONDS);
  return Role?.Arn ?? '';
}

type FunctionOptions = Partial<Omit<CreateFunctionCommandInput, 'Code' | 'FunctionName'>>;
type MappingOptions = Omit<CreateEventSourceMappingCommandInput, 'FunctionName' | 'EventSourceArn'>;

/** A function of a few lines of JavaScript, and the calls of a client to it. */
export class DeployedFunction {
  private constructor(
    private readonly aws: Target,
    readonly name: string,
    readonly arn: string,
  ) {}

  static async of(aws: Target, code: string, options: FunctionOptions = {}): Promise<DeployedFunction> {
    const FunctionName = aws.name('function');
    const Role = options.Role ?? (await roleFor(aws, 'lambda.amazonaws.com', BASICS));
    const { FunctionArn = '' } = await aws.lambda.send(
      new CreateFunctionCommand({
        FunctionName,
        Role,
        Runtime: 'nodejs22.x',
        Handler: 'index.handler',
        Code: { ZipFile: zipSync({ 'index.js': strToU8(code) }) },
        ...options,
      }),
    );
    aws.afterwards(() => aws.lambda.send(new DeleteFunctionCommand({ FunctionName })));
    await waitUntilFunctionActiveV2({ client: aws.lambda, maxWaitTime: 60 }, { FunctionName });
    return new DeployedFunction(aws, FunctionName, FunctionArn);
  }

  /** Creates a function that is subscribed to a topic, which may invoke it. */
  static async hearing(aws: Target, topic: Topic, code: string, subscription = {}): Promise<DeployedFunction> {
    const deployed = await DeployedFunction.of(aws, code);
    await deployed.allow('sns.amazonaws.com', topic.arn);
    await topic.subscribe('lambda', deployed.arn, subscription);
    return deployed;
  }

  allow(Principal: string, SourceArn: string) {
    return this.aws.lambda.send(
      new AddPermissionCommand({
        FunctionName: this.name,
        StatementId: 'allowed',
        Action: 'lambda:InvokeFunction',
        Principal,
        SourceArn,
      }),
    );
  }

  /** Invokes it asynchronously. Returns the request id. */
  async invoke(event: unknown): Promise<string> {
    const asked = new InvokeCommand({
      FunctionName: this.name,
      InvocationType: 'Event',
      Payload: Buffer.from(JSON.stringify(event)),
    });
    return (await this.aws.lambda.send(asked)).$metadata.requestId ?? '';
  }

  onEvents(options: Omit<PutFunctionEventInvokeConfigCommandInput, 'FunctionName'>) {
    return this.aws.lambda.send(new PutFunctionEventInvokeConfigCommand({ FunctionName: this.name, ...options }));
  }

  reserve(ReservedConcurrentExecutions: number) {
    return this.aws.lambda.send(
      new PutFunctionConcurrencyCommand({ FunctionName: this.name, ReservedConcurrentExecutions }),
    );
  }

  async feed(EventSourceArn: string, options: MappingOptions = {}) {
    const mapping = await this.aws.lambda.send(
      new CreateEventSourceMappingCommand({ FunctionName: this.name, EventSourceArn, ...options }),
    );
    this.aws.afterwards(() => this.aws.lambda.send(new DeleteEventSourceMappingCommand({ UUID: mapping.UUID })));
    return mapping;
  }

  remove() {
    return this.aws.lambda.send(new DeleteFunctionCommand({ FunctionName: this.name }));
  }
}
