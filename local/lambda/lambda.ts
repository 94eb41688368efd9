import { accessDenied, MissingResource, RequestChecks, ServiceApi } from '../kernel/service-api';
import { LAMBDA_ACTIONS, type LambdaActions } from './actions';
import { DestinationSender } from './asynchronous/destinations';
import { EventOutcomes } from './asynchronous/event-outcomes';
import { EventQueue } from './asynchronous/event-queue';
import { Concurrency } from './environment/concurrency';
import { EnvironmentPool } from './environment/environment-pool';
import { workerFile } from './environment/function-thread';
import { Interruptions } from './environment/interruptions';
import { type EventSourceMapping, Mappings } from './event-source/event-source-mapping';
import { DEFAULT_MAPPING, type MappingConfiguration } from './event-source/mapping-configuration';
import { Streams } from './event-source/stream/streams';
import { makeCodeFolder, removeCodeFolder } from './function/code';
import { DeployedFunction, type FunctionTarget } from './function/deployed-function';
import type { EventInvokeConfiguration } from './function/event-invoke-configuration';
import type { FunctionConfiguration, NewFunction } from './function/function-configuration';
import { FunctionDirectory } from './function/function-directory';
import { checkDestinations } from './function/function-rules';
import { Handlers, isSimulatedRuntime } from './function/handlers';
import type { LambdaState } from './lambda-state';
import type { LambdaDependencies, LambdaOptions } from './ports';
import type { LambdaContext } from './trace-events';

const DEFAULT_ACCOUNT_CONCURRENCY = 1000;
const DEFAULT_FILTERS_PER_MAPPING = 5;

/**
 * AWS Lambda. It runs functions from their deployed bundles, invoked by callers, by its internal queue or by event
 * source mappings. Call `close` at the end, because each execution environment holds a thread.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/welcome.html
 */
export class Lambda extends ServiceApi<LambdaState, LambdaActions> {
  readonly mappings: Mappings;
  readonly interruptions: Interruptions;
  /** Code of a test that runs in place of functions' own. */
  readonly handlers: Handlers;
  /** The records of streams. */
  readonly streams: Streams;
  private readonly cleaning: (() => void)[] = [];
  private readonly environments: EnvironmentPool;

  constructor(
    readonly context: LambdaContext,
    readonly dependencies: LambdaDependencies,
    options: LambdaOptions = {},
  ) {
    const streams = new Streams(context.timeline, streamArn => dependencies.streamRetentionMs?.(streamArn));
    const post = new DestinationSender(dependencies, (caller, FunctionName, Payload) => {
      this.call('Invoke', caller, { FunctionName, InvocationType: 'Event', Payload });
    });
    const filtersPerMapping = options.filtersPerMapping ?? DEFAULT_FILTERS_PER_MAPPING;
    const mappings = new Mappings(dependencies.sqs, context, filtersPerMapping, {
      streams,
      sender: post,
      roles: dependencies.roles,
    });
    const checks = new RequestChecks('lambda', context, accessDenied(context.place, 'AccessDeniedException', 403));
    super(checks, LAMBDA_ACTIONS, {
      context,
      dependencies,
      functions: new FunctionDirectory(context.place),
      mappings,
      events: new EventQueue(context, new EventOutcomes(context, post)),
      concurrency: new Concurrency(options.accountConcurrency ?? DEFAULT_ACCOUNT_CONCURRENCY),
      createFunction: wanted => this.createFunction(wanted),
      codeFolder: files => this.codeFolder(files),
    });
    this.streams = streams;
    this.mappings = mappings;
    this.handlers = new Handlers();
    this.interruptions =
      dependencies.interruptions ?? new Interruptions(nameOrArn => this.findFunction(nameOrArn)?.arn);
    this.environments = new EnvironmentPool(context, dependencies, this.interruptions, this.handlers, options);
  }

  /** The configuration of each function's `$LATEST`, in the order of creation. */
  functions(): readonly FunctionConfiguration[] {
    return this.state.functions.all().map(({ configuration }) => configuration);
  }

  /** Finds the function with this name, partial ARN or ARN. A version or an alias in it is ignored. */
  findFunction(nameOrArn: string): DeployedFunction | undefined {
    return this.state.functions.find(nameOrArn);
  }

  /** Whether code of the function or of a test runs. So does a function that does not exist: its caller gets Lambda's error. */
  runs(nameOrArn: string): boolean {
    const configuration = this.findFunction(nameOrArn)?.configuration;
    return !configuration || this.handlers.has(configuration) || isSimulatedRuntime(configuration.runtime);
  }

  /**
   * Returns the function with this name, partial ARN or ARN. A version or an alias in it is ignored.
   *
   * @throws AwsError `ResourceNotFoundException`
   */
  functionNamed(nameOrArn: string): DeployedFunction {
    return this.state.functions.get(nameOrArn);
  }

  /**
   * Returns the function, version or alias with this name or ARN.
   *
   * @param qualifier a version or an alias, if `nameOrArn` has none
   */
  target(nameOrArn: string, qualifier?: string): FunctionTarget {
    const found = this.state.functions.target(nameOrArn, qualifier);
    if (found instanceof MissingResource) throw found.error;
    return found;
  }

  /**
   * @throws AwsError `ResourceConflictException` when a function with this name exists
   * @throws Error when the package has not been built, because then no function can run
   */
  createFunction(wanted: NewFunction): DeployedFunction {
    this.state.functions.checkFree(wanted.functionName);
    workerFile();
    const deployed = new DeployedFunction(wanted, this.context, this.environments, this.state.concurrency);
    this.state.functions.add(deployed);
    this.context.trace.record({ type: 'lambda.function-created', functionArn: deployed.arn });
    return deployed;
  }

  /**
   * Creates an event source mapping without the delay of `CreateEventSourceMapping`.
   *
   * @param enabled whether it starts to receive
   * @throws AwsError for a configuration that AWS rejects
   */
  createEventSourceMapping(
    functionName: string,
    configuration: Partial<MappingConfiguration> & Pick<MappingConfiguration, 'queueArn'>,
    enabled = true,
  ): EventSourceMapping {
    const target = this.target(functionName);
    return this.mappings.create({ configuration: { ...DEFAULT_MAPPING, ...configuration }, target, enabled }, 0);
  }

  /** @throws AwsError when too little concurrency would remain for the other functions */
  checkReservable(functionName: string, limit: number): void {
    this.state.concurrency.checkReservable(functionName, limit);
  }

  /** @throws AwsError for destinations that AWS rejects */
  checkDestinations(destinations: EventInvokeConfiguration, deployed: DeployedFunction): void {
    checkDestinations(destinations, deployed, this.state.functions);
  }

  eventSourceMappings(): readonly EventSourceMapping[] {
    return this.mappings.all();
  }

  /** Writes code to a temporary folder, which is deleted by `close`. */
  codeFolder(files: Readonly<Record<string, string | Uint8Array>>): string {
    const folder = makeCodeFolder(files);
    this.cleaning.push(() => removeCodeFolder(folder));
    return folder;
  }

  /** Ends the threads of all execution environments. */
  async close(): Promise<void> {
    this.mappings.close();
    await this.environments.close();
    for (const clean of this.cleaning.splice(0)) clean();
  }
}
