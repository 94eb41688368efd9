import type { FunctionError, ThreadInvocation, ThreadOutput, ThreadSettings } from '../environment/protocol';
import type { VirtualClock } from './clock';
import type { CompiledCode } from './compiled-code';
import type { LambdaConsole } from './console';
import { asOnLambda, functionError, RuntimeError } from './errors';
import { type Handler, loadHandler } from './load-handler';

interface RuntimePorts {
  readonly clock: VirtualClock;
  readonly console: LambdaConsole;
  readonly compiledCode: CompiledCode;
  readonly emit: (output: ThreadOutput) => void;
}

/** The invocation in progress. */
interface Running {
  readonly requestId: string;
  /** Called when nothing is left to run, so that the handler can no longer respond. */
  whenIdle: () => void;
}

const NO_CALLBACKS =
  'ERROR: AWS Lambda has removed support for callback-based function handlers starting with Node.js 24. You need to modify ' +
  'this function to use a supported handler signature to use Node.js 24 or later. For more information see ' +
  'https://docs.aws.amazon.com/lambda/latest/dg/nodejs-handler.html.';

/** Runtimes from nodejs24.x on reject handlers that take a callback. */
function refuseCallbacks(handler: Handler): void {
  const version = /nodejs(\d+)/.exec(process.env['AWS_EXECUTION_ENV'] ?? '')?.[1];
  if (Number(version) >= 24 && handler.length >= 3) {
    throw new RuntimeError('Runtime.CallbackHandlerDeprecated', NO_CALLBACKS);
  }
}

const NEVER_SETTLED =
  'The Lambda runtime client detected an unexpected Node.js exit code. This is most commonly caused by a Promise that ' +
  'was never settled. For more information, see https://nodejs.org/docs/latest/api/process.html#exit-codes';

/**
 * Lambda's runtime for Node.js. It loads the handler, calls it, and reports the outcome, however the handler responds:
 * with a promise, the callback, `context.succeed` and similar methods, or not at all.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/nodejs-handler.html
 */
export class Runtime {
  private handler: Handler | undefined;
  private running: Running | undefined;

  constructor(
    private readonly settings: ThreadSettings,
    private readonly ports: RuntimePorts,
  ) {}

  async load(): Promise<void> {
    try {
      const handler = await loadHandler(this.settings.folder, this.settings.handler, this.ports.compiledCode);
      refuseCallbacks(handler);
      this.handler = handler;
      this.ports.emit({ kind: 'loaded' });
    } catch (error) {
      this.fail('Uncaught Exception', error);
    }
  }

  invoke(handler: Handler, invocation: ThreadInvocation): void {
    const { requestId } = invocation;
    this.ports.console.requestId = requestId;
    process.env['_X_AMZN_TRACE_ID'] = invocation.traceHeader;
    const running: Running = { requestId, whenIdle: () => this.neverSettled(handler) };
    this.running = running;
    const context = this.context(invocation);
    const callback = this.once((error?: unknown, result?: unknown) => {
      if (error !== undefined && error !== null) this.fail('Invoke Error', error);
      else if (context.callbackWaitsForEmptyEventLoop) running.whenIdle = () => this.answer(result);
      else this.answer(result);
    });
    try {
      const returned = handler(JSON.parse(invocation.payload), context, callback);
      if (isThenable(returned)) returned.then(context.succeed, context.fail);
    } catch (error) {
      callback(error ?? 'handled');
    }
  }

  /** Calls the handler that `load` found. */
  start(invocation: ThreadInvocation): void {
    if (!this.handler) throw new Error('an invocation came before the handler was loaded');
    this.invoke(this.handler, invocation);
  }

  /** Called when nothing is left to run. */
  idle(): void {
    this.running?.whenIdle();
  }

  /** Handles an uncaught error or an error of the runtime. It ends the invocation or the init phase. */
  fail(title: string, thrown: unknown): void {
    this.ports.console.failure(title, thrown);
    const error = this.located(functionError(thrown));
    const { running } = this;
    if (running) this.finish({ kind: 'failed', requestId: running.requestId, error });
    else if (!this.handler) this.ports.emit({ kind: 'load-failed', error });
  }

  private answer(result: unknown): void {
    const { running } = this;
    if (!running) return;
    try {
      const payload = JSON.stringify(result === undefined ? null : result) ?? 'null';
      this.finish({ kind: 'answered', requestId: running.requestId, payload });
    } catch {
      // For a circular structure or a BigInt. Lambda's runtime does not say more either.
      this.fail('Invoke Error', new RuntimeError('Runtime.JSONStringifyError', 'Unable to stringify response body'));
    }
  }

  private finish(output: ThreadOutput): void {
    this.running = undefined;
    this.ports.console.flush();
    this.ports.emit(output);
  }

  private neverSettled(handler: Handler): void {
    const isAsync = handler.constructor.name === 'AsyncFunction';
    if (isAsync) this.fail('Invoke Error', new RuntimeError('Runtime.NodeJsExit', NEVER_SETTLED));
    else this.answer(null);
  }

  private context({ requestId, functionArn, deadlineMs, clientContext }: ThreadInvocation) {
    const { env } = process;
    const done = this.once((error?: unknown, result?: unknown) => {
      if (error !== undefined && error !== null) this.fail('Invoke Error', error);
      else this.answer(result);
    });
    return {
      callbackWaitsForEmptyEventLoop: true,
      succeed: (result?: unknown) => done(null, result),
      fail: (error?: unknown) => done(error ?? 'handled'),
      done,
      functionVersion: env['AWS_LAMBDA_FUNCTION_VERSION'],
      functionName: env['AWS_LAMBDA_FUNCTION_NAME'],
      memoryLimitInMB: env['AWS_LAMBDA_FUNCTION_MEMORY_SIZE'],
      logGroupName: env['AWS_LAMBDA_LOG_GROUP_NAME'],
      logStreamName: env['AWS_LAMBDA_LOG_STREAM_NAME'],
      clientContext: clientContext === undefined ? undefined : JSON.parse(clientContext),
      identity: undefined,
      invokedFunctionArn: functionArn,
      awsRequestId: requestId,
      getRemainingTimeInMillis: () => deadlineMs - this.ports.clock.nowMs,
    };
  }

  /** Ignores all calls but the first. */
  private once(report: (error?: unknown, result?: unknown) => void): typeof report {
    let called = false;
    return (error, result) => {
      if (called) return;
      called = true;
      report(error, result);
    };
  }

  private located(error: FunctionError): FunctionError {
    const { folder } = this.settings;
    return {
      ...error,
      errorMessage: asOnLambda(error.errorMessage, folder),
      trace: error.trace?.map(line => asOnLambda(line, folder)),
    };
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
