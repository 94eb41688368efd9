import { ListQueueTagsCommand, SQSClient, TagQueueCommand, UntagQueueCommand } from '@aws-sdk/client-sqs';
import { awsFailureOf, isNotFound, isTransient } from '../../mover/aws/aws-calls';
import type { NowMs, Wait } from '../../mover/aws/clock';
import { formatInstant, isoInstant } from '../../policy/instants';
import { MINUTE_MS } from '../../policy/time-units';
import type { Connection } from '../connection/connection';
import { messageOf } from '../errors';
import type { NamedQueue } from '../messages/named-queue';
import { audited } from './audit-record';

/** The tag of a queue that says which command changes it. */
export const LEASE_TAG = 'dead-letter-office:lease';

/** How long a lease is valid after it was written. A killed command keeps others away for this long. */
const LEASE_MS = 5 * MINUTE_MS;

/** A lease is written again when it is so old. */
const RENEWED_AFTER_MS = MINUTE_MS;

/**
 * Between writing a lease and reading it again. Two commands that begin at once read the same tag then, and only one of them
 * finds its own.
 */
const SETTLE_MS = 2_000;

export interface LeasePorts {
  readonly nowMs: NowMs;
  readonly wait: Wait;
  readonly newId: () => string;
  /** Prints a note. The command continues. */
  readonly warn: (text: string) => void;
}

interface LeaseOrder {
  readonly queue: Pick<NamedQueue, 'url' | 'name'>;
  /** Such as `dlq redrive`. */
  readonly command: string;
  /** Whether to take over the lease of another command. */
  readonly steals: boolean;
  /** The longest time in which the command does not wait. @default - a moment */
  readonly longestCallMs?: number;
}

export interface HeldLease {
  /** Waits, and renews the lease before if it is time. Use it in place of the other. */
  readonly wait: Wait;
  /** Whether another command has taken the lease over: then this one must end. */
  readonly isLost: () => boolean;
}

/** The value of the tag. */
interface Lease {
  readonly id: string;
  readonly untilMs: number;
  readonly command: string;
}

const VALUE = /^(\S+) until (\S+) (.+)$/;

function leaseIn(value: string | undefined): Lease | undefined {
  const [, id, until = '', command] = VALUE.exec(value ?? '') ?? [];
  const untilMs = Date.parse(until);
  return id === undefined || command === undefined || Number.isNaN(untilMs) ? undefined : { id, untilMs, command };
}

/** The lease on a queue that is valid now. It needs the permission `sqs:ListQueueTags`. */
export async function leaseOn(sqs: SQSClient, queueUrl: string, nowMs: number): Promise<Lease | undefined> {
  const { Tags = {} } = await sqs.send(new ListQueueTagsCommand({ QueueUrl: queueUrl }));
  const lease = leaseIn(Tags[LEASE_TAG]);
  return lease && lease.untilMs > nowMs ? lease : undefined;
}

const UNPROTECTED = 'nothing keeps a second dlo away from';

class QueueLease implements HeldLease {
  private readonly id: string;
  private readonly leaseMs: number;
  private writtenAtMs = Number.NEGATIVE_INFINITY;
  private renewing: Promise<void> | undefined;
  private lostTo: Lease | undefined;
  private isHeld = false;
  /** Whether SQS refuses to write tags, so that the lease is not renewed. */
  private isDenied = false;

  constructor(
    private readonly sqs: SQSClient,
    private readonly order: LeaseOrder,
    private readonly ports: LeasePorts,
  ) {
    this.id = ports.newId();
    this.leaseMs = LEASE_MS + (order.longestCallMs ?? 0);
  }

  readonly wait: Wait = async milliseconds => {
    if (this.isDue(RENEWED_AFTER_MS)) await this.renew();
    await this.ports.wait(milliseconds);
  };

  readonly isLost = (): boolean => {
    // A command that moves messages all the time does not wait.
    if (this.isDue(2 * RENEWED_AFTER_MS)) void this.renew();
    return this.lostTo !== undefined;
  };

  async take(): Promise<void> {
    const { ports, order } = this;
    await this.unlessDenied(UNPROTECTED, async () => {
      const other = await this.read();
      if (other && !order.steals) throw this.refusal(other);
      if (other) ports.warn(`took over the lease of dlo ${other.command} on ${order.queue.name}`);
      // Noted first: SQS may have written the tag of a call that fails.
      this.isHeld = true;
      await this.write();
      await ports.wait(SETTLE_MS);
      const now = await this.read();
      if (!now || now.id === this.id) return;
      this.isHeld = false;
      throw this.refusal(now);
    });
  }

  /** Removes the lease if it is still this command's. */
  async giveBack(): Promise<void> {
    await this.renewing;
    if (!this.isHeld) return;
    this.isHeld = false;
    const QueueUrl = this.order.queue.url;
    await this.unlessDenied('the lease stays until it expires on', async () => {
      try {
        if ((await this.read())?.id === this.id)
          await this.sqs.send(new UntagQueueCommand({ QueueUrl, TagKeys: [LEASE_TAG] }));
      } catch (error) {
        // The lease is gone with its queue.
        if (!isNotFound(error)) throw error;
      }
    });
    if (!this.lostTo) return;
    this.ports.warn(`ended, because dlo ${this.lostTo.command} has taken over the lease on ${this.order.queue.name}`);
  }

  private isDue(afterMs: number): boolean {
    return this.isHeld && !this.isDenied && !this.lostTo && this.ports.nowMs() - this.writtenAtMs >= afterMs;
  }

  private renew(): Promise<void> {
    this.renewing ??= this.unlessDenied(UNPROTECTED, async () => {
      const now = await this.read();
      if (now && now.id !== this.id) this.lostTo = now;
      else await this.write();
    }).finally(() => {
      this.renewing = undefined;
    });
    return this.renewing;
  }

  private read(): Promise<Lease | undefined> {
    return leaseOn(this.sqs, this.order.queue.url, this.ports.nowMs());
  }

  private async write(): Promise<void> {
    this.writtenAtMs = this.ports.nowMs();
    const value = `${this.id} until ${isoInstant(this.writtenAtMs + this.leaseMs)} ${this.order.command}`;
    const QueueUrl = this.order.queue.url;
    await this.sqs.send(new TagQueueCommand({ QueueUrl, Tags: { [LEASE_TAG]: value } }));
  }

  /** A lease is advisory: what AWS refuses is reported, and the command continues. */
  private async unlessDenied(otherwise: string, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (!awsFailureOf(error, '')) throw error;
      this.writtenAtMs = this.ports.nowMs();
      this.isDenied ||= !isTransient(error);
      this.ports.warn(`${otherwise} ${this.order.queue.name}: ${messageOf(error)}`);
    }
  }

  private refusal({ command, untilMs }: Lease): Error {
    const { queue } = this.order;
    return new Error(
      `dlo ${command} works on ${queue.name}, and has its lease until ${formatInstant(untilMs)}. Wait for its end, or ` +
        'take the lease over with --steal-lease, if it was killed. Nothing has been changed',
    );
  }
}

/**
 * Does work while a lease on the queue keeps other commands away. The lease is a tag with an expiry. SQS has no compare-and-set
 * for tags: two commands that write at the same time and read late can both have it. So a lease prevents accidents, and proves
 * nothing. Without the permissions `sqs:ListQueueTags`, `sqs:TagQueue` and `sqs:UntagQueue`, the work is done without a lease.
 *
 * @throws Error if another command has the lease. Then the work has not begun.
 */
async function withLease<T>(
  aws: Connection,
  order: LeaseOrder,
  ports: LeasePorts,
  work: (lease: HeldLease) => Promise<T>,
): Promise<T> {
  const lease = new QueueLease(aws.client(SQSClient), order, ports);
  try {
    await lease.take();
    return await work(lease);
  } finally {
    await lease.giveBack();
  }
}

export interface QueueChange<T> extends LeaseOrder {
  readonly queue: Pick<NamedQueue, 'url' | 'name' | 'arn'>;
  /** The id of the plan. @default - the command has none */
  readonly plan?: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** Undefined writes no audit record. */
  readonly auditLogGroup: string | undefined;
  /** The work must end when another command takes the lease over. */
  readonly work: (lease: HeldLease) => Promise<T>;
  readonly outcomeOf: (result: T) => object;
}

/**
 * Changes a queue, while a lease keeps other commands away, and records the change.
 * @throws Error if another command has the lease, or the record cannot be written. Then nothing has been changed.
 */
export function changeQueue<T>(aws: Connection, change: QueueChange<T>, ports: LeasePorts): Promise<T> {
  const { queue, command, plan, details, auditLogGroup, work, outcomeOf } = change;
  const recorded = { command, resource: queue.arn, details, ...(plan !== undefined && { plan }) };
  return withLease(aws, change, ports, lease =>
    audited(aws, auditLogGroup, recorded, ports, () => work(lease), outcomeOf),
  );
}
