import type { Api, InputOf, OutputOf } from '../kernel/api';
import type { Caller } from '../kernel/caller';
import { accessDenied, Doorkeeper } from '../kernel/doorkeeper';
import { FrontDoor } from '../kernel/front-door';
import { LAMBDA_ACTIONS, type LambdaActions } from './actions';
import type { LambdaWorld } from './actions/invoke';
import { EventQueue } from './asynchronous/event-queue';
import { PostOffice } from './asynchronous/post-office';
import { DeployedFunction } from './deployed-function';
import { Deployment } from './deployment';
import { Concurrency } from './environment/concurrency';
import { Fleet } from './environment/fleet';
import { conflict, functionNotFound } from './errors';
import { EventSourceMapping } from './event-source/event-source-mapping';
import type { MappingConfiguration } from './event-source/mapping-configuration';
import type { FunctionConfiguration } from './function-configuration';
import { functionArn, parseFunctionName } from './function-name';
import type { LambdaContext, LambdaNeighbours, LambdaOptions } from './ports';
import { workerFile } from './world/worker-file';

const DEFAULT_ACCOUNT_CONCURRENCY = 1000;

/**
 * AWS Lambda: functions that run their deployed bundles, invoked by callers, by Lambda's own queue and by event source
 * mappings. Call `close` at the end: each execution environment holds a thread.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/welcome.html
 */
export class Lambda implements Api<LambdaActions> {
  private readonly deployments = new Map<string, Deployment>();
  private readonly mappings = new Map<string, EventSourceMapping>();
  private readonly cleaning: (() => void)[] = [];
  private readonly fleet: Fleet;
  private readonly concurrency: Concurrency;
  private readonly door: FrontDoor<LambdaWorld, LambdaActions>;

  constructor(
    readonly context: LambdaContext,
    readonly neighbours: LambdaNeighbours,
    options: LambdaOptions = {},
  ) {
    this.fleet = new Fleet(context, neighbours, options);
    this.concurrency = new Concurrency(options.accountConcurrency ?? DEFAULT_ACCOUNT_CONCURRENCY);
    const world: LambdaWorld = { context, find: name => this.deployments.get(name) };
    this.door = new FrontDoor(
      new Doorkeeper('lambda', context, accessDenied(context.place, 'AccessDeniedException', 403)),
      LAMBDA_ACTIONS,
      world,
    );
  }

  call<Name extends keyof LambdaActions>(
    action: Name,
    caller: Caller,
    input: InputOf<LambdaActions[Name]>,
  ): OutputOf<LambdaActions[Name]> {
    return this.door.call(action, caller, input);
  }

  /** All functions, in the order in which they were created. */
  functions(): readonly FunctionConfiguration[] {
    return [...this.deployments.values()].map(({ deployed }) => deployed.configuration);
  }

  /**
   * The function with this name, partial ARN or ARN.
   *
   * @throws AwsError `ResourceNotFoundException`
   */
  functionNamed(nameOrArn: string): DeployedFunction {
    const { name } = parseFunctionName(nameOrArn);
    const found = this.deployments.get(name);
    if (!found) throw functionNotFound(functionArn(this.context.place, name));
    return found.deployed;
  }

  /**
   * @throws AwsError `ResourceConflictException` when there is a function of this name
   * @throws Error when the package has not been built, so that no function could run
   */
  createFunction(configuration: FunctionConfiguration): DeployedFunction {
    const { functionName } = configuration;
    if (this.deployments.has(functionName)) throw conflict(`Function already exist: ${functionName}`);
    workerFile();
    const deployed = new DeployedFunction(configuration, this.context, this.fleet, this.concurrency);
    const events = new EventQueue(deployed, this.context, new PostOffice(this.neighbours));
    this.deployments.set(functionName, new Deployment(deployed, events));
    this.context.trace.record({ type: 'lambda.function-created', functionArn: deployed.arn });
    return deployed;
  }

  /**
   * Feeds a function from a queue.
   *
   * @throws AwsError `ResourceNotFoundException`, or `ResourceConflictException` when the two are mapped already
   */
  createEventSourceMapping(functionName: string, configuration: MappingConfiguration): EventSourceMapping {
    const deployed = this.functionNamed(functionName);
    const { queueArn } = configuration;
    for (const [uuid, mapping] of this.mappings) {
      if (mapping.configuration.queueArn === queueArn && mapping.functionArn === deployed.arn) {
        const text =
          `An event source mapping with SQS arn (" ${queueArn} ") and function (" ${deployed.configuration.functionName} ") ` +
          `already exists. Please update or delete the existing mapping with UUID ${uuid}`;
        throw conflict(text);
      }
    }
    const uuid = this.context.random.uuid();
    const mapping = new EventSourceMapping(uuid, configuration, deployed, this.neighbours.sqs, this.context);
    this.mappings.set(uuid, mapping);
    const about = { mappingId: uuid, functionArn: deployed.arn, queueArn };
    this.context.trace.record({ type: 'lambda.mapping-created', ...about });
    if (configuration.enabled) mapping.enable();
    return mapping;
  }

  /** All event source mappings, in the order in which they were created; each can be enabled and disabled. */
  eventSourceMappings(): readonly EventSourceMapping[] {
    return [...this.mappings.values()];
  }

  /** Calls `clean` when everything is closed. */
  whenClosed(clean: () => void): void {
    this.cleaning.push(clean);
  }

  /** Ends every execution environment's thread. */
  async close(): Promise<void> {
    for (const mapping of this.mappings.values()) mapping.disable();
    await this.fleet.close();
    for (const clean of this.cleaning.splice(0)) clean();
  }
}
