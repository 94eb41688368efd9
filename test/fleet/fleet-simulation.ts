import { randomBytes } from 'node:crypto';
import { DynamoDB, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMS, KMSClient } from '@aws-sdk/client-kms';
import { DeleteMessageCommand, SQS } from '@aws-sdk/client-sqs';
import { type Attempt, FleetClient } from '../../fleet';
import { deliveryId } from '../../fleet/delivery-id';
import { DynamoDbTable } from '../../fleet/dynamodb-table';
import { Endpoints } from '../../fleet/endpoints';
import { FleetStore } from '../../fleet/fleet-store';
import { dynamoDbCalls, kmsCalls } from '../../fleet/sdk-calls';
import { Secrets } from '../../fleet/secrets';
import type { OutsideEndpoint } from '../../local';
import type { EndpointName, FleetEndpoint } from '../../policy/fleet/endpoint';
import type { EncryptedSecret, EndpointItem, StateItem } from '../../policy/fleet/fleet-items';
import type { FleetEvent } from '../../policy/fleet/fleet-messages';
import { withOptions } from '../support/assembly';
import { Deployed } from '../support/deployed';
import { endpointItem } from './fleet-account';
import { SETTINGS } from './fleet-settings';
import { type FleetStackOptions, fleetStack } from './fleet-stack';

const stackOf = withOptions(fleetStack);

/** A request that an endpoint received. */
export interface Request {
  readonly atMs: number;
  /** The `webhook-id`. */
  readonly id: string;
  readonly data: string;
  readonly isTaken: boolean;
}

/** What became of the deliveries. */
export interface FleetLedger {
  /** Events × endpoints that they match. */
  readonly due: number;
  readonly delivered: number;
  /** By cause. */
  readonly dead: Readonly<Record<string, number>>;
  readonly parked: number;
  readonly queued: number;
  /** In none of these places. With messages in the queues, it is unknown whether they are lost. */
  readonly lost: number;
}

/** `Secret`: an endpoint signs with it. */
export const SECRET = `whsec_${Buffer.from('a secret of twenty-four b').toString('base64')}`;

export interface GivenEndpoint extends Partial<Omit<FleetEndpoint, 'authorization'>> {
  /** `acme/orders`. */
  readonly group: string;
  /** @default - one of its own: `orders.acme.example` */
  readonly host?: string;
}

const nameOf = (group: string): EndpointName => {
  const [tenant = '', endpoint = ''] = group.split('/');
  return { tenant, endpoint };
};

/** A deployed fleet, its endpoints, and what should become of events. */
export class FleetSimulation {
  private readonly table: FleetStore;
  readonly secrets: Secrets;
  private readonly endpoints: Endpoints;
  private readonly known = new Map<string, EndpointItem>();
  private readonly due = new Set<string>();
  private readonly dead = new Map<string, string>();
  private events = 0;

  private constructor(readonly deployed: Deployed) {
    const config = deployed.aws.clientConfig();
    const items = new DynamoDbTable(
      dynamoDbCalls(new DynamoDBClient(config)),
      deployed.ref('Fleet/Table'),
      async () => {},
    );
    this.table = new FleetStore(items);
    this.endpoints = new Endpoints(items);
    this.secrets = new Secrets({
      table: items,
      kms: kmsCalls(new KMSClient(config)),
      fleetName: SETTINGS.fleetName,
      keyArn: deployed.arn('Fleet/Key'),
      nowMs: () => deployed.aws.nowMs,
      freshBytes: randomBytes,
    });
  }

  /** A client of the fleet. */
  get client(): FleetClient {
    const { aws } = this.deployed;
    const config = aws.clientConfig();
    const settings = aws.output('Settings');
    const machine = { nowMs: () => aws.nowMs, wait: async () => {}, freshBytes: randomBytes };
    const [dynamoDb, kms, sqs] = [new DynamoDB(config), new KMS(config), new SQS(config)];
    return new FleetClient({ dynamoDb, kms, sqs, settings, machine });
  }

  static async deploy(seed: number, options: FleetStackOptions = {}): Promise<FleetSimulation> {
    return new FleetSimulation(await Deployed.stack(stackOf(options), { seed }));
  }

  get nowMs(): number {
    return this.deployed.aws.nowMs;
  }

  async add({ group, host, ...given }: GivenEndpoint, change: Partial<EndpointItem> = {}): Promise<OutsideEndpoint> {
    const name = nameOf(group);
    const hostname = host ?? `${name.endpoint}.${name.tenant}.example`;
    const own = { url: `https://${hostname}/${group}`, types: ['paid'], createdAtMs: this.nowMs };
    const item = endpointItem(name, { ...own, ...given, ...change });
    await this.endpoints.write(undefined, item);
    this.known.set(group, item);
    return this.deployed.aws.endpoint(hostname);
  }

  encrypted(group: string, secret: string): Promise<EncryptedSecret> {
    return this.secrets.encrypt(nameOf(group), secret);
  }

  attemptsOf(delivery: string): Promise<readonly Attempt[]> {
    return this.client.attempts({ delivery });
  }

  async remove(group: string): Promise<void> {
    await this.endpoints.remove(this.item(group), this.nowMs);
    this.known.delete(group);
  }

  private item(group: string): EndpointItem {
    const item = this.known.get(group);
    if (!item) throw new Error(`there is no endpoint ${group}`);
    return item;
  }

  host(group: string): OutsideEndpoint {
    return this.deployed.aws.endpoint(new URL(this.item(group).url).hostname);
  }

  /**
   * Sends an event for all endpoints of a tenant that have its type, but not those in `except`.
   * @param traceHeader what Lambda follows chains of invocations by. @default - the event begins a chain
   */
  event(
    tenant: string,
    more: Partial<FleetEvent> = {},
    except: readonly string[] = [],
    traceHeader?: string,
  ): FleetEvent {
    this.events += 1;
    const event = { id: `event-${this.events}`, tenant, type: 'paid', data: `{"number":${this.events}}`, ...more };
    for (const [group, item] of this.known) {
      const isFor = item.tenant === tenant && (item.types.includes(event.type) || item.types.includes('*'));
      if (isFor && !except.includes(group)) this.due.add(deliveryId(SETTINGS.fleetName, event.id, item));
    }
    this.send(JSON.stringify(event), traceHeader);
    return event;
  }

  /** Sends anything to the events queue. */
  send(body: string, traceHeader?: string): void {
    const { sqs } = this.deployed.aws.services;
    const input = { QueueUrl: this.deployed.ref('Fleet/Events'), MessageBody: body };
    sqs.call('SendMessage', { ...sqs.owner, traceHeader }, input);
  }

  advance(...stretch: Parameters<Deployed['advance']>): Promise<number> {
    return this.deployed.advance(...stretch);
  }

  /** What an endpoint received, the oldest first. */
  requests(group: string): readonly Request[] {
    const { url } = this.item(group);
    const { hostname, pathname } = new URL(url);
    const all = this.deployed.aws.endpoint(hostname).requests.filter(({ path }) => path === pathname);
    return all.map(({ atMs, headers, text, reply }) => {
      const isTaken = reply.kind === 'response' && reply.status < 300;
      return { atMs, id: headers['webhook-id'] ?? '', data: text, isTaken };
    });
  }

  state(group: string): Promise<StateItem | undefined> {
    return this.table.state(this.item(group));
  }

  /** Messages in the queues of events and deliveries. */
  get queued(): number {
    const arns = ['Fleet/Events', 'Fleet/Deliveries'].map(id => this.deployed.arn(id));
    const queues = this.deployed.aws.state().queues.filter(({ arn }) => arns.includes(arn));
    return queues.reduce((sum, { visible, inFlight, delayed }) => sum + visible + inFlight + delayed, 0);
  }

  /** Takes all dead letters, and keeps their causes by the id of the delivery, or by their text. */
  async collectDead(): Promise<ReadonlyMap<string, string>> {
    for (
      let messages = await this.deployed.receive('Fleet/DeadLetterQueue');
      messages.length > 0;
      messages = await this.deployed.receive('Fleet/DeadLetterQueue')
    ) {
      for (const { Body = '', MessageAttributes = {}, ReceiptHandle } of messages) {
        const { id = Body, endpoint }: { id?: string; endpoint?: string } = Body.startsWith('{')
          ? JSON.parse(Body)
          : {};
        const cause = MessageAttributes['DeadLetterCause']?.StringValue ?? 'moved-by-sqs';
        this.dead.set(endpoint === undefined ? Body : id, cause);
        await this.deployed.sqs.send(
          new DeleteMessageCommand({ QueueUrl: this.deployed.ref('Fleet/DeadLetterQueue'), ReceiptHandle }),
        );
      }
    }
    return this.dead;
  }

  async parked(names: Iterable<EndpointName> = this.known.values()): Promise<readonly string[]> {
    const parked: string[] = [];
    for (const name of names) {
      for (const { deliveryId: id } of await this.table.parked(name, 1_000_000)) parked.push(id);
    }
    return parked;
  }

  async ledger(): Promise<FleetLedger> {
    const delivered = new Set(
      [...this.known.keys()].flatMap(group => this.requests(group).flatMap(it => (it.isTaken ? it.id : []))),
    );
    const dead = await this.collectDead();
    const parked = new Set(await this.parked());
    const causes: Record<string, number> = {};
    const counts = { due: this.due.size, delivered: 0, dead: causes, parked: 0, queued: this.queued, lost: 0 };
    for (const id of this.due) {
      const cause = dead.get(id);
      if (delivered.has(id)) counts.delivered += 1;
      else if (cause !== undefined) causes[cause] = (causes[cause] ?? 0) + 1;
      else if (parked.has(id)) counts.parked += 1;
      else counts.lost += 1;
    }
    return counts;
  }
}

/** The longest and the shortest time between requests, in milliseconds. */
export function gapsMs(requests: readonly Pick<Request, 'atMs'>[]): readonly number[] {
  return requests.slice(1).map(({ atMs }, index) => atMs - (requests[index]?.atMs ?? atMs));
}

/** The most requests within any second. */
export function mostPerSecond(requests: readonly Pick<Request, 'atMs'>[]): number {
  return Math.max(
    0,
    ...requests.map(({ atMs }) => requests.filter(it => it.atMs >= atMs && it.atMs < atMs + 1_000).length),
  );
}
