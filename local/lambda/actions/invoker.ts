import { AwsError } from '../../kernel/aws-error';
import type { Caller, Principal } from '../../kernel/caller';
import { parseJson } from '../../kernel/json-problem';
import type { EventQueue } from '../asynchronous/event-queue';
import { snsMessageIds } from '../asynchronous/queued-event';
import type { DeployedFunction } from '../deployed-function';
import {
  functionNotFound,
  notAuthorized,
  notJson,
  recursiveInvocation,
  requestTooLarge,
  tooManyRequests,
} from '../errors';
import { functionArn, parseFunctionName } from '../function-name';
import type { Outcome } from '../invocation';
import type { LambdaContext } from '../ports';
import type { InvokeRequest, InvokeResponse } from './invoke';

const ACTION = 'lambda:InvokeFunction';

/**
 * Bytes an event may have.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const MOST_BYTES = { Event: 1024 * 1024, RequestResponse: 6 * 1024 * 1024, DryRun: 6 * 1024 * 1024 } as const;

interface Invokable {
  readonly deployed: DeployedFunction;
  readonly events: EventQueue;
}

/** A request that may go ahead. */
interface Accepted extends Invokable {
  readonly type: 'Event' | 'RequestResponse' | 'DryRun';
  readonly payload: string;
  readonly event: unknown;
}

/**
 * `Invoke`: to one handler, in three ways.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
export class Invoker {
  constructor(
    private readonly context: LambdaContext,
    private readonly find: (functionName: string) => Invokable | undefined,
  ) {}

  /** @throws AwsError `ResourceNotFoundException`, `AccessDeniedException`, `InvalidRequestContentException`, … */
  invoke(caller: Caller, request: InvokeRequest): InvokeResponse | Promise<InvokeResponse> {
    const accepted = this.accept(caller, request);
    const requestId = this.context.random.uuid();
    const $metadata = { requestId };
    switch (accepted.type) {
      case 'DryRun':
        return { StatusCode: 204, $metadata };
      case 'Event':
        this.queue(requestId, accepted, caller.traceHeader);
        return { StatusCode: 202, $metadata };
      case 'RequestResponse':
        return this.run(requestId, accepted, caller.traceHeader);
    }
  }

  private accept(caller: Caller, { FunctionName, Qualifier, InvocationType, Payload = '' }: InvokeRequest): Accepted {
    const { name, qualifier } = parseFunctionName(FunctionName);
    const arn = functionArn(this.context.place, name);
    try {
      const fault = this.context.faults.check('lambda', 'Invoke', arn);
      if (fault) throw fault;
      const version = Qualifier ?? qualifier ?? '$LATEST';
      const found = version === '$LATEST' ? this.find(name) : undefined;
      if (!found) throw functionNotFound(version === '$LATEST' ? arn : `${arn}:${version}`);
      this.authorize(caller, found.deployed);
      const type = InvocationType ?? 'RequestResponse';
      const text = typeof Payload === 'string' ? Payload : Buffer.from(Payload).toString();
      if (Buffer.byteLength(text) > MOST_BYTES[type]) throw requestTooLarge(MOST_BYTES[type]);
      const payload = text === '' ? '{}' : text;
      return { ...found, type, payload, event: parseJson(payload, notJson) };
    } catch (error) {
      if (error instanceof AwsError) this.refused(arn, error);
      throw error;
    }
  }

  private authorize(caller: Caller, { arn, policy }: DeployedFunction): void {
    const decision = this.context.access.decide({
      caller,
      action: ACTION,
      resource: arn,
      ...(policy && { resourcePolicy: policy }),
    });
    if (!decision.allowed) throw notAuthorized(nameOf(caller.principal), ACTION, arn, decision.reason);
  }

  private refused(arn: string, { code, message }: AwsError): void {
    const refused = { type: 'lambda.refused', functionArn: arn, action: 'Invoke', code, reason: message } as const;
    this.context.trace.record(refused);
  }

  private queue(requestId: string, { deployed, events, payload, event }: Accepted, cause: string | undefined): void {
    this.context.trace.record({
      type: 'lambda.event-queued',
      functionArn: deployed.arn,
      requestId,
      bytes: Buffer.byteLength(payload),
      messageIds: snsMessageIds(event),
    });
    events.accept(requestId, payload, cause);
  }

  private run(requestId: string, { deployed, payload }: Accepted, cause: string | undefined): Promise<InvokeResponse> {
    const trigger = 'RequestResponse';
    if (deployed.isLoop(cause)) {
      deployed.stopLoop({ requestId, trigger });
      return Promise.reject(recursiveInvocation());
    }
    const invocation = { requestId, payload, traceHeader: deployed.traceHeader(cause), trigger, attempt: 1 } as const;
    return new Promise((resolve, reject) => {
      this.context.timeline.after(0, () => {
        const started = deployed.start(invocation, outcome => resolve(answer(requestId, outcome)));
        if (!started) reject(tooManyRequests());
        return started;
      });
    });
  }
}

function answer(requestId: string, outcome: Outcome): InvokeResponse {
  const common = { StatusCode: 200, ExecutedVersion: '$LATEST', $metadata: { requestId } } as const;
  if (outcome.kind === 'success') return { ...common, Payload: Buffer.from(outcome.payload) };
  return { ...common, FunctionError: 'Unhandled', Payload: Buffer.from(JSON.stringify(outcome.error)) };
}

function nameOf(principal: Principal): string {
  switch (principal.kind) {
    case 'service':
      return principal.service;
    case 'role':
      return principal.arn;
    case 'account':
      return `arn:aws:iam::${principal.account}:root`;
  }
}
