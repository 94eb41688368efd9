import {
  allowsMissingContext,
  type DeployedResource,
  type DeployedStack,
  readAssemblies,
  type StandIn,
} from '../cloudformation';
import { isoInstant } from '../kernel/clock';
import type { Faults } from '../kernel/faults';
import { checkNames } from '../kernel/member-reader';
import type { Place } from '../kernel/place';
import type { Random } from '../kernel/random';
import type { Scheduler } from '../kernel/timeline';
import type { Trace } from '../kernel/trace';
import type { Interruptions } from '../lambda';
import type { LogEvent } from '../logs';
import type { OutsideEndpoint } from '../network/outside-endpoint';
import type { PlaceServices } from '../place-services';
import type { Simulation } from '../simulation';
import type { Recipients } from '../sns';
import type { AwsTraceEvent } from '../trace-events';
import type { TracedMessage } from '../traced-messages/traced-messages';
import type { OtherService } from '../wire';
import { withDeployedStacks, withEmptyAccount } from './begin-run';
import {
  type ClientConfig,
  clientConfigOf,
  type RequestOptions,
  sendText,
  servicesIn,
  type TextAnswer,
} from './client';
import type { Emit } from './emit';
import {
  confirmAll,
  emitterOf,
  type Listening,
  type ListenOptions,
  messagesOf,
  type Run,
  ServedSimulation,
} from './listen';
import { functionNamed, type LocalFunction } from './local-function';
import { type DrainedMessage, drainQueue, type PublishOptions, publishTo, type SendOptions, sendTo } from './messages';
import { arnNamed, type NamedKind, outputNamed, resourceNamed, serviceNamed } from './names';
import {
  type AccountAndRegion,
  type ActingAs,
  type AssemblySource,
  type DestroyOptions,
  directoriesOf,
  instantMs,
  type LocalAwsOptions,
  operationTime,
  stackNamesOf,
  type TimeSpan,
  timeSpanMs,
  UPDATE,
  type UpdateOptions,
} from './options';
import { type AlarmSummary, type LocalAwsState, localAwsState } from './state';

/**
 * AWS on this machine: the stacks of a cloud assembly, running under virtual time.
 *
 * ```ts
 * const aws = await LocalAws.deploy('cdk.out', { seed: 7 });
 * await new SNSClient(aws.clientConfig()).send(new PublishCommand({ TopicArn, Message: 'hello' }));
 * await aws.advance({ hours: 1 });
 * console.log(aws.trace.toJsonLines());
 * await aws.close();
 * ```
 *
 * Functions use the time, randomness and network of the embedded AWS, but the files of this machine. `__dirname` is the
 * folder of the assembly's asset. Files in `/tmp` are shared by all functions, and remain after `close` and in the next
 * run, so they can make two runs differ. Code that never becomes idle is stopped after ten seconds of real time
 * (`lambda.watchdogMs`), so each endless loop takes that long.
 */
export class LocalAws {
  private constructor(private readonly served: ServedSimulation) {}

  /** Starts with an empty account, for tests that create their resources with the SDK's clients. */
  static start(options: Omit<LocalAwsOptions, 'parameters'> = {}): LocalAws {
    const begin = withEmptyAccount(options);
    return new LocalAws(new ServedSimulation(begin(), async () => begin()));
  }

  /**
   * Reads a cloud assembly and deploys its stacks. Virtual time moves only while custom resources need it.
   *
   * @param assembly its directory, usually `cdk.out`, or the result of `app.synth()`; or the path of a template in JSON or
   *   YAML; or a list of these
   * @throws AssemblyError with every problem: missing or corrupt files, and what the embedded AWS does not implement,
   *   by logical id and property
   */
  static deploy(assembly: AssemblySource, options: LocalAwsOptions = {}): Promise<LocalAws> {
    return LocalAws.deployWith(assembly, options);
  }

  /**
   * Like `deploy`, with a scenario that every run begins with, also when it begins again.
   *
   * @internal for `dlo story --console`
   */
  static async deployWith(
    assembly: AssemblySource,
    options: LocalAwsOptions,
    scenario?: (aws: LocalAws) => Promise<void>,
  ): Promise<LocalAws> {
    const playing = scenario && ((run: Run) => scenario(new LocalAws(new ServedSimulation(run, begin))));
    const begin = withDeployedStacks(assembly, options, playing);
    return new LocalAws(new ServedSimulation(await begin(), begin));
  }

  /** The deployed stacks, each after the stacks it depends on. */
  get stacks(): readonly DeployedStack[] {
    return this.simulation.stacks;
  }

  private get simulation(): Simulation {
    return this.served.run.simulation;
  }

  /**
   * Updates the stacks to those of another assembly, as `cdk deploy --all` does: in the order of their dependencies, with
   * replacements, cleanup and rollback. Each operation on a resource takes virtual time, and everything else that is due
   * happens meanwhile, so that messages under way meet the change. Work for that time is scheduled before, with
   * `aws.timeline`.
   *
   * ```ts
   * aws.timeline.after(15_000, () => sns.send(new PublishCommand({ TopicArn, Message: 'during the update' })));
   * await aws.update('cdk.out');
   * ```
   *
   * @param assembly its directory, or the result of `app.synth()`. Stacks that it does not have stay as they are
   * @returns the names of the stacks that were created or changed
   * @throws AssemblyError before anything changes, with every problem
   * @throws StackFailed for the first stack that failed, after its rollback
   */
  async update(assembly: AssemblySource, options: UpdateOptions = {}): Promise<readonly string[]> {
    const operationMs = operationTime(options, UPDATE);
    const allowsMissing = allowsMissingContext(this.simulation.standInRules);
    const read = readAssemblies(directoriesOf(assembly), allowsMissing);
    return await this.served.change(simulation => simulation.update(read, options.parameters ?? {}, operationMs));
  }

  /**
   * Deletes stacks, as `cdk destroy` does: resources with the deletion policy `Retain` stay.
   *
   * @param stackNames one or several. @default - every stack
   * @throws AssemblyError for a stack that does not exist
   * @throws StackFailed for the first stack that could not be deleted
   */
  async destroy(stackNames: string | readonly string[] = [], options: DestroyOptions = {}): Promise<void> {
    const names = stackNamesOf(stackNames);
    await this.served.change(simulation => simulation.destroy(names, operationTime(options)));
  }

  /** Virtual time, in milliseconds since the Unix epoch. */
  get nowMs(): number {
    return this.simulation.timeline.nowMs;
  }

  /** Virtual time, for example `2026-01-01T00:00:00.000Z`. */
  get now(): string {
    return isoInstant(this.nowMs);
  }

  /** The default account and Region. */
  get place(): Place {
    return this.simulation.place;
  }

  /** The ordered record of all events. */
  get trace(): Trace<AwsTraceEvent> {
    return this.simulation.trace;
  }

  /** Schedules the actions of people and systems outside AWS in a scenario. */
  get timeline(): Scheduler {
    return this.simulation.timeline;
  }

  /** Makes AWS services answer with errors for some time. */
  get faults(): Faults {
    return this.simulation.faults;
  }

  /** Ends invocations of functions early: the process exits, runs out of memory, or hangs. */
  get interruptions(): Interruptions {
    return this.simulation.interruptions;
  }

  /** What the deployed stacks have that is not simulated: resources, properties and attributes, in the order of deployment. */
  get standIns(): readonly StandIn[] {
    return this.simulation.standIns;
  }

  /**
   * The services themselves, for the tests of this project.
   *
   * @internal their types may change with any release; users have the members above and the SDK's clients
   */
  get services(): PlaceServices {
    return this.simulation.home;
  }

  /**
   * The services of every account and Region, for the tests of this project.
   *
   * @internal like `services`
   */
  get whole(): Simulation {
    return this.simulation;
  }

  /**
   * Moves virtual time and runs all work that is due. Returns the number of pieces of work.
   *
   * @throws RangeError when `span` is invalid: a member is unknown, negative or not finite
   * @throws WorkFailed when work of the embedded AWS or of the scenario threw; it has the instant, and the error as its
   *   `cause`
   * @throws Error when a million pieces of work have run at one instant (`timeline.maxWorkAtOneInstant`)
   * @throws TimeStopped when `close` is called before it has ended, or was called earlier
   */
  async advance(span: TimeSpan): Promise<number> {
    const ms = timeSpanMs(span);
    return this.served.moveTo(() => this.nowMs + ms);
  }

  /**
   * Moves virtual time to an instant, given in ISO 8601 or in milliseconds since the Unix epoch.
   *
   * @throws RangeError when it is not an instant, or is in the past; and everything that `advance` throws
   */
  async advanceTo(until: string | number): Promise<number> {
    const untilMs = instantMs(until);
    return this.served.moveTo(() => {
      if (untilMs >= this.nowMs) return untilMs;
      throw new RangeError(`until must be ${this.now} (now) or later, got ${until}`);
    });
  }

  /** Moves virtual time until only work is left that repeats forever, such as the sampling of metrics. */
  runUntilIdle(): Promise<number> {
    return this.served.runUntilIdle();
  }

  /**
   * Lets any client use this AWS over HTTP, with `--endpoint-url` or similar, and lets tests in any language control it
   * through `/_dlo/…`. From now on virtual time moves at `speed`; by default it stands still.
   *
   * ```ts
   * const { url, close } = await aws.listen({ speed: 60 });
   * const sqs = new SQSClient({ endpoint: url, region: 'us-east-1', credentials });
   * ```
   *
   * @throws Error when it already listens, or is closed; with the `code` of Node.js when the port cannot be opened
   */
  listen(options: ListenOptions = {}): Promise<Listening> {
    return this.served.listen(options);
  }

  /**
   * The current state: queues with their depths, topics, APIs, functions, alarms and outside endpoints. While it
   * listens, URLs use its port.
   */
  state(): LocalAwsState {
    return localAwsState(this.simulation, this.served.url);
  }

  /**
   * The events of a log group, oldest first: `/aws/lambda/<function>`, or SNS's `sns/<region>/<account>/<topic>`. Empty
   * when the log group does not exist. The CloudWatch Logs client offers more.
   *
   * @param where its account and Region @default - those of `place`
   * @throws Error when the simulation does not have that account or Region
   */
  logs(logGroupName: string, where: AccountAndRegion = {}): readonly LogEvent[] {
    return servicesIn(this.simulation, where).logs.events(logGroupName);
  }

  /**
   * Confirms the subscriptions of an endpoint, as its owner would by visiting the `SubscribeURL`. SNS delivers nothing
   * before that.
   *
   * @param endpoint the URL or e-mail address, as it was subscribed
   * @throws Error when the endpoint has no subscription that waits for confirmation
   */
  confirmSubscription(endpoint: string): void {
    if (confirmAll(this.simulation, endpoint) > 0) return;
    throw new Error(`no subscription of ${endpoint} waits for confirmation`);
  }

  /** Returns an independent random generator for a part of a scenario, from the same seed. */
  random(name: string): Random {
    return this.served.run.random.stream(`scenario/${name}`);
  }

  /**
   * The configuration for `new SQSClient(aws.clientConfig())` and any other SDK v3 client. It acts as an administrator,
   * and ignores the environment (`AWS_ENDPOINT_URL`, `AWS_MAX_ATTEMPTS`) and `~/.aws/config`.
   *
   * A call whose answer takes time on AWS waits for virtual time, which only `advance` moves. So a long poll of an
   * empty queue (`WaitTimeSeconds`), or a synchronous invocation, never resolves when it is awaited before time moves:
   * keep the promise, move time, then await it. Other calls answer immediately.
   *
   * ```ts
   * const poll = sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }));
   * await aws.advance({ seconds: 20 });
   * const { Messages } = await poll;
   * ```
   *
   * The call arrives before time moves, unless the client first waits for something outside this process, such as
   * settings it reads from a file or a body that is a stream. Await such a call first.
   *
   * A consumer of your own, which runs on an instance or in a container, is tested with the permissions of its role:
   * `aws.clientConfig({ role: aws.resource('Orders/WorkerRole').attributes.Arn })`.
   *
   * @param where the account and the Region of the client @default - those of `place`; and the role that it acts as
   * @throws Error when the simulation does not have that account or Region, or the role cannot be given to a program
   */
  clientConfig(where: ActingAs = {}): ClientConfig {
    return clientConfigOf(this.simulation, where);
  }

  /** Mailboxes, phones, devices and Firehose streams, by address: what they received, and how they answer SNS. */
  get recipients(): Recipients {
    return this.simulation.recipients;
  }

  /**
   * A host outside AWS: the requests it received, how it behaves, and what its name resolves to. By default it answers
   * 200.
   *
   * SNS delivers to an HTTP/S endpoint once its subscription is confirmed. This host does not confirm by itself: call
   * `aws.confirmSubscription(url)` with the subscribed URL.
   *
   * An AWS endpoint that is not simulated answers 501, unless the scenario uses it here like any other host. `service`
   * answers it in the SDK's shapes.
   *
   * @param hostName a host name; or an IP address, for connections to that address by whatever name: `10.0.0.5`,
   *   `169.254.169.254`
   * @throws RangeError for an invalid host name, or the host of a simulated AWS service: use `faults` to make that fail
   */
  endpoint(hostName: string): OutsideEndpoint {
    const { outside } = this.simulation;
    return outside.endpoint(outside.hostFor(hostName));
  }

  /**
   * Publishes a message to a topic, as an administrator. It is delivered when time moves.
   *
   * @param topic as `resource` takes it
   * @param message a text. An object is written as JSON
   * @returns the message id
   * @throws RangeError as `resource` does
   * @throws Error with the error code as its `code` when SNS refuses the message
   */
  publish(topic: string, message: string | object, options: PublishOptions = {}): string {
    return publishTo(this.simulation, this.stacks, topic, message, options);
  }

  /**
   * Sends a message to a queue, as an administrator.
   *
   * @param queue as `resource` takes it
   * @param message a text. An object is written as JSON
   * @returns the message id
   * @throws RangeError as `resource` does
   * @throws Error with the error code as its `code` when SQS refuses the message
   */
  send(queue: string, message: string | object, options: SendOptions = {}): string {
    return sendTo(this.simulation, this.stacks, queue, message, options);
  }

  /**
   * Receives and deletes the messages of a queue that can be received now, as an administrator.
   *
   * @param queue as `resource` takes it
   * @throws RangeError as `resource` does
   */
  drain(queue: string): readonly DrainedMessage[] {
    return drainQueue(this.simulation, this.stacks, queue);
  }

  /**
   * Events that services would send which are not simulated: notifications of S3, records of Kinesis and of DynamoDB
   * streams, and events on an event bus.
   *
   * ```ts
   * aws.emit.s3({ bucket: 'Uploads', key: 'a.csv' });
   * await aws.advance({ seconds: 1 });
   * ```
   */
  get emit(): Emit {
    return emitterOf(this.served.run);
  }

  /**
   * A deployed function, to run code of the test in its place.
   *
   * @param id as `resource` takes it
   * @throws RangeError as `resource` does
   */
  function(id: string): LocalFunction {
    return functionNamed(this.simulation, this.stacks, id);
  }

  /**
   * An AWS service that is not simulated: script its answers, or forward its calls to an emulator that you run.
   *
   * ```ts
   * aws.service('sfn').answer('StartExecution', { executionArn: 'arn:…', startDate: new Date() });
   * aws.service('dynamodb').forwardTo('http://127.0.0.1:8000');
   * ```
   *
   * @param name as in the name of its SDK client, or in its host name: `sfn` or `states`
   * @throws RangeError for an invalid name, and for a service that is simulated
   */
  service(name: string): OtherService {
    return this.simulation.otherServices.service(name);
  }

  /**
   * Sends an HTTP request to a deployed API, or to any other host of the simulation.
   *
   * An answer that takes time (`latencyMs`) waits for virtual time: keep the promise, move time, then await it.
   *
   * @param body JSON
   * @throws Error with the reason when there is no answer
   */
  async request(method: string, url: string, body = '', options: RequestOptions = {}): Promise<TextAnswer> {
    checkNames(options, 'the options', { signed: true });
    return sendText(this.simulation, { method, url, body, ...options });
  }

  /**
   * Finds a resource of the deployed stacks.
   *
   * @param id its physical name, ARN or URL, logical id, `StackName/LogicalId`, the path of its construct without
   *   `/Resource`, or the end of that path: `DeadLetterQueue` or `Partner/DeadLetterQueue` for `Shop/Partner/DeadLetterQueue`
   * @throws RangeError when no resource matches, with the nearest paths; or more than one, with the paths of all
   */
  resource(id: string): DeployedResource {
    return resourceNamed(this.stacks, id);
  }

  /**
   * Finds an output of the deployed stacks.
   *
   * @param name the output's name, or `StackName.Output`
   * @throws RangeError when no output matches, or more than one
   */
  output(name: string): string {
    return outputNamed(this.stacks, name);
  }

  /**
   * Finds an alarm, with its state.
   *
   * @param id as `resource` takes it
   * @throws RangeError as `resource` does
   */
  alarm(id: string): AlarmSummary {
    const alarms = this.state().alarms.map(value => ({ value, names: [value.arn, value.name] }));
    return serviceNamed(this.stacks, 'alarm', alarms, id);
  }

  /** @internal for the matchers @param past ARNs that may no longer exist */
  arnOf(kind: NamedKind, id: string, past: readonly string[] = []): string {
    return arnNamed(this.simulation, kind, id, past);
  }

  /** @internal for the matchers */
  get messages(): readonly TracedMessage[] {
    return messagesOf(this.served.run).all;
  }

  /**
   * Stops listening, and ends the threads of the functions. A call that moves time is rejected at its next piece of work,
   * and a call of `listen` that is still opening its port. Closing again has no effect.
   *
   * @throws the first error that no `onError` received
   */
  close(): Promise<void> {
    return this.served.close();
  }
}
