import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { PutEventsRequest, PutEventsResponse } from '@aws-sdk/client-eventbridge';
import type { PublishInput } from '@aws-sdk/client-sns';
import { SessionCredentialStore } from '../../../local/iam/session-credentials';
import type { AccessControl, AccessRequest } from '../../../local/kernel/access';
import type { Caller } from '../../../local/kernel/caller';
import { arnIn, EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import type { InputOf, OutputOf } from '../../../local/kernel/service-api';
import { Trace, type TraceEvent } from '../../../local/kernel/trace';
import {
  type InvokeResponse,
  Lambda,
  type LambdaActions,
  type LambdaOptions,
  type LambdaTraceEvent,
  type NewFunction,
} from '../../../local/lambda';
import { Logs } from '../../../local/logs';
import { InMemoryNetwork } from '../../../local/network/network';
import { OutsideWorld } from '../../../local/network/outside-world';
import { Sqs, type SqsTraceEvent } from '../../../local/sqs';
import { ADMIN, errorOf, receiveFrom, ServiceFixture, START_MS } from '../service-fixture';

export { ADMIN, errorOf, START_MS };
export const ROLE_ARN = 'arn:aws:iam::123456789012:role/worker';

type Everything = LambdaTraceEvent | SqsTraceEvent;

/** A log event of a function. */
interface Logged {
  readonly group: string;
  readonly stream: string;
  readonly message: string;
  readonly atMs: number;
}

export type FunctionProps = Partial<NewFunction> & {
  /** The text of `index.js`. */
  readonly code?: string;
  /** Additional files, or files that replace it, by name. */
  readonly files?: Readonly<Record<string, string>>;
};

/** One Lambda with a real SQS and a real network on a timeline of its own; a test decides on access. */
export class LambdaFixture extends ServiceFixture<Everything> {
  readonly outside = new OutsideWorld(this.timeline);
  readonly network = new InMemoryNetwork(this.outside.answer, this.outside);
  readonly credentials = new SessionCredentialStore(EXAMPLE_PLACE, new Random('credentials'), this.timeline);
  readonly logged: Logged[] = [];
  readonly published: { readonly caller: Caller; readonly input: PublishInput }[] = [];
  readonly putEvents: { readonly caller: Caller; readonly input: PutEventsRequest }[] = [];
  eventsAnswer: PutEventsResponse = { FailedEntryCount: 0, Entries: [{ EventId: 'taken' }] };
  decideAccess: (request: AccessRequest) => ReturnType<AccessControl['decide']> = () => ({
    allowed: true,
    reason: 'the test allows everything',
  });
  /** Whether the roles' trust policies name Lambda. */
  rolesTrustLambda = true;
  readonly sqs: Sqs;
  readonly lambda: Lambda;
  private readonly folder = mkdtempSync(path.join(tmpdir(), 'lambda-test-'));

  constructor(options: LambdaOptions = {}) {
    super();
    const context = {
      place: EXAMPLE_PLACE,
      timeline: this.timeline,
      access: { decide: (request: AccessRequest) => this.decideAccess(request) },
      keys: { decide: () => ({ allowed: true, reason: 'the test allows it' }) },
      faults: this.faults,
      metrics: this.metrics,
      trace: this.trace,
    };
    this.sqs = new Sqs({ ...context, random: new Random('sqs') });
    const around = new Trace<TraceEvent>(this.timeline);
    const logs = new Logs({ ...context, random: new Random('logs'), trace: around });
    const dependencies = {
      sqs: this.sqs,
      sns: () => ({
        call: (_action: 'Publish', caller: Caller, input: PublishInput) => {
          this.published.push({ caller, input });
          return { MessageId: 'published' };
        },
      }),
      events: () => ({
        call: (_action: 'PutEvents', caller: Caller, input: PutEventsRequest) => {
          this.putEvents.push({ caller, input });
          return this.eventsAnswer;
        },
      }),
      network: this.network,
      credentials: this.credentials,
      roles: {
        decideAssumeRole: (service: string, roleArn: string) => ({
          allowed: this.rolesTrustLambda && service === 'lambda.amazonaws.com',
          reason: `the trust policy of ${roleArn}`,
        }),
      },
      logs: {
        write: (caller: Caller, group: string, stream: string, message: string) => {
          logs.write(caller, group, stream, message);
          this.logged.push({ group, stream, message, atMs: this.timeline.nowMs });
        },
      },
    };
    this.lambda = new Lambda({ ...context, random: new Random('lambda') }, dependencies, {
      // On a busy machine, an innocent function may compute for longer than the default.
      watchdogMs: 120_000,
      ...options,
    });
  }

  /** Creates a function from the text of its handler and answers its ARN. */
  deploy(functionName: string, { code, files = {}, ...props }: FunctionProps): string {
    const folder = path.join(this.folder, functionName);
    mkdirSync(folder, { recursive: true });
    const all = code === undefined ? files : { 'index.js': code, ...files };
    for (const [name, text] of Object.entries(all)) writeFileSync(path.join(folder, name), text);
    const functionArn = arnIn(EXAMPLE_PLACE, 'lambda', `function:${functionName}`);
    this.lambda.createFunction({
      functionName,
      functionArn,
      description: '',
      runtime: 'nodejs20.x',
      handler: 'index.handler',
      roleArn: ROLE_ARN,
      folder,
      timeoutSeconds: 3,
      memorySizeMb: 128,
      variables: {},
      recursiveLoop: 'Terminate',
      logging: {
        logGroup: `/aws/lambda/${functionName}`,
        logFormat: 'Text',
        applicationLogLevel: 'INFO',
        systemLogLevel: 'INFO',
      },
      ...props,
    });
    return functionArn;
  }

  /** Calls an API action as an administrator. */
  call<Name extends keyof LambdaActions>(
    action: Name,
    input: InputOf<LambdaActions[Name]>,
  ): OutputOf<LambdaActions[Name]> {
    return this.lambda.call(action, ADMIN, input);
  }

  /** Invokes and waits, letting as much time pass as it takes. */
  async invoke(
    FunctionName: string,
    event: unknown = {},
    more: Partial<InputOf<LambdaActions['Invoke']>> = {},
  ): Promise<Answer> {
    const answer = this.lambda.call('Invoke', ADMIN, { FunctionName, Payload: JSON.stringify(event), ...more });
    await this.timeline.runUntilIdle();
    return new Answer(await answer);
  }

  /** Queues an event and answers its request id. */
  queue(FunctionName: string, event: unknown = {}): string {
    const input = { FunctionName, InvocationType: 'Event', Payload: JSON.stringify(event) } as const;
    const answer = this.lambda.call('Invoke', ADMIN, input);
    if ('then' in answer) throw new Error('an event must be taken at once');
    return answer.$metadata.requestId;
  }

  /** When, in seconds since the start, happenings of a type happened. */
  times(type: Everything['type']): number[] {
    return this.happened(type).map(({ atMs }) => (atMs - START_MS) / 1000);
  }

  /** Log messages, in order. */
  get messages(): string[] {
    return this.logged.map(({ message }) => message);
  }

  /** What was measured under this name and one dimension: for one function, mapping or queue, and not for all. */
  values(metric: string): number[] {
    return this.measured
      .filter(({ name, dimensions }) => name === metric && Object.keys(dimensions).length === 1)
      .map(({ value }) => value);
  }

  /** What was measured under this name and these dimensions, in order. */
  measuredUnder(metric: string, ...dimensions: readonly string[]): number[] {
    const wanted = dimensions.join();
    return this.measured
      .filter(it => it.name === metric && Object.keys(it.dimensions).join() === wanted)
      .map(({ value }) => value);
  }

  /** The sum of it. */
  total(metric: string): number {
    return this.values(metric).reduce((sum, value) => sum + value, 0);
  }

  createQueue(name: string, attributes: Record<string, string> = {}): { readonly url: string; readonly arn: string } {
    const { QueueUrl = '' } = this.sqs.call('CreateQueue', ADMIN, { QueueName: name, Attributes: attributes });
    return { url: QueueUrl, arn: this.sqs.queueByUrl(QueueUrl)?.arn ?? '' };
  }

  send(url: string, body: string): string {
    return this.sqs.call('SendMessage', ADMIN, { QueueUrl: url, MessageBody: body }).MessageId ?? '';
  }

  receive(url: string) {
    return receiveFrom(this.sqs, url);
  }

  /** Ends the threads and removes the code. */
  async close(): Promise<void> {
    await this.lambda.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What a synchronous invocation answered. */
export class Answer {
  constructor(readonly response: InvokeResponse) {}

  get functionError(): string | undefined {
    return this.response.FunctionError;
  }

  /** The payload, read as JSON. */
  get value(): unknown {
    return JSON.parse(Buffer.from(this.response.Payload ?? []).toString());
  }
}
