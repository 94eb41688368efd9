import { type DoorAction, Missing } from '../../kernel/front-door';
import { parseJson } from '../../kernel/json-problem';
import { snsMessageIds } from '../asynchronous/queued-event';
import type { Deployment } from '../deployment';
import { functionNotFound, notJson, recursiveInvocation, requestTooLarge, tooManyRequests } from '../errors';
import { functionArn, parseFunctionName } from '../function-name';
import type { Outcome } from '../invocation';
import type { LambdaContext } from '../ports';
import type { InvokeRequest, InvokeResponse } from './invoke-shapes';

/**
 * Bytes an event may have.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const MOST_BYTES = { Event: 1024 * 1024, RequestResponse: 6 * 1024 * 1024, DryRun: 6 * 1024 * 1024 } as const;

/** What the actions of Lambda work on. */
export interface LambdaWorld {
  readonly context: LambdaContext;
  find(functionName: string): Deployment | undefined;
}

/**
 * To one handler, in three ways.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
export const invoke: DoorAction<LambdaWorld, InvokeRequest, InvokeResponse | Promise<InvokeResponse>, Deployment> = {
  permission: 'lambda:InvokeFunction',
  resourceOf: (world, { FunctionName, Qualifier }) => {
    const { name, qualifier } = parseFunctionName(FunctionName);
    const version = Qualifier ?? qualifier ?? '$LATEST';
    const found = version === '$LATEST' ? world.find(name) : undefined;
    if (found) return found;
    const arn = functionArn(world.context.place, name);
    return new Missing(arn, functionNotFound(version === '$LATEST' ? arn : `${arn}:${version}`));
  },
  run: ({ context }, { caller, input }, deployment) => {
    const { InvocationType: type = 'RequestResponse', Payload = '' } = input;
    const text = typeof Payload === 'string' ? Payload : Buffer.from(Payload).toString();
    if (Buffer.byteLength(text) > MOST_BYTES[type]) throw requestTooLarge(MOST_BYTES[type]);
    const payload = text === '' ? '{}' : text;
    const event = parseJson(payload, notJson);
    const run: Run = { requestId: context.random.uuid(), payload, cause: caller.traceHeader };
    const $metadata = { requestId: run.requestId };
    switch (type) {
      case 'DryRun':
        return { StatusCode: 204, $metadata };
      case 'Event':
        queue(context, deployment, run, snsMessageIds(event));
        return { StatusCode: 202, $metadata };
      case 'RequestResponse':
        return runNow(context, deployment, run);
    }
  },
};

interface Run {
  readonly requestId: string;
  readonly payload: string;
  /** The trace header of the call. */
  readonly cause: string | undefined;
}

function queue({ trace }: LambdaContext, { arn, events }: Deployment, run: Run, messageIds: readonly string[]): void {
  const { requestId, payload, cause } = run;
  const bytes = Buffer.byteLength(payload);
  trace.record({ type: 'lambda.event-queued', functionArn: arn, requestId, bytes, messageIds });
  events.accept(requestId, payload, cause);
}

function runNow(
  { timeline }: LambdaContext,
  { deployed }: Deployment,
  { requestId, payload, cause }: Run,
): Promise<InvokeResponse> {
  const trigger = 'RequestResponse';
  if (deployed.isLoop(cause)) {
    deployed.stopLoop({ requestId, trigger });
    return Promise.reject(recursiveInvocation());
  }
  const invocation = { requestId, payload, traceHeader: deployed.traceHeader(cause), trigger, attempt: 1 } as const;
  return new Promise((resolve, reject) => {
    timeline.after(0, () => {
      const started = deployed.start(invocation, outcome => resolve(answer(requestId, outcome)));
      if (!started) reject(tooManyRequests());
      return started;
    });
  });
}

function answer(requestId: string, outcome: Outcome): InvokeResponse {
  const common = { StatusCode: 200, ExecutedVersion: '$LATEST', $metadata: { requestId } } as const;
  if (outcome.kind === 'success') return { ...common, Payload: Buffer.from(outcome.payload) };
  return { ...common, FunctionError: 'Unhandled', Payload: Buffer.from(JSON.stringify(outcome.error)) };
}
