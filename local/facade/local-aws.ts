import { type DeployedResource, type DeployedStack, placeOf, readAssembly } from '../cloudformation';
import { isoInstant } from '../kernel/clock';
import type { Faults } from '../kernel/faults';
import { EXAMPLE_PLACE, type Place } from '../kernel/place';
import type { Random } from '../kernel/random';
import type { Scheduler } from '../kernel/timeline';
import type { Trace } from '../kernel/trace';
import type { Interruptions } from '../lambda';
import type { LogEvent } from '../logs';
import type { OutsideEndpoint } from '../network/outside-endpoint';
import type { Simulation } from '../simulation';
import type { Recipients } from '../sns';
import type { AwsTraceEvent } from '../trace-events';
import { type ClientConfig, clientConfig, type RequestOptions, sendText, type TextAnswer } from './client';
import { type Listening, type ListenOptions, ServedSimulation } from './listen';
import {
  instantMs,
  type LocalAwsOptions,
  newSimulation,
  type SynthesizedAssembly,
  type TimeSpan,
  timeSpanMs,
} from './options';
import { type LocalAwsState, localAwsState, outputNamed, resourceNamed } from './state';

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
 * Functions see time, chance, the network and the machine of the embedded AWS, but the files of this one: `__dirname` is
 * the folder of the assembly's asset, and what a function writes to `/tmp` lies there for every other function, after
 * `close`, and in the next run. What a function keeps there may make two runs differ. Code that never comes to rest is
 * stopped after ten seconds by the wall clock (`lambda.watchdogMs`): each endless loop takes so long.
 */
export class LocalAws {
  private readonly served: ServedSimulation;

  private constructor(
    private readonly world: Simulation,
    private readonly seeded: Random,
    /** The deployed stacks, each after the stacks it depends on. */
    readonly stacks: readonly DeployedStack[],
  ) {
    this.served = new ServedSimulation(world, () => seeded.stream('server'));
  }

  /** An account with nothing in it: for tests that make what they need with the SDK's clients. */
  static start(options: Omit<LocalAwsOptions, 'parameters'> = {}): LocalAws {
    const { world, random } = newSimulation(options.place ?? EXAMPLE_PLACE, options);
    return new LocalAws(world, random, []);
  }

  /**
   * Reads a cloud assembly and deploys its stacks. Virtual time moves for as long as custom resources take, and stands still
   * otherwise. A stack is never updated or deleted afterwards.
   *
   * @param assembly its directory, usually `cdk.out`, or what `app.synth()` returns
   * @throws AssemblyError with every problem: what is missing or corrupt, and what the embedded AWS does not implement,
   *   by logical id and property
   */
  static async deploy(assembly: string | SynthesizedAssembly, options: LocalAwsOptions = {}): Promise<LocalAws> {
    const read = readAssembly(typeof assembly === 'string' ? assembly : assembly.directory);
    const { world, random } = newSimulation(placeOf(read.stacks, options.place ?? EXAMPLE_PLACE), options);
    try {
      const deploying = world.cloudFormation.deploy(read, {
        types: world.resourceTypes(),
        random: random.stream('cloudformation'),
        parameters: options.parameters,
      });
      return new LocalAws(world, random, await world.timeline.runUntilSettled(deploying));
    } catch (error) {
      // Nobody else can close a world that never came to be; functions whose code stands in the template have folders.
      await world.lambda.close();
      throw error;
    }
  }

  /** Milliseconds since the Unix epoch, in virtual time. */
  get nowMs(): number {
    return this.world.timeline.nowMs;
  }

  /** `2026-01-01T00:00:00.000Z`, in virtual time. */
  get now(): string {
    return isoInstant(this.nowMs);
  }

  get place(): Place {
    return this.world.place;
  }

  /** The ordered record of everything that happened. */
  get trace(): Trace<AwsTraceEvent> {
    return this.world.trace;
  }

  /** Where a scenario schedules what people and systems outside of AWS do. */
  get timeline(): Scheduler {
    return this.world.timeline;
  }

  /** AWS services that answer errors for a while. */
  get faults(): Faults {
    return this.world.faults;
  }

  /** Invocations of functions that end before they are done: the process exits, is out of memory, or hangs. */
  get interruptions(): Interruptions {
    return this.world.lambda.interruptions;
  }

  /**
   * The services themselves, for this project's own tests and stories.
   *
   * @internal their shapes may change with any release; everything a user needs is above, or has a client
   */
  get services(): Simulation {
    return this.world;
  }

  /**
   * Lets time pass, and does all that is due meanwhile. Answers how many pieces of work that was.
   *
   * @throws RangeError when it is no stretch of time: a member is unknown, negative or not finite
   * @throws WorkFailed when something of ours, or of the scenario's, broke: it says when, and its `cause` is what broke
   * @throws Error when a million pieces of work have run at one instant (`timeline.maxWorkAtOneInstant`)
   */
  async advance(stretch: TimeSpan): Promise<number> {
    const ms = timeSpanMs(stretch);
    return this.served.moveTo(() => this.nowMs + ms);
  }

  /**
   * Lets time pass until an ISO 8601 instant, or milliseconds since the Unix epoch.
   *
   * @throws RangeError when it is no instant, or past; and what `advance` throws
   */
  async advanceTo(until: string | number): Promise<number> {
    const untilMs = instantMs(until);
    return this.served.moveTo(() => {
      if (untilMs >= this.nowMs) return untilMs;
      throw new RangeError(`until must not be before now, ${this.now}, got ${until}`);
    });
  }

  /** Lets time pass until nothing is due any more but what goes on for ever, such as the sampling of metrics. */
  runUntilIdle(): Promise<number> {
    return this.served.runUntilIdle();
  }

  /**
   * Lets any client reach this AWS over HTTP, with `--endpoint-url` or its like, and tests in any language steer it by
   * `/_dlo/…`. Time goes as fast as `speed` says from now on; it stands still unless told otherwise.
   *
   * ```ts
   * const { url, close } = await aws.listen({ speed: 60 });
   * const sqs = new SQSClient({ endpoint: url, region: 'us-east-1', credentials });
   * ```
   *
   * @throws Error when it listens already, or is closed; with node's `code` when the port cannot be listened on
   */
  listen(options: ListenOptions = {}): Promise<Listening> {
    return this.served.listen(options);
  }

  /**
   * What there is, and how it is: queues with their depths, topics, APIs, functions, alarms, outside endpoints. URLs are
   * those of the port it listens on, if it does.
   */
  state(): LocalAwsState {
    return localAwsState(this.world, this.served.url);
  }

  /**
   * What was logged to a log group, oldest first: `/aws/lambda/<function>`, or SNS's `sns/<region>/<account>/<topic>`.
   * Empty when there is no such group; CloudWatch Logs' own client can do more.
   */
  logs(logGroupName: string): readonly LogEvent[] {
    return this.world.logs.events(logGroupName);
  }

  /**
   * Does what the owner of an endpoint must do before SNS delivers to it: visits the `SubscribeURL` it was sent.
   *
   * @param endpoint the URL or e-mail address, as it was subscribed
   * @throws Error when no subscription of it waits for confirmation
   */
  confirmSubscription(endpoint: string): void {
    if (this.world.sns.confirm(endpoint) > 0) return;
    throw new Error(`no subscription of ${endpoint} waits for confirmation`);
  }

  /** A generator of its own for a part of a scenario, from the same seed. */
  random(name: string): Random {
    return this.seeded.stream(`scenario/${name}`);
  }

  /**
   * For `new SQSClient(aws.clientConfig())`, and any other SDK v3 client; it acts as an administrator. It leaves a client
   * nothing to look up in the environment (`AWS_ENDPOINT_URL`, `AWS_MAX_ATTEMPTS`) or in `~/.aws/config`.
   *
   * A call whose answer takes time on AWS waits for virtual time, which only `advance` moves. A long poll of an empty queue
   * (`WaitTimeSeconds`), or an invocation that waits for its function, never resolves when it is awaited before time is
   * moved on: keep the promise, move time, then await it. Without a wait it answers at once.
   *
   * ```ts
   * const poll = sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }));
   * await aws.advance({ seconds: 20 });
   * const { Messages } = await poll;
   * ```
   *
   * The call arrives before time moves, as long as the client has nothing to wait for outside of this process: a client
   * with settings of its own that it reads from a file, or with a stream for a body, is awaited first.
   */
  clientConfig(): ClientConfig {
    return clientConfig(this.world.network, this.place);
  }

  /** Mailboxes, phones, devices and Firehose streams, by address: what reached them, and how they answer SNS. */
  get recipients(): Recipients {
    return this.world.sns.recipients;
  }

  /**
   * A host outside of AWS: what it got, how it behaves, and what its name resolves to. It answers 200 until it is told
   * otherwise.
   *
   * SNS delivers to an endpoint of HTTP/S once it has confirmed its subscription, and this one does nothing by itself:
   * `aws.confirmSubscription(url)`, with the URL that was subscribed.
   *
   * An AWS endpoint that is not implemented answers 501; asked for here, it is as much a host of the scenario's as others.
   *
   * @param hostName or an address, for what is to be found there whatever resolves to it: `10.0.0.5`, `169.254.169.254`
   * @throws RangeError when it is no host name, or one of AWS's own that is here: that is made to fail by `faults`
   */
  endpoint(hostName: string): OutsideEndpoint {
    const { outside } = this.world;
    return outside.endpoint(outside.hostFor(hostName));
  }

  /**
   * Sends an HTTP request to a deployed API, or to any other host of this world.
   *
   * An answer that takes time (`latencyMs`) comes once virtual time has moved on: keep the promise, move time, then await it.
   *
   * @param body JSON
   * @throws Error saying why when nobody answers
   */
  request(method: string, url: string, body = '', options: RequestOptions = {}): Promise<TextAnswer> {
    return sendText(this.world, { method, url, body, ...options });
  }

  /**
   * A resource of the deployed stacks.
   *
   * @param id a logical id, `StackName/LogicalId`, or the path of its construct without `/Resource`
   * @throws Error when there is none, or more than one
   */
  resource(id: string): DeployedResource {
    return resourceNamed(this.stacks, id);
  }

  /**
   * An output of the deployed stacks.
   *
   * @param name its own, or `StackName.Output`
   * @throws Error when there is none, or more than one
   */
  output(name: string): string {
    return outputNamed(this.stacks, name);
  }

  /**
   * Stops listening, and ends the threads in which functions ran. A `listen` that is still under way is refused.
   *
   * @throws what broke while it listened, unless somebody was told of it
   */
  async close(): Promise<void> {
    try {
      await this.served.close();
    } finally {
      await this.world.lambda.close();
    }
  }
}
