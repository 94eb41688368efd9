import type { DeployedResource } from '../cloudformation';
import type { LocalAws } from '../facade/local-aws';
import { AwsError } from '../kernel/aws-error';
import { isObject } from '../kernel/json';

/** How a message of the traffic ended at one receiver. */
interface Receipt {
  count: number;
  /** Seconds from the send to the first receipt. */
  readonly afterSeconds: number;
}

/** What became of one message. */
export interface Fate {
  /** The construct path or `Stack/LogicalId` of the topic or queue that it was sent to. */
  readonly entry: string;
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
const POISON = 'deploy-check-poison';
/** These messages make every function fail: the first one ends in a dead-letter queue, others wait for retries. */
const POISON_AT: ReadonlySet<number> = new Set([-WARM_UP_SECONDS, -10, 15]);

interface Located {
  readonly id: string;
  readonly resource: DeployedResource;
}

/** Plays the same traffic through any version of an app: to each topic, and to each queue that no topic feeds. */
export class Traffic {
  readonly fates = new Map<string, Fate>();
  private readonly startMs: number;
  private isOver = false;
  /** For each queue: itself, the functions that received from it, and its dead-letter queues. */
  readonly groups = new Map<string, Set<string>>();
  /** By ARN. */
  private readonly functionIds = new Map<string, string>();

  constructor(private readonly aws: LocalAws) {
    this.startMs = aws.nowMs + WARM_UP_SECONDS * 1000;
  }

  /** Seconds since the update began. */
  get now(): number {
    return (this.aws.nowMs - this.startMs) / 1000;
  }

  /** Sends until the update begins. */
  async warmUp(): Promise<void> {
    for (const { id, resource } of this.deadLetterQueues()) this.send(`${id}#marker`, id, resource, 'marker');
    this.tick();
    await this.aws.advance({ seconds: WARM_UP_SECONDS });
  }

  /** Sends for a while after the update, waits until nothing moves, and looks at what the queues hold. */
  async finish(): Promise<void> {
    await this.aws.advance({ minutes: 2 });
    this.isOver = true;
    this.takeOverFunctions();
    await this.aws.advance({ minutes: 15 });
    // What fails without end is in flight most of the time: it returns to its queue when no function receives it.
    const { lambda } = this.aws.services;
    for (const { uuid: UUID } of lambda.eventSourceMappings()) {
      lambda.call('UpdateEventSourceMapping', lambda.owner, { UUID, Enabled: false });
    }
    await this.aws.advance({ minutes: 15 });
    const owned = new Map(this.of('AWS::SQS::Queue').map(({ id, resource }) => [resource.ref, id]));
    for (const { name } of this.aws.state().queues) {
      const key = [...owned].find(([ref]) => nameIn(ref) === name)?.[1] ?? name;
      for (const { body } of this.aws.drain(name)) this.fates.get(messageIn(body) ?? '')?.kept.add(key);
    }
    this.readEndpoints();
    this.nameFunctions();
  }

  private tick(): void {
    if (this.isOver) return;
    const { aws, now } = this;
    for (const { endpoint } of aws.state().pendingSubscriptions) aws.confirmSubscription(endpoint);
    this.takeOverFunctions();
    const second = Math.round(now);
    if ((second + CONSUMER_SECONDS / 2) % CONSUMER_SECONDS === 0) this.consume();
    const kind = POISON_AT.has(second) ? POISON : 'message';
    if (second === -WARM_UP_SECONDS || second >= -60) {
      for (const { id, resource } of this.entries()) this.send(`${id}#${second}`, id, resource, kind);
    }
    aws.timeline.after(INTERVAL_SECONDS * 1000, () => this.tick());
  }

  private send(key: string, entry: string, { type, ref, attributes }: DeployedResource, kind: string): void {
    const fate: Fate = { entry, sentAt: this.now, received: new Map(), kept: new Set() };
    this.fates.set(key, fate);
    const text = JSON.stringify({ deployCheck: key, kind });
    const services = this.aws.services.at(type === 'AWS::SNS::Topic' ? ref : attributes['Arn']);
    const isFifo = ref.endsWith('.fifo');
    const fifo = { MessageGroupId: 'deploy-check', MessageDeduplicationId: String(this.fates.size) };
    try {
      if (type === 'AWS::SNS::Topic') {
        services.sns.call('Publish', services.sns.owner, { TopicArn: ref, Message: text, ...(isFifo && fifo) });
      } else {
        const message = { QueueUrl: ref, MessageBody: text, ...(isFifo && fifo) };
        services.sqs.call('SendMessage', services.sqs.owner, message);
      }
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      fate.refused = error.message;
    }
  }

  private received(body: string, receiver: string): void {
    const fate = this.fates.get(messageIn(body) ?? '');
    const known = fate?.received.get(receiver);
    if (known) known.count += 1;
    else fate?.received.set(receiver, { count: 1, afterSeconds: this.now - fate.sentAt });
  }

  /** Functions that receive messages run our handler, so that the check depends on nothing that the app calls. */
  private takeOverFunctions(): void {
    const { lambda, sns } = this.aws.services;
    const mapped = lambda.eventSourceMappings().map(({ target }) => target.deployed.arn);
    const endpoints = sns.subscriptions().map(({ endpoint }) => endpoint);
    const isReceiver = (arn: string) => [...mapped, ...endpoints].some(it => it === arn || it.startsWith(`${arn}:`));
    for (const { functionArn } of lambda.functions().filter(it => isReceiver(it.functionArn))) {
      this.aws.function(functionArn).handle(async (event, { sleep }) => {
        await sleep(HANDLER_MS);
        const bodies = recordsOf(event);
        if (bodies.some(body => body.includes(POISON))) throw new Error('this message of the deploy check fails');
        for (const body of bodies) this.received(body, functionArn);
      });
    }
    // A stack knows a new function only when it has created everything.
    for (const { id, resource } of this.of('AWS::Lambda::Function')) {
      this.functionIds.set(resource.attributes['Arn'] ?? '', id);
    }
    this.noteGroups();
  }

  /** Notes for each queue which function receives from it, and where its messages die. */
  private noteGroups(): void {
    const queues = this.of('AWS::SQS::Queue');
    const ids = new Map(queues.map(({ id, resource }) => [resource.attributes['Arn'] ?? '', id]));
    const { lambda, sqs } = this.aws.services;
    for (const { configuration, target } of lambda.eventSourceMappings()) {
      const functionId = this.functionIds.get(target.deployed.arn);
      this.noteTogether(ids.get(configuration.queueArn), functionId);
    }
    for (const { id, resource } of queues.filter(({ resource: { attributes } }) =>
      sqs.queueByArn(attributes['Arn'] ?? ''),
    )) {
      const asked = { QueueUrl: resource.ref, AttributeNames: ['RedrivePolicy' as const] };
      const { Attributes = {} } = sqs.call('GetQueueAttributes', sqs.owner, asked);
      const policy: unknown = JSON.parse(Attributes['RedrivePolicy'] ?? '{}');
      this.noteTogether(id, ids.get(isObject(policy) ? String(policy['deadLetterTargetArn']) : ''));
    }
  }

  private noteTogether(queueId: string | undefined, other: string | undefined): void {
    if (queueId === undefined) return;
    const group = this.groups.get(queueId) ?? new Set([queueId]);
    if (other !== undefined) group.add(other);
    this.groups.set(queueId, group);
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

  /** Stands for the consumers of queues without a mapping: they receive and delete what is there. */
  private consume(): void {
    const mapped = new Set(this.aws.services.lambda.eventSourceMappings().map(it => it.configuration.queueArn));
    const dead = new Set(this.deadLetterQueues().map(({ id }) => id));
    for (const { id, resource } of this.of('AWS::SQS::Queue')) {
      const arn = resource.attributes['Arn'] ?? '';
      const isThere = this.aws.services.at(arn).sqs.queueByArn(arn) !== undefined;
      if (mapped.has(arn) || dead.has(id) || !isThere) continue;
      for (const { body } of this.aws.drain(arn)) this.received(body, id);
    }
  }

  private readEndpoints(): void {
    for (const { host } of this.aws.state().endpoints) {
      for (const { text, atMs } of this.aws.endpoint(host).requests) {
        const fate = this.fates.get(messageIn(text) ?? '');
        const known = fate?.received.get(host);
        if (known) known.count += 1;
        else fate?.received.set(host, { count: 1, afterSeconds: (atMs - this.startMs) / 1000 - fate.sentAt });
      }
    }
  }

  private entries(): readonly Located[] {
    const topics = this.of('AWS::SNS::Topic');
    const fed = new Set(this.aws.services.sns.subscriptions().map(({ endpoint }) => endpoint));
    const dead = new Set(this.deadLetterQueues().map(({ id }) => id));
    const queues = this.of('AWS::SQS::Queue').filter(
      ({ id, resource }) => !dead.has(id) && !fed.has(resource.attributes['Arn'] ?? ''),
    );
    return [...topics, ...queues];
  }

  private deadLetterQueues(): readonly Located[] {
    const targets = new Set(this.aws.services.cloudFormation.properties.flatMap(it => deadLetterTargets(it)));
    return this.of('AWS::SQS::Queue').filter(({ resource }) => targets.has(resource.attributes['Arn'] ?? ''));
  }

  private of(type: string): readonly Located[] {
    return this.aws.stacks.flatMap(({ name, resources }) =>
      [...resources]
        .filter(([, resource]) => resource.type === type)
        .map(([logicalId, resource]) => ({ id: resource.path ?? `${name}/${logicalId}`, resource })),
    );
  }
}

const nameIn = (url: string): string => url.slice(url.lastIndexOf('/') + 1);

/** The ARNs of dead-letter queues and of on-failure destinations anywhere in properties. */
function deadLetterTargets(value: unknown, key = ''): readonly string[] {
  if (typeof value === 'string' && ['deadLetterTargetArn', 'DeadLetterConfig', 'OnFailure'].includes(key))
    return [value];
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

/** The key of a message of the traffic, wherever it stands in a body: raw, in an envelope, or in a record of a failure. */
function messageIn(body: string): string | undefined {
  return /deployCheck[\\]*":[\\]*"([^"\\]+)/.exec(body)?.[1];
}
