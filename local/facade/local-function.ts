import type { DeployedStack } from '../cloudformation';
import type { HandledInvocation } from '../lambda';
import type { PlaceServices } from '../place-services';
import type { Simulation } from '../simulation';
import { type ClientConfig, clientConfig } from './client';
import { serviceNamed } from './names';

/** What a handler of a test learns about its invocation, in the terms of Lambda's Node.js runtime. */
export interface HandlerContext {
  readonly functionName: string;
  readonly functionVersion: string;
  readonly invokedFunctionArn: string;
  readonly awsRequestId: string;
  /** In MB. */
  readonly memoryLimitInMB: string;
  readonly logGroupName: string;
  readonly logStreamName: string;
  /** The environment variables of the deployed function, and those that Lambda sets. */
  readonly environment: Readonly<Record<string, string>>;
  /** Virtual time until the function times out. */
  getRemainingTimeInMillis(): number;
  /** Resolves after some virtual time. Nothing else in a handler takes virtual time, except answers that take time. */
  sleep(ms: number): Promise<void>;
  /**
   * The configuration for SDK clients that act with the function's role. `LocalAws.clientConfig` acts as an
   * administrator.
   */
  clientConfig(): ClientConfig;
}

/** Code of a test in place of a function's own. */
export type FunctionHandler<Event = unknown> = (event: Event, context: HandlerContext) => unknown;

/** A deployed function. */
export class LocalFunction {
  /** @internal */
  constructor(
    readonly name: string,
    readonly arn: string,
    private readonly services: PlaceServices,
  ) {}

  /**
   * Runs `handler` in place of the function's code, in this process: for runtimes that are not simulated, and as the
   * double of any function. Everything else stays Lambda's: retries, timeouts, concurrency, batches, permissions of the
   * role for clients of `context.clientConfig()`. A thrown error is the function's error. Environments that run already
   * finish with the code they began with.
   *
   * ```ts
   * aws.function('Resize').handle(async (event, context) => ({ batchItemFailures: [] }));
   * ```
   *
   * Time stands still while the handler runs, unless it sleeps (`context.sleep`) or waits for an answer that takes virtual
   * time. A handler that never ends times out, after `lambda.watchdogMs` of real time.
   *
   * @throws TypeError when `handler` is not a function
   */
  handle<Event = unknown>(handler: FunctionHandler<Event>): this {
    if (typeof handler !== 'function') throw new TypeError(`handler must be a function, got ${String(handler)}`);
    this.services.lambda.handlers.set(this.arn, (event, invocation) =>
      handler(event as Event, this.contextOf(invocation)),
    );
    return this;
  }

  /** Runs the function's own code again. */
  restore(): void {
    this.services.lambda.handlers.set(this.arn, undefined);
  }

  private contextOf(invocation: HandledInvocation): HandlerContext {
    const { configuration, variables, deadlineMs, requestId, functionArn, sleep } = invocation;
    const { network, place, timeline } = this.services;
    return {
      functionName: configuration.functionName,
      functionVersion: configuration.version,
      invokedFunctionArn: functionArn,
      awsRequestId: requestId,
      memoryLimitInMB: String(configuration.memorySizeMb),
      logGroupName: configuration.logging.logGroup,
      logStreamName: variables['AWS_LAMBDA_LOG_STREAM_NAME'] ?? '',
      environment: variables,
      getRemainingTimeInMillis: () => Math.max(0, deadlineMs - timeline.nowMs),
      sleep,
      clientConfig: () =>
        clientConfig(network, place, {
          credentials: {
            accessKeyId: variables['AWS_ACCESS_KEY_ID'] ?? '',
            secretAccessKey: variables['AWS_SECRET_ACCESS_KEY'] ?? '',
            sessionToken: variables['AWS_SESSION_TOKEN'] ?? '',
          },
          headers: { 'x-amzn-trace-id': invocation.traceHeader },
        }),
    };
  }
}

/** Finds a function. @throws RangeError when no function or more than one matches */
export function functionNamed(simulation: Simulation, stacks: readonly DeployedStack[], id: string): LocalFunction {
  const functions = simulation.all.flatMap(services =>
    services.lambda.functions().map(({ functionName: name, functionArn: arn }) => {
      return { value: new LocalFunction(name, arn, services), names: [arn, name] };
    }),
  );
  return serviceNamed(stacks, 'function', functions, id);
}
