import { SQSClient } from '@aws-sdk/client-sqs';
import { missingPermissions, type Question } from '../../../account/connection/unread-calls';
import { AccountReader } from '../../../account/inventory/account-reader';
import { readAlarms } from '../../../account/inventory/alarms';
import { listOf, messagesOf, type QueueList } from '../../../account/inventory/dead-letter-queues';
import { type QueueHistory, readArrivals, readHistories } from '../../../account/inventory/queue-history';
import { readInventory } from '../../../account/inventory/read-inventory';
import { checkInventory } from '../../../diagnosis/checks/check-inventory';
import type { Finding } from '../../../diagnosis/checks/finding';
import type { AlarmFacts, Inventory, QueueFacts } from '../../../diagnosis/inventory/inventory';
import { readQueueDepth } from '../../../mover/aws/resource-state';
import type { QueueDepth } from '../../../policy/redrive/redrive-facts';
import { MINUTE_MS } from '../../../policy/time-units';
import { knownValue } from '../../../template/maybe-known';
import type { ConsoleSource } from '../source';

export interface Structure {
  readonly inventory: Inventory;
  readonly findings: readonly Finding[];
  /** The permissions without which something could not be read. */
  readonly missing: readonly string[];
  readonly readAtMs: number;
}

export interface Levels {
  readonly depths: ReadonlyMap<string, QueueDepth>;
  readonly alarms: readonly AlarmFacts[];
  readonly list: QueueList;
  /** By queue name. */
  readonly arrivals: ReadonlyMap<string, readonly number[]>;
  readonly readAtMs: number;
}

/** How often the console reads, in milliseconds of real time. */
export interface ReadingPace {
  readonly structureMs: number;
  /** The shortest time between two reads of the numbers. */
  readonly levelsMs: number;
  /** CloudWatch has one value a minute, and charges for each. */
  readonly metricsMs: number;
  /** How many requests a minute the numbers may cost. A large account is read less often. */
  readonly requestsPerMinute: number;
}

const DEPTH: Question = {
  action: 'sqs:GetQueueAttributes',
  of: ['queue', 'queues'],
  tells: 'the number of messages',
};

const ARRIVALS: Question = { action: 'cloudwatch:GetMetricData', tells: 'the arrivals in the queues' };

/** Reads the current depths of queues. Queues that were deleted meanwhile are left out. */
function withDepths(reader: AccountReader, queues: readonly QueueFacts[]): Promise<readonly QueueFacts[]> {
  const sqs = reader.aws.client(SQSClient);
  return reader.each(queues, async queue => {
    const { name, url = '' } = queue;
    return { ...queue, depth: await reader.ask(DEPTH, name, () => readQueueDepth(sqs, url)) };
  });
}

/** How long the last structure and history are valid. */
interface Kept<T> {
  readonly value: T;
  readonly atMs: number;
}

/** Reads the account for every page of the console at once, and only while a page asks. */
export class AccountModel {
  private structure: Kept<Promise<Structure>> | undefined;
  private levels: Kept<Promise<Levels>> | undefined;
  private histories: Kept<ReadonlyMap<string, QueueHistory>> | undefined;
  private arrivals: Kept<ReadonlyMap<string, readonly number[]>> | undefined;
  private lastStructure: Structure | undefined;
  private lastLevels: Levels | undefined;

  /** @param machineMs the machine's clock */
  constructor(
    private readonly source: ConsoleSource,
    private readonly pace: ReadingPace,
    private readonly machineMs: () => number,
  ) {}

  /** What was read last, if anything. */
  get last(): { readonly structure?: Structure | undefined; readonly levels?: Levels | undefined } {
    return { structure: this.lastStructure, levels: this.lastLevels };
  }

  /** The time between two reads of the numbers. A read costs two requests for each dead-letter queue. */
  get levelsEveryMs(): number {
    const { levelsMs, requestsPerMinute } = this.pace;
    const { inventory } = this.lastStructure ?? {};
    const requests = inventory ? inventory.queues.length + (this.lastLevels?.list.queues.length ?? 0) : 0;
    return Math.max(levelsMs, (requests * MINUTE_MS) / requestsPerMinute);
  }

  /** Forgets what was read, so that the next read asks AWS again. */
  forget(): void {
    this.structure = undefined;
    this.levels = undefined;
    this.histories = undefined;
    this.arrivals = undefined;
  }

  readStructure(): Promise<Structure> {
    const kept = this.fresh(this.structure, this.pace.structureMs);
    if (kept) return kept;
    const value = this.newStructure();
    this.structure = { value, atMs: this.machineMs() };
    value.catch(() => {
      if (this.structure?.value === value) this.structure = undefined;
    });
    return value;
  }

  readLevels(): Promise<Levels> {
    const kept = this.fresh(this.levels, this.levelsEveryMs);
    if (kept) return kept;
    const value = this.newLevels();
    this.levels = { value, atMs: this.machineMs() };
    value.catch(() => {
      if (this.levels?.value === value) this.levels = undefined;
    });
    return value;
  }

  private fresh<T>(kept: Kept<T> | undefined, forMs: number): T | undefined {
    return kept && this.machineMs() - kept.atMs < forMs ? kept.value : undefined;
  }

  private async newStructure(): Promise<Structure> {
    const read = await this.source.use(async aws => {
      const inventory = await readInventory(aws, { purpose: 'checks' });
      return { inventory, missing: missingPermissions(aws.unread.all) };
    });
    const readAtMs = await this.source.nowMs();
    this.lastStructure = { ...read, findings: checkInventory(read.inventory), readAtMs };
    return this.lastStructure;
  }

  private async newLevels(): Promise<Levels> {
    const { inventory, findings } = await this.readStructure();
    const nowMs = await this.source.nowMs();
    this.lastLevels = await this.source.use(async aws => {
      const reader = new AccountReader(aws);
      const [queues, alarms] = await Promise.all([withDepths(reader, inventory.queues), readAlarms(reader)]);
      const list = await listOf(aws, {
        inventory: { ...inventory, queues },
        findings,
        nowMs: () => nowMs,
        histories: (_, names) => this.historiesOf(names, nowMs),
      });
      const holding = list.queues.filter(it => messagesOf(it) > 0).map(({ name }) => name);
      const arrivals = await aws.unread.read(ARRIVALS, undefined, () => this.arrivalsOf(holding, nowMs));
      const depths = queues.flatMap(({ arn, depth }) => {
        const known = depth && knownValue(depth);
        return known ? [[arn, known] as const] : [];
      });
      return { depths: new Map(depths), alarms, list, arrivals: knownValue(arrivals) ?? new Map(), readAtMs: nowMs };
    });
    return this.lastLevels;
  }

  /** Reads the histories again when they are old, or a queue holds messages that did not before. */
  private async historiesOf(names: readonly string[], nowMs: number): Promise<ReadonlyMap<string, QueueHistory>> {
    const kept = this.fresh(this.histories, this.pace.metricsMs);
    if (kept && names.every(name => kept.has(name))) return kept;
    const read = await this.source.use(aws => readHistories(aws, names, nowMs));
    this.histories = { value: read, atMs: this.machineMs() };
    return read;
  }

  private async arrivalsOf(names: readonly string[], nowMs: number): Promise<Levels['arrivals']> {
    const kept = this.fresh(this.arrivals, this.pace.metricsMs);
    if (kept && names.every(name => kept.has(name))) return kept;
    const read = await this.source.use(aws => readArrivals(aws, names, nowMs));
    this.arrivals = { value: read, atMs: this.machineMs() };
    return read;
  }
}
