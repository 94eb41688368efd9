import type { PolicyDocument } from '../kernel/access';
import type { Concurrency } from './environment/concurrency';
import type { Fleet } from './environment/fleet';
import {
  DEFAULT_EVENT_INVOKE_CONFIGURATION,
  type EventInvokeConfiguration,
  type FunctionConfiguration,
} from './function-configuration';
import { functionPolicy, type Permission } from './function-policy';
import type { Invocation, Outcome } from './invocation';
import { FunctionMetrics } from './metrics';
import type { LambdaContext } from './ports';
import { headerOfInvocation, invocationsSoFar, lineageId } from './trace-header';

/** Characters of an error message the trace keeps. */
const TRACED_CHARACTERS = 256;

/**
 * Invocations of one function in one chain of requests.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
 */
const MOST_INVOCATIONS_IN_A_CHAIN = 16;

/** A function that exists: what it is, who may call it, and how it runs. */
export class DeployedFunction {
  readonly metrics: FunctionMetrics;
  eventInvoke: EventInvokeConfiguration = DEFAULT_EVENT_INVOKE_CONFIGURATION;
  private readonly permissions: Permission[] = [];
  private readonly lineageId: string;

  constructor(
    readonly configuration: FunctionConfiguration,
    private readonly context: LambdaContext,
    private readonly fleet: Fleet,
    private readonly concurrency: Concurrency,
  ) {
    this.metrics = new FunctionMetrics(configuration.functionName, context.metrics);
    this.lineageId = lineageId(configuration.functionArn);
    concurrency.reserve(configuration.functionName, configuration.reservedConcurrentExecutions);
  }

  get arn(): string {
    return this.configuration.functionArn;
  }

  get policy(): PolicyDocument | undefined {
    return functionPolicy(this.arn, this.permissions);
  }

  addPermission(permission: Permission): void {
    this.permissions.push(permission);
  }

  /** The trace header of an invocation that a request with the header `cause` leads to. */
  traceHeader(cause: string | undefined): string {
    return headerOfInvocation(cause, this.lineageId, this.context.random);
  }

  /** Whether a request with the header `cause` comes out of a loop that Lambda stops. */
  isLoop(cause: string | undefined): boolean {
    if (this.configuration.recursiveLoop === 'Allow') return false;
    return invocationsSoFar(cause, this.lineageId) >= MOST_INVOCATIONS_IN_A_CHAIN;
  }

  /** Lambda does not run the handler, but says that it has stopped a loop. */
  stopLoop(stopped: Pick<Invocation, 'requestId' | 'trigger'> & { readonly messageIds?: readonly string[] }): void {
    this.metrics.count('RecursiveInvocationsDropped');
    this.context.trace.record({ type: 'lambda.recursion-stopped', functionArn: this.arn, ...stopped });
  }

  /**
   * Runs the handler; call it from due work and let that wait for the answer. Undefined when the invocation is throttled:
   * `done` is never called then.
   */
  start(invocation: Invocation, done: (outcome: Outcome) => void): Promise<void> | undefined {
    const { functionName } = this.configuration;
    const { trace } = this.context;
    const { requestId, trigger, attempt } = invocation;
    if (!this.concurrency.take(functionName)) {
      this.metrics.count('Throttles');
      trace.record({ type: 'lambda.throttled', functionArn: this.arn, requestId, trigger });
      return undefined;
    }
    this.metrics.count('Invocations');
    this.metrics.count('ConcurrentExecutions', this.concurrency.runningOf(functionName));
    const { environment, number, coldStart } = this.fleet.take(this.configuration);
    const invoked = { type: 'lambda.invoked', functionArn: this.arn, requestId, trigger, attempt } as const;
    trace.record({ ...invoked, environment: number, coldStart });
    return environment.begin(invocation, async outcome => {
      this.concurrency.give(functionName);
      this.record(requestId, outcome);
      await this.fleet.release(this.configuration, environment);
      done(outcome);
    });
  }

  private record(requestId: string, outcome: Outcome): void {
    const { kind, durationMs } = outcome;
    this.metrics.count('Errors', kind === 'success' ? 0 : 1);
    this.metrics.milliseconds('Duration', durationMs);
    const finished = { type: 'lambda.finished', functionArn: this.arn, requestId, outcome: kind, durationMs } as const;
    if (outcome.kind === 'success') this.context.trace.record(finished);
    else {
      const { errorType, errorMessage } = outcome.error;
      const decidedBy = outcome.kind === 'timeout' && outcome.decidedBy ? { decidedBy: outcome.decidedBy } : {};
      const shown = errorMessage.slice(0, TRACED_CHARACTERS);
      this.context.trace.record({ ...finished, errorType, errorMessage: shown, ...decidedBy });
    }
  }
}
