import { parseArn } from '../../policy/arn';
import type { LocalAws } from '../facade/local-aws';
import { AwsError } from '../kernel/aws-error';
import { isObject } from '../kernel/json';
import { InvalidInput } from '../kernel/member-reader';
import { isPoison, MessageHistory, newToken, tokenIn } from './message-history';
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
  /** By receiver: a function, a queue, or a URL. */
  readonly received: Map<string, Receipt>;
  /** The queues that hold it in the end. A queue that belongs to no stack has only its name. */
  readonly kept: Set<string>;
}

/** Traffic begins this long before the update, so that messages have died and others wait for a retry. */
const WARM_UP_SECONDS = 600;
const INTERVAL_SECONDS = 5;
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
  private isUpdated = false;
  private isOver = false;
  /** For each queue: itself, the functions that received from it, and its dead-letter queues. */
  readonly groups = new Map<string, Set<string>>();
  /** By ARN. */
  private readonly functionIds = new Map<string, string>();
  private readonly byToken = new Map<string, Fate>();
  /** Every source so far, by id. What sends to an app goes on when the app no longer takes it. */
  private readonly sources = new Map<string, Source>();
  /** The queues that had a mapping, by ARN. */
  private readonly wasMapped = new Set<string>();
  /** The ARNs that each receiver has had. */
  private readonly arns = new Map<string, Set<string>>();

  constructor(private readonly aws: LocalAws) {
    this.startMs = aws.nowMs + WARM_UP_SECONDS * 1000;
    this.history = new MessageHistory(aws);
  }

  /** Seconds since the update began. */
  get now(): number {
    return (this.aws.nowMs - this.startMs) / 1000;
  }

  /** The ARNs that a receiver has had. */
  arnsOf(receiver: string): readonly string[] {
    return [...(this.arns.get(receiver) ?? [])];
  }

  /** Whether AWS gave up the delivery of a message to a receiver. */
  isGivenUp(key: string, receiver: string): boolean {
    const ends = this.history.ends.get(this.fates.get(key)?.token ?? '') ?? [];
    const own = this.arnsOf(receiver);
    return ends.some(({ isGivenUp, arns }) => isGivenUp && arns.some(arn => own.includes(arn)));
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
    this.isUpdated = true;
    await this.aws.advance({ minutes: 2 });
    this.isOver = true;
    this.takeOverFunctions();
    await this.aws.advance({ minutes: 15 });
    // What fails without end is in flight most of the time: it returns to its queue when no function receives it.
    for (const { lambda } of this.aws.whole.all) {
      for (const { uuid: UUID, configuration } of lambda.eventSourceMappings()) {
        if (parseArn(configuration.queueArn)?.service !== 'sqs') continue;
        lambda.call('UpdateEventSourceMapping', lambda.owner, { UUID, Enabled: false });
      }
    }
    await this.aws.advance({ minutes: 15 });
    // Receiving can move a message to a dead-letter queue that has been looked at.
    while (this.lookIntoQueues()) {}
    this.readEndpoints();
    this.nameFunctions();
  }

  /** Empties the queues. Returns whether there was a message. */
  private lookIntoQueues(): boolean {
    const owned = new Map(located(this.aws, 'AWS::SQS::Queue').map(({ id, resource }) => [arnOf(resource), id]));
    let count = 0;
    for (const { name, arn } of this.aws.state().queues) {
      for (const { body } of this.aws.drain(arn)) {
        count += 1;
        this.fateIn(body)?.kept.add(owned.get(arn) ?? name);
      }
    }
    return count > 0;
  }

  private tick(): void {
    if (this.isOver) return;
    const { aws, now } = this;
    for (const { endpoint } of aws.state().pendingSubscriptions) aws.confirmSubscription(endpoint);
    this.takeOverFunctions();
    const second = Math.round(now);
    if ((second + CONSUMER_SECONDS / 2) % CONSUMER_SECONDS === 0) this.consume();
    if (second === -WARM_UP_SECONDS || second >= -60) this.sendAll(second);
    aws.timeline.after(INTERVAL_SECONDS * 1000, () => this.tick());
  }

  private sendAll(second: number): void {
    const dead = new Set(this.deadLetterQueues().map(({ resource }) => arnOf(resource)));
    for (const source of sourcesOf(this.aws, arn => dead.has(arn))) this.sources.set(source.id, source);
    for (const source of this.sources.values()) {
      this.send(`${source.id}#${second}`, source, POISON_AT.has(second) && source.mayFail ? 'poison' : 'message');
    }
  }

  private send(key: string, source: Source, kind: 'message' | 'poison'): void {
    const token = newToken(this.fates.size, kind);
    const fate: Fate = { token, sentAt: this.now, received: new Map(), kept: new Set() };
    this.fates.set(key, fate);
    this.byToken.set(token, fate);
    try {
      this.history.send(token, source.send);
    } catch (error) {
      if (!(error instanceof AwsError || error instanceof InvalidInput)) throw error;
      fate.refused = error.message;
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
    for (const { functionArn } of this.aws.whole.all.flatMap(({ lambda }) => lambda.functions())) {
      if (!isReceiver(functionArn)) continue;
      this.aws.function(functionArn).handle(async (event, { sleep }) => {
        await sleep(HANDLER_MS);
        const bodies = recordsOf(event);
        if (bodies.some(isPoison)) throw new Error('this message of the deploy check fails');
        for (const body of bodies) this.received(body, functionArn);
      });
    }
    // A stack knows a new function only when it has created everything.
    for (const { id, resource } of located(this.aws, 'AWS::Lambda::Function')) {
      this.functionIds.set(arnOf(resource), id);
      this.noteArn(id, arnOf(resource));
    }
    this.noteGroups();
  }

  /** Notes for each queue which function receives from it, and where its messages die. */
  private noteGroups(): void {
    const queues = located(this.aws, 'AWS::SQS::Queue');
    const ids = new Map(queues.map(({ id, resource }) => [arnOf(resource), id]));
    for (const { lambda } of this.aws.whole.all) {
      for (const { configuration, target } of lambda.eventSourceMappings()) {
        this.noteTogether(ids.get(configuration.queueArn), this.functionIds.get(target.deployed.arn));
      }
    }
    for (const { id, resource } of queues) {
      const arn = arnOf(resource);
      const { sqs } = this.aws.services.at(arn);
      this.noteArn(id, arn);
      if (!sqs.queueByArn(arn)) continue;
      const asked = { QueueUrl: resource.ref, AttributeNames: ['RedrivePolicy' as const] };
      const { Attributes = {} } = sqs.call('GetQueueAttributes', sqs.owner, asked);
      const policy: unknown = JSON.parse(Attributes['RedrivePolicy'] ?? '{}');
      this.noteTogether(id, ids.get(isObject(policy) ? String(policy['deadLetterTargetArn']) : ''));
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
   * Stands for the consumers of queues without a mapping: they receive and delete what is there. A queue that had a mapping before the
   * update waits for its next one until the update is over.
   */
  private consume(): void {
    const mapped = new Set(
      this.aws.whole.all.flatMap(({ lambda }) => lambda.eventSourceMappings().map(it => it.configuration.queueArn)),
    );
    for (const arn of mapped) this.wasMapped.add(arn);
    const dead = new Set(this.deadLetterQueues().map(({ id }) => id));
    for (const { id, resource } of located(this.aws, 'AWS::SQS::Queue')) {
      const arn = arnOf(resource);
      const isThere = this.aws.services.at(arn).sqs.queueByArn(arn) !== undefined;
      const waits = !this.isUpdated && this.wasMapped.has(arn);
      if (mapped.has(arn) || dead.has(id) || !isThere || waits) continue;
      for (const { body } of this.aws.drain(arn)) this.received(body, id);
    }
  }

  private readEndpoints(): void {
    for (const { host } of this.aws.state().endpoints) {
      for (const { text, atMs } of this.aws.endpoint(host).requests) {
        this.received(text, host, (atMs - this.startMs) / 1000);
      }
    }
  }

  private deadLetterQueues(): readonly Located[] {
    const properties = this.aws.whole.all.flatMap(({ cloudFormation }) => cloudFormation.properties);
    const targets = new Set(properties.flatMap(it => deadLetterTargets(it)));
    return located(this.aws, 'AWS::SQS::Queue').filter(({ resource }) => targets.has(arnOf(resource)));
  }
}

/** Resources whose properties name the functions that they notify. */
const NOTIFYING = ['AWS::S3::Bucket', 'Custom::S3BucketNotifications'];

const arnOf = ({ attributes }: Located['resource']): string => attributes['Arn'] ?? '';

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

const DEAD_LETTER_MEMBERS = ['deadLetterTargetArn', 'DeadLetterConfig', 'OnFailure'];

/** The ARNs of dead-letter queues and of on-failure destinations anywhere in properties. */
function deadLetterTargets(value: unknown, key = ''): readonly string[] {
  if (typeof value === 'string' && DEAD_LETTER_MEMBERS.includes(key)) return [value];
  if (Array.isArray(value)) return value.flatMap(item => deadLetterTargets(item, key));
  if (!isObject(value)) return [];
  const isInside = key === 'DeadLetterConfig' || key === 'OnFailure';
  return Object.entries(value).flatMap(([name, member]) => deadLetterTargets(member, isInside ? key : name));
}

/** The bodies of the messages in an event of SQS or SNS, or of an event that Lambda passes on. */
function recordsOf(event: unknown): readonly string[] {
  const records = isObject(event) && Array.isArray(event['Records']) ? event['Records'] : [event];
  return records.map(record => JSON.stringify(isObject(record) ? (record['body'] ?? record['Sns'] ?? record) : record));
}
