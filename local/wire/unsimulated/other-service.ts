import { nameInArn } from '../../../policy/arn';
import type { Credentials } from '../../kernel/access';
import { AwsError } from '../../kernel/aws-error';
import type { Caller } from '../../kernel/caller';
import { checkNames, InvalidInput, type MemberNames, MemberReader } from '../../kernel/member-reader';
import type { Random } from '../../kernel/random';
import { accessKeyOf } from '../../kernel/request-signature';
import { TestCode } from '../../kernel/test-code';
import type { Scheduler } from '../../kernel/timeline';
import type { Recorder } from '../../kernel/trace';
import type { OutgoingRequest, Reply } from '../../network/network';
import { awsHost, requestedAction, requestedInput } from '../aws-host';
import type { ServiceModel } from '../service-model';
import type { WireTraceEvent } from '../trace-events';
import { type Answer, awsErrorOf, checkedOutput, type ServiceCall } from './answer';
import { documentModel, installedModel, packageOf, type ServiceNames } from './client-model';
import type { Forwarder, ForwardOptions, ForwardTarget } from './forwarder';

export interface OtherServiceDependencies {
  readonly credentials: Credentials;
  readonly timeline: Scheduler;
  readonly trace: Recorder<WireTraceEvent>;
  readonly forwarder: Forwarder;
  /** A stream of its own for request ids. */
  readonly random: Random;
}

/** How an answer arrives. */
export interface AnswerOptions {
  /** How long the answer takes, in milliseconds of virtual time. @default 0 */
  readonly latencyMs?: number;
}

const FORWARD: MemberNames<ForwardOptions & { readonly url: string }> = {
  url: true,
  credentials: { accessKeyId: true, secretAccessKey: true },
  timeoutMs: true,
};

interface ScriptedAnswer {
  readonly reply: unknown;
  readonly latencyMs: number;
}

/** A request to the service, and the Region in its host name. */
interface Received {
  readonly request: OutgoingRequest;
  readonly region: string | undefined;
}

/**
 * An AWS service that is not simulated: its answers are scripted by a test, or come from an emulator that the user runs.
 * Permissions of its callers are not checked.
 */
export class OtherService {
  private readonly answers = new Map<string, ScriptedAnswer>();
  private readonly received: ServiceCall[] = [];
  private target: ForwardTarget | undefined;

  /** @internal */
  constructor(
    private readonly names: ServiceNames,
    private readonly dependencies: OtherServiceDependencies,
  ) {}

  /** The service as in host names, for example `states`. */
  get name(): string {
    return this.names.host;
  }

  /** Every call that was answered or forwarded, in order. */
  get calls(): readonly ServiceCall[] {
    return this.received;
  }

  /**
   * Answers an operation, in the SDK's own shapes. A later answer of the same operation replaces it. An answer has
   * precedence over `forwardTo`.
   *
   * The shapes come from the service's SDK client in your project (`@aws-sdk/client-dynamodb`). Without it, only services
   * that speak AWS JSON can be answered, such as DynamoDB or Step Functions, and documents are as on the wire.
   *
   * @param operation for example `GetItem`
   * @param reply the output, or a function of the input that returns it. It may throw `awsError(…)`
   * @throws RangeError when the service has no such operation
   */
  answer<Input extends object = Readonly<Record<string, unknown>>>(
    operation: string,
    reply: Answer<Input> | object,
    options: AnswerOptions = {},
  ): this {
    this.checkOperation(operation);
    const reader = new MemberReader(options, 'the options');
    const latencyMs = reader.number('latencyMs', 0, Number.MAX_SAFE_INTEGER) ?? 0;
    if (typeof reply !== 'function' && (typeof reply !== 'object' || reply === null)) {
      reader.refuse('reply', 'must be an object or a function', reply);
    }
    reader.check();
    this.answers.set(operation, { reply, latencyMs });
    return this;
  }

  /**
   * Sends calls to an emulator that you run, signed again and with the function's name in `x-dlo-function`. Answers
   * come from the real world, so a run is only as repeatable as the emulator. They take no virtual time.
   *
   * @param url for example `http://127.0.0.1:8000`
   * @throws RangeError for an invalid URL or option
   */
  forwardTo(url: string, options: ForwardOptions = {}): this {
    checkNames({ url, ...options }, 'the options', FORWARD);
    const reader = new MemberReader({ url, ...options }, 'the options');
    const isUrl = (value: unknown): value is string => URL.canParse(String(value)) && /^https?:/.test(String(value));
    const checked = reader.optional('url', 'must be an http or https URL such as http://127.0.0.1:8000', isUrl);
    reader.number('timeoutMs', 1, 2 ** 31 - 1);
    reader.given('credentials');
    reader.check();
    if (checked !== undefined) this.target = { ...options, url: new URL(checked) };
    return this;
  }

  /** Forgets answers, the emulator and the calls. */
  reset(): void {
    this.answers.clear();
    this.received.length = 0;
    this.target = undefined;
  }

  /**
   * Replies to a request; undefined when neither an answer nor an emulator is set for it.
   *
   * @internal
   */
  replyTo(received: Received): Reply | Promise<Reply> | undefined {
    const { request } = received;
    const model = this.modelOf(request);
    const action = model && requestedAction(model, request);
    if (model && action !== undefined && this.answers.has(action)) return this.exchange(model, received);
    if (!model && this.answers.size > 0) throw this.unreadable();
    return this.target && this.forward(this.target, received, model, action);
  }

  private modelOf({ headers }: OutgoingRequest): ServiceModel | undefined {
    const installed = installedModel(this.names);
    const target = headers['x-amz-target'];
    return installed ?? (target === undefined ? undefined : documentModel(this.names, target));
  }

  private unreadable(): AwsError {
    const name = packageOf(this.names);
    const text =
      `Requests to ${this.names.host} cannot be read without the schemas of ${name}, which is not installed: ` +
      `npm install --save-dev ${name}`;
    return new AwsError('NotImplemented', text, 501);
  }

  private exchange(model: ServiceModel, received: Received): Reply | Promise<Reply> {
    const { credentials, random, trace, timeline } = this.dependencies;
    const call = (action: string, caller: Caller, input: object): unknown =>
      this.answerTo(action, caller, input, model, received);
    return awsHost({ model, service: { call }, credentials, random, trace, timeline })(received.request);
  }

  private answerTo(action: string, caller: Caller, input: object, model: ServiceModel, { region }: Received): unknown {
    const answer = this.answers.get(action);
    if (!answer) throw new Error(`${this.names.host}:${action} has no answer any more`);
    const call = this.note(action, input, region, caller);
    if (caller.latency) caller.latency.ms += answer.latencyMs;
    const finish = (output: unknown): unknown => {
      const schema = model.operations.get(action)?.output;
      const checked = schema && checkedOutput(schema, output, `aws.service('${this.names.host}').answer('${action}')`);
      this.traceAnswer(action, caller);
      return checked;
    };
    const failed = (error: unknown): never => {
      const refusal = awsErrorOf(error, model);
      if (!refusal) throw error;
      this.traceAnswer(action, caller, refusal.code);
      throw refusal;
    };
    try {
      const { reply } = answer;
      if (!isAnswer(reply)) return finish(reply);
      const code = new TestCode(this.dependencies.timeline);
      const output: unknown = code.call(() => reply(call.input, call));
      return output instanceof Promise ? output.then(finish).catch(failed) : finish(output);
    } catch (error) {
      return failed(error);
    }
  }

  private traceAnswer(action: string, caller: Caller, code?: string): void {
    const functionArn = functionArnOf(caller);
    this.dependencies.trace.record({
      type: 'wire.answered',
      service: this.names.host,
      action,
      ...(functionArn !== undefined && { functionArn }),
      ...(code !== undefined && { code }),
    });
  }

  private async forward(
    target: ForwardTarget,
    { request, region }: Received,
    model: ServiceModel | undefined,
    action: string | undefined,
  ): Promise<Reply> {
    const { credentials, forwarder, trace } = this.dependencies;
    const caller = credentials.caller(accessKeyOf(request));
    const { functionName } = this.note(action ?? '', (model && requestedInput(model, request)) ?? {}, region, caller);
    const functionArn = functionArnOf(caller);
    const { host: service } = this.names;
    const about = {
      service,
      ...(action !== undefined && { action }),
      ...(functionArn !== undefined && { functionArn }),
      url: target.url.href,
    };
    const forwarded = { request, service, region: region ?? 'us-east-1', functionName };
    const reply = await forwarder.send(forwarded, target);
    if ('kind' in reply) {
      trace.record({ type: 'wire.forwarded', ...about, status: reply.status });
      return reply;
    }
    trace.record({ type: 'wire.forward-failed', ...about, ...reply });
    const by = functionName === undefined ? '' : ` called by function ${functionName}`;
    const reason = `${service}:${action ?? request.method}${by} is forwarded to ${about.url}, which failed: ${reply.reason}`;
    return { kind: 'no-answer', code: reply.code === 'ETIMEDOUT' ? 'ETIMEDOUT' : 'ECONNREFUSED', reason };
  }

  private note(operation: string, input: object, region: string | undefined, caller: Caller): ServiceCall {
    const { host: service } = this.names;
    const arn = functionArnOf(caller);
    const functionName = arn === undefined ? undefined : nameInArn(arn);
    const call = {
      service,
      operation,
      input: { ...input },
      region,
      functionName,
      atMs: this.dependencies.timeline.nowMs,
    };
    this.received.push(call);
    return call;
  }

  private checkOperation(operation: string): void {
    const known = installedModel(this.names)?.operations;
    if (known?.has(operation) || (!known && /^[A-Za-z0-9]+$/.test(operation))) return;
    const list = [...(known?.keys() ?? [])].join(', ');
    const rule = known ? `must be an operation of ${this.names.host}: ${list}` : 'must be the name of an operation';
    throw new InvalidInput([{ property: 'operation', rule, value: operation }]);
  }
}

const isAnswer = (reply: unknown): reply is Answer => typeof reply === 'function';

/** The ARN of the function that has the caller's credentials. */
function functionArnOf({ context }: Caller): string | undefined {
  const arn = context['lambda:SourceFunctionArn'];
  return typeof arn === 'string' ? arn : undefined;
}
