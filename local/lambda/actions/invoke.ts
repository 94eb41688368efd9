import { AwsError } from '../../kernel/aws-error';
import { Constraints } from '../../kernel/constraints';
import { parseJson } from '../../kernel/json';
import type { ServiceAction } from '../../kernel/service-api';
import { snsMessageIds } from '../asynchronous/queued-event';
import {
  eventTooLarge,
  invocationTooLarge,
  notClientContext,
  notJson,
  recursiveInvocation,
  refuse,
  tooManyRequests,
} from '../errors';
import type { FunctionTarget } from '../function/deployed-function';
import type { Outcome } from '../invocation';
import type { LambdaState } from '../lambda-state';

/**
 * The maximum size of an event, and of any other payload, in bytes.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const MAX_EVENT_BYTES = 1024 * 1024;
const MAX_PAYLOAD_BYTES = 6 * 1024 * 1024;

/**
 * Invokes a function synchronously, asynchronously, or as a dry run.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
export const invoke: ServiceAction<
  LambdaState,
  InvokeRequest,
  InvokeResponse | Promise<InvokeResponse>,
  FunctionTarget
> = {
  permission: 'lambda:InvokeFunction',
  resourceOf: ({ functions }, { FunctionName = '', Qualifier }) => functions.target(FunctionName, Qualifier),
  run: (state, { caller, input }, target) => {
    const { InvocationType: type = 'RequestResponse', LogType } = input;
    new Constraints()
      .oneOf('invocationType', type, ['RequestResponse', 'Event', 'DryRun'])
      .oneOf('logType', LogType, ['None', 'Tail'])
      .check();
    if (input.DurableExecutionName) throw refuse('Invoke', 'DurableExecutionName');
    if (input.TenantId) throw refuse('Invoke', 'TenantId');
    const payload = payloadOf(input);
    const event = parseJson(payload, notJson);
    const clientContext = clientContextOf(input.ClientContext);
    const run: Run = { requestId: state.context.random.uuid(), payload, cause: caller.traceHeader };
    const $metadata = { requestId: run.requestId };
    switch (type) {
      case 'DryRun':
        return { StatusCode: 204, $metadata };
      case 'Event':
        queue(state, target, run, snsMessageIds(event));
        return { StatusCode: 202, $metadata };
      case 'RequestResponse':
        return runNow(state, target, {
          ...run,
          clientContext,
          log: LogType === 'Tail' ? new LogTail() : undefined,
        });
    }
  },
};

interface Run {
  readonly requestId: string;
  readonly payload: string;
  /** The trace header of the call. */
  readonly cause: string | undefined;
}

interface AwaitedRun extends Run {
  readonly clientContext: string | undefined;
  /** Collects the end of the log, if the caller asks for it. */
  readonly log: LogTail | undefined;
}

function payloadOf({ InvocationType, Payload = '' }: InvokeRequest): string {
  const bytes = Buffer.byteLength(Payload);
  if (bytes > MAX_PAYLOAD_BYTES) throw invocationTooLarge(MAX_PAYLOAD_BYTES);
  if (InvocationType === 'Event' && bytes > MAX_EVENT_BYTES) throw eventTooLarge(bytes, MAX_EVENT_BYTES);
  if (bytes === 0) return '{}';
  return typeof Payload === 'string' ? Payload : Buffer.from(Payload).toString();
}

function queue(
  { context, events }: LambdaState,
  target: FunctionTarget,
  run: Run,
  messageIds: readonly string[],
): void {
  const { requestId, payload, cause } = run;
  const { qualifier, deployed } = target;
  const about = { functionArn: deployed.arn, requestId, ...(qualifier !== undefined && { qualifier }) };
  const bytes = Buffer.byteLength(payload);
  context.trace.record({ type: 'lambda.event-queued', ...about, bytes, messageIds });
  events.accept(target, requestId, payload, cause);
}

function runNow(
  { context: { timeline } }: LambdaState,
  target: FunctionTarget,
  { requestId, payload, cause, clientContext, log }: AwaitedRun,
): Promise<InvokeResponse> {
  const trigger = 'RequestResponse';
  const { deployed } = target;
  if (deployed.isLoop(cause)) {
    target.stopLoop({ requestId, trigger });
    return Promise.reject(recursiveInvocation());
  }
  const traceHeader = deployed.traceHeader(cause);
  const invocation = { requestId, payload, traceHeader, trigger, attempt: 1, clientContext, onLog: log?.add } as const;
  return new Promise((resolve, reject) => {
    timeline.after(0, () => {
      try {
        const started = target.start(invocation, (outcome, version) =>
          resolve(answer(requestId, outcome, version, log)),
        );
        if (!started) reject(tooManyRequests(throttleReason(target)));
        return started;
      } catch (error) {
        // The version or alias has been deleted. Any other error is a defect of the embedded AWS.
        if (!(error instanceof AwsError)) throw error;
        reject(error);
        return undefined;
      }
    });
  });
}

function throttleReason({ deployed: { reservedConcurrency } }: FunctionTarget) {
  return reservedConcurrency === undefined
    ? 'ConcurrentInvocationLimitExceeded'
    : 'ReservedFunctionConcurrentInvocationLimitExceeded';
}

function answer(
  requestId: string,
  outcome: Outcome,
  ExecutedVersion: string,
  log: LogTail | undefined,
): InvokeResponse {
  const common = {
    StatusCode: 200,
    ExecutedVersion,
    ...(log && { LogResult: log.encoded }),
    $metadata: { requestId },
  } as const;
  if (outcome.kind === 'success') return { ...common, Payload: Buffer.from(outcome.payload) };
  return { ...common, FunctionError: 'Unhandled', Payload: Buffer.from(JSON.stringify(outcome.error)) };
}

/**
 * The input of `Invoke`.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
export interface InvokeRequest {
  /** A name, a partial ARN or an ARN, with or without a qualifier. */
  readonly FunctionName: string | undefined;
  /**
   * `Event` queues the event and responds immediately. `DryRun` only checks the permission. @default 'RequestResponse'
   */
  readonly InvocationType?: InvocationType;
  /** A JSON document. @default none, which the handler receives as an empty object */
  readonly Payload?: string | Uint8Array;
  /** A version or an alias. @default '$LATEST' */
  readonly Qualifier?: string;
  /** `Tail` returns the last 4 KB of the log. Only for `RequestResponse`. @default 'None' */
  readonly LogType?: 'None' | 'Tail';
  /** The handler's `context.clientContext`: JSON in base64. Only for `RequestResponse`. */
  readonly ClientContext?: string;
  /** Not implemented: a request with this member is rejected. */
  readonly DurableExecutionName?: string;
  /** Not implemented: a request with this member is rejected. */
  readonly TenantId?: string;
}

type InvocationType = 'Event' | 'RequestResponse' | 'DryRun';

export interface InvokeResponse {
  /** 200 for `RequestResponse`, 202 for `Event`, 204 for `DryRun`. */
  readonly StatusCode: 200 | 202 | 204;
  /** `Unhandled` when the function failed. `Payload` then contains the error. */
  readonly FunctionError?: string;
  /** The handler's response as JSON, or the error document. Undefined for `Event` and `DryRun`. */
  readonly Payload?: Uint8Array;
  /** The version that ran. Undefined for `Event` and `DryRun`. */
  readonly ExecutedVersion?: string;
  /** The end of the log in base64, if the caller asked for it. */
  readonly LogResult?: string;
  /** The request id, at the SDK's usual place. The function receives it as `awsRequestId`. */
  readonly $metadata: { readonly requestId: string };
}

/**
 * Decodes the client context of a synchronous invocation.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html#lambda-Invoke-request-ClientContext
 */
function clientContextOf(encoded: string | undefined): string | undefined {
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  try {
    JSON.parse(text);
    return text;
  } catch {
    throw notClientContext();
  }
}

/** The maximum length of the log in a response, in bytes. */
const LOG_TAIL_BYTES = 4096;

/**
 * Collects the end of one run's log, for a caller that asks for it with `LogType: Tail`.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html#lambda-Invoke-request-LogType
 */
class LogTail {
  private text = '';

  readonly add = (message: string): void => {
    this.text += message.endsWith('\n') ? message : `${message}\n`;
  };

  /** In base64, as `LogResult` contains it. */
  get encoded(): string {
    return Buffer.from(this.text).subarray(-LOG_TAIL_BYTES).toString('base64');
  }
}
