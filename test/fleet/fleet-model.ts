import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { toItem } from '../../fleet/attribute-values';
import type { DynamoDbCalls } from '../../fleet/aws-calls';
import { deliveryId } from '../../fleet/delivery-id';
import { DynamoDbTable } from '../../fleet/dynamodb-table';
import { Endpoints } from '../../fleet/endpoints';
import { FleetStore } from '../../fleet/fleet-store';
import { delivererHandler } from '../../lambda/fleet/deliverer';
import { dispatcherHandler } from '../../lambda/fleet/dispatcher';
import { ParkedCounts } from '../../lambda/fleet/parked-counts';
import type { FleetNotice, FleetPorts } from '../../lambda/fleet/ports';
import { proberHandler } from '../../lambda/fleet/prober';
import { fleetQueues } from '../../lambda/fleet/queues';
import { Unrecorded } from '../../lambda/fleet/unrecorded';
import { TimeoutError } from '../../lambda/shared/connections';
import type { HttpAnswer, NoAnswer } from '../../lambda/shared/http-send';
import { delivererSeconds } from '../../lib/fleet/fleet-checks';
import { DISPATCHER_SECONDS, INDEX_ACTIONS, PROBER_SECONDS, TABLE_ACTIONS } from '../../lib/fleet/fleet-functions';
import { Random } from '../../local/kernel/random';
import { Timeline } from '../../local/kernel/timeline';
import { addressGuards } from '../../policy/address-guard';
import { type EndpointName, groupOf } from '../../policy/fleet/endpoint';
import { type EndpointItem, itemKeys } from '../../policy/fleet/fleet-items';
import { messageText } from '../../policy/fleet/fleet-messages';
import type { FleetSettings } from '../../policy/fleet/fleet-settings';
import { START_MS } from '../local/small-account';
import { endpointItem } from './fleet-account';
import { SETTINGS } from './fleet-settings';
import { ModelAws, type ModelService, named } from './model-aws';

/** What happens to a call of a function to AWS. */
export type CallFault =
  /** AWS refuses it. */
  | 'throttle'
  /** A batch is carried out in part. Any other call is refused. */
  | 'partial'
  /** AWS carries it out, and the answer is lost. */
  | 'lost-answer'
  /** The function dies before the call, or after it. */
  | 'crash-before'
  | 'crash-after';

/** How an endpoint answers a request now. */
export interface Answer {
  readonly status: number;
  readonly latencyMs: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FleetModelOptions {
  readonly seed: number;
  readonly settings?: Partial<FleetSettings>;
  /** Of the deliverer. @default 10 */
  readonly concurrency?: number;
  /** How many probers run at once. @default 1 */
  readonly probers?: number;
  /** @default true */
  readonly isFair?: boolean;
  /** @default - 200 after 200 ms */
  readonly answer?: (group: string, nowMs: number) => Answer;
  /** @default - no faults */
  readonly fault?: (call: string, random: Random) => CallFault | undefined;
  /** How long a call takes in addition. @default 0 */
  readonly slowMs?: (call: string) => number;
  /** How far the clock of a container is ahead: that of `prober 0`, `deliverer 0` and so on. @default 0 */
  readonly aheadMs?: (container: string, atMs: number) => number;
}

/** A request that an endpoint got. */
export interface ModelRequest {
  readonly atMs: number;
  readonly group: string;
  readonly id: string;
  readonly isTaken: boolean;
}

const NEVER = new Promise<never>(() => {});

/** A call of a function takes that long. */
const CALL_MS = 4;

const TIMEOUT_MS = {
  dispatcher: DISPATCHER_SECONDS * 1_000,
  deliverer: delivererSeconds({}) * 1_000,
  prober: PROBER_SECONDS * 1_000,
} as const;

type FunctionName = keyof typeof TIMEOUT_MS;

/** The role of each function. */
const ROLES = { dispatcher: 'Dispatcher', deliverer: 'Deliverer', prober: 'Prober' } as const;

/** One invocation. It calls AWS until it dies. */
interface Invocation {
  /** @default - it may make every call */
  readonly name?: FunctionName | undefined;
  isDead: boolean;
  hasEnded: boolean;
  readonly endsAtMs: number;
  /** By the clock of its container. */
  readonly nowMs: () => number;
}

/**
 * The functions of a fleet on the embedded SQS and DynamoDB, without threads and without the wire: some hundred times as fast as the deployed
 * bundles. Faults are harder than real ones, because nothing repeats a failed call but the functions themselves.
 */
export class FleetModel {
  readonly timeline = new Timeline(START_MS);
  readonly notices: FleetNotice[] = [];
  readonly requests: ModelRequest[] = [];
  private readonly log: (object | string)[] = [];
  private readonly parkedCounts = new ParkedCounts();
  private readonly unrecorded = new Unrecorded(SETTINGS.health);
  private readonly random: Random;
  private readonly aws: ModelAws;
  private readonly settings: FleetSettings;
  private readonly known = new Map<string, EndpointItem>();
  private readonly sentAtMs = new Map<string, number>();
  private readonly groupOfDelivery = new Map<string, string>();
  /** Deliveries that were in the queue or in the table. */
  private readonly dispatched = new Set<string>();
  private readonly dead = new Map<string, string>();
  /** The age of each dead letter, from its event, in milliseconds. */
  readonly deadAfterMs: number[] = [];
  private faulting = true;
  private events = 0;

  constructor(private readonly options: FleetModelOptions) {
    this.random = new Random(`fleet ${options.seed}`);
    const { timeline } = this;
    this.aws = new ModelAws(timeline, this.random, options.isFair ?? true, (action, input) => {
      if (options.fault) this.note(action, input);
    });
    const { urls } = this.aws;
    this.settings = {
      ...SETTINGS,
      eventsQueueUrl: urls.events,
      deliveriesQueueUrl: urls.deliveries,
      deadLetterQueueUrl: urls.dead,
      ...options.settings,
    };
    // Every promise goes on before time does.
    timeline.awaiting(NEVER);
    this.poll('dispatcher', this.aws.urls.events, 10);
    this.poll('deliverer', this.aws.urls.deliveries, options.concurrency ?? 10);
    this.everyMinute(START_MS + 60_000);
  }

  get nowMs(): number {
    return this.timeline.nowMs;
  }

  async advance(ms: number): Promise<void> {
    await this.timeline.advanceTo(this.nowMs + ms);
  }

  /** Ends all faults. */
  heal(): void {
    this.faulting = false;
  }

  add(group: string, more: Partial<EndpointItem> = {}): void {
    const [tenant = '', endpoint = ''] = group.split('/');
    const name: EndpointName = { tenant, endpoint };
    const own = { url: `https://webhooks.example/${group}`, types: ['paid'], createdAtMs: this.nowMs };
    const item = endpointItem(name, { ...own, ...more });
    this.known.set(group, item);
    this.byTenant.clear();
    this.removed.delete(group);
    this.put(item);
    const { createdAtMs, filter } = item;
    for (const type of item.types) this.put({ ...itemKeys.match(name, type), createdAtMs, ...(filter && { filter }) });
  }

  remove(group: string): void {
    const item = this.known.get(group);
    if (!item) throw new Error(`there is no endpoint ${group}`);
    this.byTenant.clear();
    this.removed.add(group);
    const endpoints = new Endpoints(new DynamoDbTable(this.dynamoDbCalls(undefined), 'fleet', ms => this.wait(ms)));
    void endpoints.remove(item, this.nowMs);
  }

  private readonly removed = new Set<string>();

  private put(item: object): void {
    this.aws.dynamoDb.call('PutItem', this.aws.dynamoDb.owner, { TableName: 'fleet', Item: toItem(item) });
  }

  /** Sends an event to a tenant. */
  event(tenant: string, more: object = {}): void {
    this.events += 1;
    const event = { id: `event-${this.events}`, tenant, type: 'paid', data: `{"number":${this.events}}`, ...more };
    for (const item of this.endpointsOf(tenant, event.type)) {
      const id = deliveryId(this.settings.fleetName, event.id, item);
      this.sentAtMs.set(id, this.nowMs);
      this.groupOfDelivery.set(id, groupOf(item));
    }
    this.aws.sqs.call('SendMessage', this.aws.sqs.owner, {
      QueueUrl: this.aws.urls.events,
      MessageBody: messageText(event),
    });
  }

  private readonly byTenant = new Map<string, EndpointItem[]>();

  private endpointsOf(tenant: string, type: string): readonly EndpointItem[] {
    const cached = this.byTenant.get(tenant) ?? [...this.known.values()].filter(it => it.tenant === tenant);
    this.byTenant.set(tenant, cached);
    return cached.filter(it => it.types.includes(type) && !this.removed.has(groupOf(it)));
  }

  /** What became of the deliveries. An event that found its endpoint removed made none. */
  ledger() {
    const delivered = new Set(this.requests.flatMap(({ id, isTaken }) => (isTaken ? [id] : [])));
    this.collectDead();
    const parked = this.parked();
    const counts = { due: 0, delivered: 0, dead: 0, parked: 0, queued: this.queued, lost: 0 };
    for (const id of this.sentAtMs.keys()) {
      if (this.removed.has(this.groupOfDelivery.get(id) ?? '') && !this.dispatched.has(id)) continue;
      counts.due += 1;
      if (delivered.has(id)) counts.delivered += 1;
      else if (this.dead.has(id)) counts.dead += 1;
      else if (parked.has(id)) counts.parked += 1;
      else counts.lost += 1;
    }
    return counts;
  }

  /** Runs due work until a promise of the test settles. */
  onTime<T>(promise: Promise<T>): Promise<T> {
    return this.timeline.runUntilSettled(promise);
  }

  /** All parked deliveries, at this instant. */
  private parked(): ReadonlySet<string> {
    const parked = new Set<string>();
    let ExclusiveStartKey: Record<string, AttributeValue> | undefined;
    do {
      const start = ExclusiveStartKey && { ExclusiveStartKey };
      const page = this.aws.dynamoDb.call('Scan', this.aws.dynamoDb.owner, { TableName: 'fleet', ...start });
      for (const { pk, deliveryId: id } of page.Items ?? []) if (pk?.S?.startsWith('P#')) parked.add(id?.S ?? '');
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey);
    return parked;
  }

  /** Advances to an instant at which no message is in a queue: the prober sends some each minute. */
  async untilQuiet(): Promise<void> {
    for (let second = 0; second < 600 && this.queued > 0; second += 1) await this.advance(1_000);
  }

  /** Delays from the event to the request that delivered it, in milliseconds, sorted. */
  delaysMs(isOf: (group: string) => boolean): readonly number[] {
    const firsts = new Map<string, number>();
    for (const { id, isTaken, atMs, group } of this.requests) {
      if (isTaken && isOf(group) && !firsts.has(id)) firsts.set(id, atMs - (this.sentAtMs.get(id) ?? atMs));
    }
    return [...firsts.values()].sort((one, other) => one - other);
  }

  get causes(): Readonly<Record<string, number>> {
    const causes: Record<string, number> = {};
    for (const cause of this.dead.values()) causes[cause] = (causes[cause] ?? 0) + 1;
    return causes;
  }

  /** Dead letters that do not say why. */
  get withoutReason(): readonly string[] {
    return [...this.dead].filter(([, cause]) => cause === 'unknown').map(([id]) => id);
  }

  /** What a function printed about an error of its own, other than about calls that failed. */
  get bugs(): readonly (object | string)[] {
    return this.log.filter(line => {
      if (!(line instanceof Error || 'stack' in Object(line))) return false;
      return !/a fault of the test|was changed/.test(line instanceof Error ? line.message : JSON.stringify(line));
    });
  }

  private get queued(): number {
    const depths = [this.aws.urls.events, this.aws.urls.deliveries].map(QueueUrl => {
      const { Attributes = {} } = this.aws.sqs.call('GetQueueAttributes', this.aws.sqs.owner, {
        QueueUrl,
        AttributeNames: ['All'],
      });
      const names = [
        'ApproximateNumberOfMessages',
        'ApproximateNumberOfMessagesNotVisible',
        'ApproximateNumberOfMessagesDelayed',
      ] as const;
      return names.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
    });
    return depths.reduce((sum, depth) => sum + depth, 0);
  }

  private collectDead(): void {
    const { sqs } = this.aws;
    const ask = {
      QueueUrl: this.aws.urls.dead,
      MaxNumberOfMessages: 10,
      MessageAttributeNames: ['All'],
      WaitTimeSeconds: 0,
    };
    for (;;) {
      const answer = sqs.call('ReceiveMessage', sqs.owner, ask);
      if (answer instanceof Promise || !answer.Messages || answer.Messages.length === 0) return;
      for (const { Body = '', ReceiptHandle = '', MessageAttributes = {} } of answer.Messages) {
        const { id = Body }: { id?: string } = JSON.parse(Body);
        const textOf = (name: string) => MessageAttributes[name]?.StringValue ?? 'unknown';
        this.dead.set(id, textOf('DeadLetterCause'));
        this.deadAfterMs.push(Date.parse(textOf('DeadLetteredAt')) - (this.sentAtMs.get(id) ?? 0));
        sqs.call('DeleteMessage', sqs.owner, { QueueUrl: this.aws.urls.dead, ReceiptHandle });
      }
    }
  }

  private wait(ms: number): Promise<void> {
    return new Promise(resolve => {
      this.timeline.after(ms, resolve);
    });
  }

  /** A poller for each concurrent execution, as those of Lambda's event source mapping. */
  private poll(name: 'dispatcher' | 'deliverer', QueueUrl: string, pollers: number): void {
    const { sqs } = this.aws;
    const ask = {
      QueueUrl,
      MaxNumberOfMessages: 10,
      MessageSystemAttributeNames: ['All' as const],
      WaitTimeSeconds: 20,
    };
    const forEver = async (container: string) => {
      for (;;) {
        const { Messages = [] } = await sqs.call('ReceiveMessage', sqs.owner, ask);
        if (Messages.length === 0) continue;
        const Records = Messages.map(({ MessageId = '', ReceiptHandle = '', Body = '', Attributes = {} }) => {
          return {
            messageId: MessageId,
            receiptHandle: ReceiptHandle,
            body: Body,
            attributes: Attributes,
          } as unknown as SQSEvent['Records'][number];
        });
        const answer = await this.invoke(name, { Records }, container);
        if (!answer) continue;
        const failed = new Set(answer.batchItemFailures.map(it => it.itemIdentifier));
        for (const { messageId, receiptHandle: ReceiptHandle } of Records) {
          if (!failed.has(messageId)) sqs.call('DeleteMessage', sqs.owner, { QueueUrl, ReceiptHandle });
        }
      }
    };
    for (let poller = 0; poller < pollers; poller += 1) void forEver(`${name} ${poller}`);
  }

  private everyMinute(atMs: number): void {
    this.timeline.inBackground(atMs, () => {
      for (let prober = 0; prober < (this.options.probers ?? 1); prober += 1) {
        void this.invoke('prober', { Records: [] }, `prober ${prober}`);
      }
      this.everyMinute(atMs + 60_000);
    });
  }

  /** @returns undefined if the function died or timed out */
  private async invoke(name: FunctionName, event: SQSEvent, container: string): Promise<SQSBatchResponse | undefined> {
    const { aheadMs = () => 0 } = this.options;
    const nowMs = () => this.nowMs + aheadMs(container, this.nowMs);
    const endsAtMs = this.nowMs + TIMEOUT_MS[name];
    const invocation: Invocation = { name, isDead: false, hasEnded: false, endsAtMs, nowMs };
    // As Lambda's runtime does: the end is by Lambda's clock.
    const context = { getRemainingTimeInMillis: () => invocation.endsAtMs - nowMs(), awsRequestId: 'a request' };
    const died = new Promise<undefined>(resolve => {
      const check = () => {
        if (invocation.isDead || this.nowMs >= invocation.endsAtMs) {
          invocation.isDead = true;
          resolve(undefined);
        } else if (!invocation.hasEnded) this.timeline.after(1_000, check);
      };
      check();
    });
    const ports = this.portsOf(invocation);
    const answer =
      name === 'dispatcher'
        ? dispatcherHandler(ports)(event, context)
        : name === 'deliverer'
          ? delivererHandler(ports)(event, context)
          : proberHandler(ports)(event, context).then(() => ({ batchItemFailures: [] }));
    // A handler that throws fails its whole batch, as one that dies.
    const ended = answer.catch(error => {
      this.log.push(error);
      return undefined;
    });
    const result = await Promise.race([ended, died]);
    invocation.hasEnded = true;
    return result;
  }

  /** The ports of a function, by default one that may do everything, with some calls of the table replaced. */
  portsWith(table: Partial<FleetPorts['table']>, name?: FunctionName) {
    const nowMs = () => this.nowMs;
    const ports = this.portsOf({ name, isDead: false, hasEnded: false, endsAtMs: Number.POSITIVE_INFINITY, nowMs });
    return { ...ports, table: Object.assign(ports.table, table) };
  }

  private portsOf(invocation: Invocation) {
    const { settings } = this;
    const { nowMs } = invocation;
    const print: FleetPorts['print'] = line => {
      // Lines with a stack: others are about what a scenario does on purpose.
      if (typeof line !== 'string' && 'stack' in line) this.log.push(line);
    };
    const client = {
      send: (command: { readonly constructor: { readonly name: string }; readonly input: object }) =>
        this.call('sqs', command.constructor.name.replace('Command', ''), command.input, invocation),
    };
    const wait = (ms: number) => this.wait(ms);
    return {
      settings,
      table: new FleetStore(new DynamoDbTable(this.dynamoDbCalls(invocation), 'fleet', wait)),
      queues: fleetQueues(client as unknown as SQSClient, settings, { nowMs, print }),
      nowMs,
      wait,
      chance: () => this.random.fraction(),
      print,
      timer: (ms: number, then: () => void) => {
        const scheduled = this.timeline.after(ms, then);
        return () => scheduled.cancel();
      },
      readSecrets: async () => ({ kind: 'secrets', secrets: [] }) as const,
      accessTokenOf: () => undefined,
      guards: addressGuards([]),
      send: (_: string, url: URL, headers: Readonly<Record<string, string>>) => this.request(url, headers, invocation),
      parkedCounts: this.parkedCounts,
      unrecorded: this.unrecorded,
      publishNotice: async (notice: FleetNotice) => {
        await this.call('sns', 'Publish', notice, invocation);
        this.notices.push(notice);
      },
    };
  }

  private async request(
    { pathname }: URL,
    headers: Readonly<Record<string, string>>,
    invocation: Invocation,
  ): Promise<HttpAnswer | NoAnswer> {
    if (invocation.isDead) return NEVER;
    const group = pathname.slice(1);
    const atMs = this.nowMs;
    const answer = this.options.answer?.(group, atMs) ?? { status: 200, latencyMs: 200 };
    const { totalTimeoutMs } = this.settings;
    const isInTime = answer.latencyMs < totalTimeoutMs;
    this.requests.push({ atMs, group, id: headers['webhook-id'] ?? '', isTaken: isInTime && answer.status < 300 });
    await this.wait(Math.min(answer.latencyMs, totalTimeoutMs));
    if (invocation.isDead) return NEVER;
    if (!isInTime) return { kind: 'unanswered', failure: 'timeout', cause: new TimeoutError('nothing'), requests: 1 };
    return { kind: 'answered', statusCode: answer.status, headers: answer.headers ?? {}, body: '', requests: 1 };
  }

  private dynamoDbCalls(invocation: Invocation | undefined): DynamoDbCalls {
    const call = (action: string) => (input: object) => this.call('dynamodb', action, input, invocation);
    const calls: Record<keyof DynamoDbCalls, (input: object) => Promise<unknown>> = {
      getItem: call('GetItem'),
      putItem: call('PutItem'),
      updateItem: call('UpdateItem'),
      deleteItem: call('DeleteItem'),
      query: call('Query'),
      scan: call('Scan'),
      batchGetItem: call('BatchGetItem'),
      batchWriteItem: call('BatchWriteItem'),
      transactWriteItems: call('TransactWriteItems'),
    };
    return calls as unknown as DynamoDbCalls;
  }

  /** One call of a function, or of the test itself. */
  private async call(service: ModelService, action: string, input: object, invocation?: Invocation) {
    if (invocation?.isDead) return NEVER;
    const fault = invocation && this.faulting ? this.options.fault?.(`${service}:${action}`, this.random) : undefined;
    await this.wait(CALL_MS + (this.options.slowMs?.(`${service}:${action}`) ?? 0));
    if (invocation?.isDead) return NEVER;
    if (fault === 'crash-before') return die(invocation);
    const role = invocation?.name && ROLES[invocation.name];
    const actions: Partial<Record<string, readonly string[]>> = 'IndexName' in input ? INDEX_ACTIONS : TABLE_ACTIONS;
    if (service === 'dynamodb' && role && !actions[role]?.includes(`dynamodb:${action}`)) {
      throw named('AccessDeniedException', `the ${invocation?.name} has no permission for ${action}`);
    }
    if (fault === 'throttle') throw named('ThrottlingException', 'a fault of the test');
    const answer =
      fault === 'partial' ? this.aws.partial(service, action, input) : this.aws.run(service, action, input);
    if (fault === 'crash-after') return die(invocation);
    if (fault === 'lost-answer') throw named('TimeoutError', 'a fault of the test');
    return answer;
  }

  private note(action: string, input: object): void {
    const bodies =
      action === 'SendMessageBatch' && 'Entries' in input && Array.isArray(input.Entries) ? input.Entries : [];
    for (const { MessageBody } of bodies) this.dispatched.add(JSON.parse(MessageBody).id);
    const { deliveryId: parked } = 'Item' in input ? Object(input.Item) : {};
    if (parked) this.dispatched.add(parked.S);
  }
}

function die(invocation: Invocation | undefined): Promise<never> {
  if (invocation) invocation.isDead = true;
  return NEVER;
}
