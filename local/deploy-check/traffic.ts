import { parseArn } from '../../policy/arn';
import type { LocalAws } from '../facade/local-aws';
import { AwsError } from '../kernel/aws-error';
import { isObject } from '../kernel/json';
import { InvalidInput } from '../kernel/member-reader';
import type { PlaceServices } from '../place-services';
import { textsIn } from './gaps';
import { isPoison, MessageHistory, newToken, tokenIn } from './message-history';
import type { NamedValues } from './samples';
import { type Located, located, type Source, sendTo, sourcesOf } from './sources';

/** How a message of the traffic ended at one receiver. */
interface Receipt {
  count: number;
  /** Seconds from the send to the first receipt. */
  readonly afterSeconds: number;
}

/** What became of one message. */
export interface Fate {
  readonly token: string;
  /** Seconds since the update began; negative before it. */
  readonly sentAt: number;
  /** Why AWS refused it; undefined if AWS accepted it. */
  refused?: string;
  /** The functions that were invoked with it and failed. */
  readonly failedAt: Set<string>;
  /** By receiver: a function, a queue, or a URL. */
  readonly received: Map<string, Receipt>;
  /** The queues that hold it in the end. A queue that belongs to no stack has only its name. */
  readonly kept: Set<string>;
}

/** What the queues of the old version are for. The traffic of all versions goes by it. */
interface QueueRoles {
  readonly known: ReadonlySet<string>;
  /** Functions receive from them: no consumer from outside does. */
  readonly mapped: ReadonlySet<string>;
  readonly dead: ReadonlySet<string>;
}

/** Traffic begins this long before the update, so that messages have died and others wait for a retry. */
const WARM_UP_SECONDS = 600;
const INTERVAL_SECONDS = 5;
/** Variations of a message are sent this often. */
const VARIATION_SECONDS = 30;
/** A consumer that is not part of the stacks receives what a queue holds this often. */
const CONSUMER_SECONDS = 30;
const HANDLER_MS = 2_000;
/** These messages make every function fail: the first one ends in a dead-letter queue, others wait for retries. */
const POISON_AT: ReadonlySet<number> = new Set([-WARM_UP_SECONDS, -10, 15]);

/** Plays the same traffic through any version of an app, in all of its accounts and Regions. */
export class Traffic {
  /** By what was sent and when. */
  readonly fates = new Map<string, Fate>();
  readonly history: MessageHistory;
  readonly startMs: number;
  private isOver = false;
  /** Whether every function fails for every message. */
  failsAlways = false;
  /** For each queue: itself, the functions that received from it, and its dead-letter queues. */
  readonly groups = new Map<string, Set<string>>();
  /** By ARN. */
  private readonly handled = new Set<string>();
  /** Messages that have no fate. */
  private extra = 0;
  private readonly functionIds = new Map<string, string>();
  /** Why queues cannot be received from, by ARN. */
  readonly unreadable = new Map<string, string>();
  private readonly byToken = new Map<string, Fate>();
  /** Every source so far, by id. What sends to an app goes on when the app no longer takes it. */
  private readonly sources = new Map<string, Source>();
  /** The ARNs that each receiver has had. */
  private readonly arns = new Map<string, Set<string>>();
  /** The ids of resources, by ARN. */
  private readonly names = new Map<string, string>();
  readonly roles: QueueRoles;
  /** The queues of the stacks in the end, and whether messages die there. */
  private readonly lastQueues = new Map<string, boolean>();

  /**
   * @param named what the patterns of both versions name
   * @param roles of the old version @default - `aws` has the old version
   */
  constructor(
    private readonly aws: LocalAws,
    private readonly named: NamedValues,
    roles?: QueueRoles,
  ) {
    this.startMs = aws.nowMs + WARM_UP_SECONDS * 1000;
    this.history = new MessageHistory(aws);
    this.roles = roles ?? {
      known: new Set(located(aws, 'AWS::SQS::Queue').map(({ id }) => id)),
      mapped: this.mappedQueues(),
      dead: new Set(this.deadLetterQueues().map(({ id }) => id)),
    };
  }

  /** The queues, functions and endpoints that there were. */
  get receivers(): ReadonlySet<string> {
    const received = [...this.fates.values()].flatMap(fate => [...fate.received.keys()]);
    return new Set([...this.arns.keys(), ...received]);
  }

  /** A text with the ids of resources in place of their ARNs. */
  withNames(text: string): string {
    return text.replace(/arn:[\w./:$-]*\w/g, arn => this.names.get(arn) ?? arn);
  }

  /** Whether a topic without a subscription dropped a message. */
  isDropped(key: string): boolean {
    const ends = this.history.ends.get(this.fates.get(key)?.token ?? '') ?? [];
    return ends.some(({ becomes }) => becomes === 'published-to-nobody');
  }

  /** Whether a stack has a queue in the end. */
  owns(queueId: string): boolean {
    return this.lastQueues.has(queueId);
  }

  /** Whether a queue is where messages die, in the old version or in the end. */
  isDead(queueId: string): boolean {
    return this.roles.dead.has(queueId) || this.lastQueues.get(queueId) === true;
  }

  /** Seconds since the update began. */
  get now(): number {
    return (this.aws.nowMs - this.startMs) / 1000;
  }

  /** The functions whose code a handler of the check replaces. */
  get replacedFunctions(): readonly string[] {
    return [...new Set([...this.handled].map(arn => this.functionIds.get(arn) ?? arn))].sort();
  }

  /** The id of a receiver with this ARN or URL. */
  nameOf(receiver: string): string {
    if (!receiver.startsWith('arn:') && URL.canParse(receiver)) return new URL(receiver).host;
    return this.functionIds.get(receiver) ?? this.names.get(receiver) ?? receiver;
  }

  /** Sends one message from each source that is not judged with the others. @returns the sources by token */
  sendOnce(): ReadonlyMap<string, string> {
    const sent = new Map<string, string>();
    for (const { id, send } of this.sources.values()) {
      this.extra += 1;
      const token = newToken(this.fates.size + this.extra, 'message');
      this.trySend(token, send);
      sent.set(token, id);
    }
    return sent;
  }

  /** The ARNs that a receiver has had. */
  arnsOf(receiver: string): readonly string[] {
    return [...(this.arns.get(receiver) ?? [])];
  }

  /** Sends until the update begins. */
  async warmUp(): Promise<void> {
    for (const { id, resource } of this.deadLetterQueues()) {
      const send = (token: string) => sendTo(this.aws, resource, token);
      this.send(`${id}#marker`, { id, mayFail: false, send }, 'message');
    }
    this.tick();
    await this.aws.advance({ seconds: WARM_UP_SECONDS });
  }

  /** Sends for a while after the update, waits until nothing moves, and looks at what the queues hold. */
  async finish(): Promise<void> {
    await this.aws.advance({ minutes: 2 });
    this.isOver = true;
    this.takeOverFunctions();
    await this.aws.advance({ minutes: 15 });
    this.history.isClosed = true;
    for (const { lambda } of this.aws.whole.all) this.stopMappings(lambda);
    await this.aws.advance({ minutes: 15 });
    // Receiving can move a message to a dead-letter queue that has been looked at.
    while (this.lookIntoQueues()) {}
    this.readEndpoints();
    this.nameFunctions();
    for (const { id } of located(this.aws, 'AWS::SQS::Queue')) this.lastQueues.set(id, false);
    for (const { id } of this.deadLetterQueues()) this.lastQueues.set(id, true);
  }

  /** What fails without end is in flight most of the time: it returns to its queue when no function receives it. */
  private stopMappings(lambda: PlaceServices['lambda']): void {
    for (const { uuid: UUID, configuration } of lambda.eventSourceMappings()) {
      if (parseArn(configuration.queueArn)?.service !== 'sqs') continue;
      try {
        lambda.call('UpdateEventSourceMapping', lambda.owner, { UUID, Enabled: false });
      } catch (error) {
        // Lambda checks the role. One that may not receive has nothing in flight.
        if (!(error instanceof AwsError)) throw error;
      }
    }
  }

  /** Empties the queues. Returns whether there was a message. */
  private lookIntoQueues(): boolean {
    const owned = new Map(located(this.aws, 'AWS::SQS::Queue').map(({ id, resource }) => [arnOf(resource), id]));
    let count = 0;
    for (const { name, arn } of this.aws.state().queues) {
      for (const body of this.drained(arn)) {
        count += 1;
        this.fateIn(body)?.kept.add(owned.get(arn) ?? name);
      }
    }
    return count > 0;
  }

  /** The messages of a queue. Those that a deleted key encrypted are lost. */
  private drained(arn: string): readonly string[] {
    this.unreadable.delete(arn);
    try {
      return this.aws.drain(arn).map(({ body }) => body);
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      this.unreadable.set(arn, error.reason);
      return [];
    }
  }

  private tick(): void {
    const { aws, now } = this;
    const second = Math.round(now);
    if (!this.isOver) {
      for (const { endpoint } of aws.state().pendingSubscriptions) aws.confirmSubscription(endpoint);
      this.takeOverFunctions();
      sendWholeEvents(aws);
    }
    if ((second + CONSUMER_SECONDS / 2) % CONSUMER_SECONDS === 0) this.consume();
    if (!this.isOver && (second === -WARM_UP_SECONDS || second >= -60)) this.sendAll(second);
    if (!this.history.isClosed) aws.timeline.after(INTERVAL_SECONDS * 1000, () => this.tick());
  }

  private sendAll(second: number): void {
    const dead = this.deadLetterArns;
    const content = { named: this.named, isDeadLetterQueue: (arn: string) => dead.has(arn) };
    for (const source of sourcesOf(this.aws, content)) this.sources.set(source.id, source);
    for (const source of this.sources.values()) {
      if (source.isVariation && second % VARIATION_SECONDS !== 0) continue;
      this.send(`${source.id}#${second}`, source, POISON_AT.has(second) && source.mayFail ? 'poison' : 'message');
    }
  }

  private send(key: string, source: Source, kind: 'message' | 'poison'): void {
    const token = newToken(this.fates.size, kind);
    const fate: Fate = { token, sentAt: this.now, failedAt: new Set(), received: new Map(), kept: new Set() };
    this.fates.set(key, fate);
    this.byToken.set(token, fate);
    const error = this.trySend(token, source.send);
    if (error) {
      fate.refused = error.message;
      const isOfAws = error instanceof AwsError;
      this.history.endOf(token, {
        becomes: isOfAws ? 'refused' : 'published-to-nobody',
        atMs: this.aws.nowMs,
        why: isOfAws ? `AWS refuses to take it: ${error.reason}` : 'nothing of the app takes it any more',
      });
    }
  }

  /** @returns why AWS, or this check, does not send it */
  private trySend(token: string, send: Source['send']): AwsError | InvalidInput | undefined {
    try {
      this.history.send(token, send);
      return undefined;
    } catch (error) {
      if (error instanceof AwsError || error instanceof InvalidInput) return error;
      throw error;
    }
  }

  private fateIn(body: string): Fate | undefined {
    return this.byToken.get(tokenIn(body) ?? '');
  }

  private received(body: string, receiver: string, atSeconds = this.now): void {
    const fate = this.fateIn(body);
    const known = fate?.received.get(receiver);
    if (known) known.count += 1;
    else fate?.received.set(receiver, { count: 1, afterSeconds: atSeconds - fate.sentAt });
  }

  /** Functions that receive messages run our handler, so that the check depends on nothing that the app calls. */
  private takeOverFunctions(): void {
    const targets = this.aws.whole.all.flatMap(({ cloudFormation, lambda, sns, events, scheduler }) => [
      ...lambda.eventSourceMappings().map(({ target }) => target.deployed.arn),
      ...sns.subscriptions().map(({ endpoint }) => endpoint),
      ...events.rules().flatMap(rule => [...rule.targets.values()].map(({ arn }) => arn)),
      ...scheduler.schedules().map(({ definition }) => definition.target.Arn),
      ...NOTIFYING.flatMap(type => cloudFormation.resourcesOfType(type).flatMap(it => textsIn(it.properties))),
    ]);
    const isReceiver = (arn: string) => targets.some(it => it === arn || it.startsWith(`${arn}:`));
    for (const { functionArn, timeoutSeconds } of this.aws.whole.all.flatMap(({ lambda }) => lambda.functions())) {
      if (!isReceiver(functionArn)) continue;
      this.handled.add(functionArn);
      this.aws.function(functionArn).handle(async (event, { sleep }) => {
        await sleep(Math.min(HANDLER_MS, timeoutSeconds * 500));
        const bodies = recordsOf(event);
        if (this.failsAlways || bodies.some(isPoison)) {
          for (const body of bodies) this.fateIn(body)?.failedAt.add(functionArn);
          throw new Error('this message of the deploy check fails');
        }
        for (const body of bodies) this.received(body, functionArn);
      });
    }
    // A stack knows a new function only when it has created everything.
    for (const { id, resource } of located(this.aws, 'AWS::Lambda::Function')) {
      this.functionIds.set(arnOf(resource), id);
      this.noteArn(id, arnOf(resource));
    }
    for (const { id, resource } of located(this.aws, /./)) {
      for (const arn of [resource.ref, arnOf(resource)]) if (arn.startsWith('arn:')) this.names.set(arn, id);
    }
    this.noteGroups();
  }

  /** Notes for each queue which function receives from it, and where its messages die. */
  private noteGroups(): void {
    const queues = located(this.aws, 'AWS::SQS::Queue');
    const ids = new Map(queues.map(({ id, resource }) => [arnOf(resource), id]));
    for (const { lambda } of this.aws.whole.all) {
      for (const { configuration, target } of lambda.eventSourceMappings()) {
        const functionId = this.functionIds.get(target.deployed.arn);
        this.noteTogether(ids.get(configuration.queueArn), functionId);
        if (functionId !== undefined) this.noteArn(functionId, configuration.queueArn);
      }
    }
    for (const { id, resource } of queues) {
      const arn = arnOf(resource);
      const { sqs } = this.aws.services.at(arn);
      this.noteArn(id, arn);
      if (!sqs.queueByArn(arn)) continue;
      this.noteTogether(id, ids.get(deadLetterTargetOf(sqs, resource.ref) ?? ''));
    }
  }

  private noteArn(id: string, arn: string): void {
    this.arns.set(id, (this.arns.get(id) ?? new Set()).add(arn));
  }

  private noteTogether(queueId: string | undefined, other: string | undefined): void {
    if (queueId === undefined) return;
    const group = this.groups.get(queueId) ?? new Set([queueId]);
    if (other !== undefined) group.add(other);
    this.groups.set(queueId, group);
    for (const arn of this.arnsOf(queueId)) if (other !== undefined) this.noteArn(other, arn);
  }

  /** A function that replaced another one is the same receiver. */
  private nameFunctions(): void {
    for (const { received } of this.fates.values()) {
      for (const [arn, receipt] of [...received]) {
        const id = this.functionIds.get(arn);
        if (id === undefined) continue;
        received.delete(arn);
        const { count = 0, afterSeconds = receipt.afterSeconds } = received.get(id) ?? {};
        const first = Math.min(afterSeconds, receipt.afterSeconds);
        received.set(id, { count: count + receipt.count, afterSeconds: first });
      }
    }
  }

  /**
   * Stands for the consumers of queues without a mapping: they receive and delete what is there. There is none for a queue that had a
   * mapping in the old version, and one for each queue that had one then.
   */
  private consume(): void {
    const { known, mapped, dead } = this.roles;
    const nowMapped = this.mappedQueues();
    const nowDead = new Set(this.deadLetterQueues().map(({ id }) => id));
    for (const { id, resource } of located(this.aws, 'AWS::SQS::Queue')) {
      const arn = arnOf(resource);
      const isThere = this.aws.services.at(arn).sqs.queueByArn(arn) !== undefined;
      const isOurs = known.has(id) ? !mapped.has(id) && !dead.has(id) : !nowMapped.has(id) && !nowDead.has(id);
      if (!isOurs || !isThere) continue;
      for (const body of this.drained(arn)) this.received(body, id);
    }
  }

  private mappedQueues(): ReadonlySet<string> {
    const mappings = this.aws.whole.all.flatMap(({ lambda }) => lambda.eventSourceMappings());
    const sources = new Set(mappings.map(it => it.configuration.queueArn));
    const queues = located(this.aws, 'AWS::SQS::Queue').filter(({ resource }) => sources.has(arnOf(resource)));
    return new Set(queues.map(({ id }) => id));
  }

  private readEndpoints(): void {
    for (const { host } of this.aws.state().endpoints) {
      for (const { text, atMs } of this.aws.endpoint(host).requests) {
        this.received(text, host, (atMs - this.startMs) / 1000);
      }
    }
    for (const { token, endpoint, atMs } of this.history.delivered) {
      this.received(token, this.names.get(endpoint) ?? endpoint, (atMs - this.startMs) / 1000);
    }
  }

  get deadLetterArns(): ReadonlySet<string> {
    return new Set(this.deadLetterQueues().map(({ resource }) => arnOf(resource)));
  }

  private deadLetterQueues(): readonly Located[] {
    const properties = this.aws.whole.all.flatMap(({ cloudFormation }) => cloudFormation.properties);
    const targets = new Set(properties.flatMap(it => deadLetterTargets(it)));
    return located(this.aws, 'AWS::SQS::Queue').filter(({ resource }) => targets.has(arnOf(resource)));
  }
}

/** Targets get the whole event instead of an input of their own, in which no message of the check would be known. */
function sendWholeEvents(aws: LocalAws): void {
  for (const { events } of aws.whole.all) {
    for (const { name: Rule, bus, targets } of events.rules()) {
      for (const { definition } of targets.values()) {
        const { Input, InputPath, InputTransformer, ...others } = definition;
        if ([Input, InputPath, InputTransformer].every(it => it === undefined)) continue;
        events.call('PutTargets', events.owner, { Rule, EventBusName: bus.arn, Targets: [others] });
      }
    }
  }
}

/** Resources whose properties name the functions that they notify. */
const NOTIFYING = ['AWS::S3::Bucket', 'Custom::S3BucketNotifications'];

const arnOf = ({ attributes }: Located['resource']): string => attributes['Arn'] ?? '';

const DEAD_LETTER_MEMBERS = ['deadLetterTargetArn', 'DeadLetterConfig', 'OnFailure'];

/** The ARNs of dead-letter queues and of on-failure destinations anywhere in properties. */
function deadLetterTargets(value: unknown, key = ''): readonly string[] {
  if (typeof value === 'string' && DEAD_LETTER_MEMBERS.includes(key)) return [value];
  if (Array.isArray(value)) return value.flatMap(item => deadLetterTargets(item, key));
  if (!isObject(value)) return [];
  const isInside = key === 'DeadLetterConfig' || key === 'OnFailure';
  return Object.entries(value).flatMap(([name, member]) => deadLetterTargets(member, isInside ? key : name));
}

/** The ARN of a queue's dead-letter queue; undefined also where the policy of the queue denies the call to everyone. */
function deadLetterTargetOf(sqs: PlaceServices['sqs'], QueueUrl: string): string | undefined {
  try {
    const { Attributes = {} } = sqs.call('GetQueueAttributes', sqs.owner, {
      QueueUrl,
      AttributeNames: ['RedrivePolicy'],
    });
    const policy: unknown = JSON.parse(Attributes['RedrivePolicy'] ?? '{}');
    return isObject(policy) ? String(policy['deadLetterTargetArn']) : undefined;
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    return undefined;
  }
}

/** The bodies of the messages in an event of SQS or SNS, or of an event that Lambda passes on. */
function recordsOf(event: unknown): readonly string[] {
  const records = isObject(event) && Array.isArray(event['Records']) ? event['Records'] : [event];
  return records.map(record => JSON.stringify(isObject(record) ? (record['body'] ?? record['Sns'] ?? record) : record));
}
