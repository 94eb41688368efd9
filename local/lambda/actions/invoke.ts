import { AwsError } from '../../kernel/aws-error';
import { parseJson } from '../../kernel/json';
import type { ServiceAction } from '../../kernel/service-api';
import { snsMessageIds } from '../asynchronous/queued-event';
import {
  eventTooLarge,
  invocationTooLarge,
  lambdaConstraints,
  notClientContext,
  notJson,
  recursiveInvocation,
  refuse,
  tooManyRequests,
} from '../errors';
import type { FunctionTarget } from '../function/deployed-function';
import type { Outcome } from '../invocation';
import type { LambdaInternals } from './lambda-action';

/**
 * Bytes an event may have, and any invocation.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const MAX_EVENT_BYTES = 1024 * 1024;
const MAX_PAYLOAD_BYTES = 6 * 1024 * 1024;

/**
 * To one handler, in three ways.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
export const invoke: ServiceAction<
  LambdaInternals,
  InvokeRequest,
  InvokeResponse | Promise<InvokeResponse>,
  FunctionTarget
> = {
  permission: 'lambda:InvokeFunction',
  resourceOf: ({ functions }, { FunctionName = '', Qualifier }) => functions.target(FunctionName, Qualifier),
  run: (internals, { caller, input }, target) => {
    const { InvocationType: type = 'RequestResponse', LogType } = input;
    lambdaConstraints()
      .oneOf('invocationType', type, ['RequestResponse', 'Event', 'DryRun'])
      .oneOf('logType', LogType, ['None', 'Tail'])
      .check();
    if (input.DurableExecutionName) throw refuse('Invoke', 'DurableExecutionName');
    if (input.TenantId) throw refuse('Invoke', 'TenantId');
    const payload = payloadOf(input);
    const event = parseJson(payload, notJson);
    const clientContext = clientContextOf(input.ClientContext);
    const run: Run = { requestId: internals.context.random.uuid(), payload, cause: caller.traceHeader };
    const $metadata = { requestId: run.requestId };
    switch (type) {
      case 'DryRun':
        return { StatusCode: 204, $metadata };
      case 'Event':
        queue(internals, target, run, snsMessageIds(event));
        return { StatusCode: 202, $metadata };
      case 'RequestResponse':
        return runNow(internals, target, {
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
  /** Where the end of the log is kept for a caller who wants it. */
  readonly log: LogTail | undefined;
}

/** @throws AwsError when it is too large */
function payloadOf({ InvocationType, Payload = '' }: InvokeRequest): string {
  const bytes = Buffer.byteLength(Payload);
  if (bytes > MAX_PAYLOAD_BYTES) throw invocationTooLarge(MAX_PAYLOAD_BYTES);
  if (InvocationType === 'Event' && bytes > MAX_EVENT_BYTES) throw eventTooLarge(bytes, MAX_EVENT_BYTES);
  if (bytes === 0) return '{}';
  return typeof Payload === 'string' ? Payload : Buffer.from(Payload).toString();
}

function queue(
  { context, events }: LambdaInternals,
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
  { context: { timeline } }: LambdaInternals,
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
        // The version or alias is gone; anything else is ours.
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
 * What a client sends to invoke a function.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
export interface InvokeRequest {
  /** A name, a partial ARN or an ARN, with or without a qualifier. */
  readonly FunctionName: string | undefined;
  /** `Event` queues the event and answers at once; `DryRun` checks permission only. @default 'RequestResponse' */
  readonly InvocationType?: InvocationType;
  /** A JSON document. @default no event at all, which the handler sees as an empty object */
  readonly Payload?: string | Uint8Array;
  /** A version or an alias. @default '$LATEST' */
  readonly Qualifier?: string;
  /** `Tail` has the end of the log answered, 4 KB at most; for `RequestResponse` only. @default 'None' */
  readonly LogType?: 'None' | 'Tail';
  /** What the handler sees as `context.clientContext`: JSON, in base64; for `RequestResponse` only. */
  readonly ClientContext?: string;
  /** Durable executions are refused by name. */
  readonly DurableExecutionName?: string;
  /** Tenants are refused by name. */
  readonly TenantId?: string;
}

export type InvocationType = 'Event' | 'RequestResponse' | 'DryRun';

export interface InvokeResponse {
  /** 200 for `RequestResponse`, 202 for `Event`, 204 for `DryRun`. */
  readonly StatusCode: 200 | 202 | 204;
  /** `Unhandled` when the function failed; `Payload` then holds the error. */
  readonly FunctionError?: string;
  /** The JSON the handler answered, or the error document. Absent for `Event` and `DryRun`. */
  readonly Payload?: Uint8Array;
  /** The version that ran. Absent for `Event` and `DryRun`. */
  readonly ExecutedVersion?: string;
  /** The end of the log, in base64, where it was asked for. */
  readonly LogResult?: string;
  /** The request id, which the function sees as `awsRequestId`, where the SDK puts it. */
  readonly $metadata: { readonly requestId: string };
}

/**
 * What a caller tells the handler beside the event: JSON, in base64.
 *
 * @throws AwsError `InvalidRequestContentException` when it is none
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html#lambda-Invoke-request-ClientContext
 */
export function clientContextOf(encoded: string | undefined): string | undefined {
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  try {
    JSON.parse(text);
    return text;
  } catch {
    throw notClientContext();
  }
}

/** Bytes of a log that a caller is told at most. */
const LOG_TAIL_BYTES = 4096;

/**
 * The end of what one run wrote into the log, for a caller who asked for it with `LogType: Tail`.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html#lambda-Invoke-request-LogType
 */
export class LogTail {
  private text = '';

  readonly add = (message: string): void => {
    this.text += message.endsWith('\n') ? message : `${message}\n`;
  };

  /** Base64, as `LogResult` is. */
  get encoded(): string {
    return Buffer.from(this.text).subarray(-LOG_TAIL_BYTES).toString('base64');
  }
}
