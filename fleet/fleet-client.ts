import { type EndpointName, endpointProblems, type FleetEndpoint, groupOf, nameCheck } from '../policy/fleet/endpoint';
import { disabled, type EndpointState, enabled } from '../policy/fleet/endpoint-health';
import { type EndpointItem, itemKeys, type StateItem } from '../policy/fleet/fleet-items';
import { messageText, readFleetEvent } from '../policy/fleet/fleet-messages';
import type { FleetSettings } from '../policy/fleet/fleet-settings';
import { newState, withHealth } from '../policy/fleet/state-item';
import { atLeast, nonEmptyText, wholeNumber, withoutUndefined } from '../policy/json-members';
import { readSigningSecret } from '../policy/relay/signing-secret';
import { DAY_SECONDS } from '../policy/time-units';
import { type Attempt, Attempts } from './attempts';
import {
  check,
  checkVersion,
  clientProblems,
  dataText,
  description,
  isOfMessageOrEndpoint,
  missing,
  nameProblems,
  oldSecrets,
  orConflict,
  readEndpoint,
  replaySource,
  selectionOf,
  settingsIn,
  sizeProblems,
} from './client-input';
import type {
  AttemptQuery,
  EndpointDescription,
  EndpointPage,
  EventToSend,
  FleetClientOptions,
  ListOptions,
  ParkedMessage,
  PutOptions,
  PutResult,
  Replayed,
  ReplayQuery,
  RotatedSecret,
  RotateOptions,
} from './client-options';
import { deliveryId } from './delivery-id';
import { DynamoDbTable } from './dynamodb-table';
import { Endpoints } from './endpoints';
import { FleetError, invalid, withFleetErrors } from './fleet-error';
import { FleetStore } from './fleet-store';
import { type Machine, machine, ownSettings } from './machine';
import { type ReplayPorts, replayDeadLetters, replayLogged, sendDelivery } from './replay';
import { Secrets } from './secrets';

const KEY_BYTES = 32;
const OVERLAP_SECONDS = DAY_SECONDS;
const MAX_OVERLAP_SECONDS = 30 * DAY_SECONDS;
const PAGE_SIZE = 100;
const MOST_LOOKED_AT = 10_000;

/** How often a change of a state is decided again after the fleet has changed it. */
const TRIES = 5;

/**
 * Manages the endpoints of a fleet, and sends events to them.
 *
 * ```ts
 * const fleet = new FleetClient({ dynamoDb: new DynamoDB(), kms: new KMS(), sqs: new SQS() });
 * const { secret } = await fleet.put({ tenant: 'acme', endpoint: 'orders', url, types: ['order.paid'] });
 * await fleet.send({ tenant: 'acme', type: 'order.paid', data: { total: 5 } });
 * ```
 *
 * Every method throws a `FleetError` for what the fleet refuses, and the error of the SDK for anything else, such as a missing permission.
 */
export class FleetClient {
  private readonly settings: FleetSettings;
  private readonly machine: Machine;
  private readonly table: FleetStore;
  private readonly endpoints: Endpoints;
  private readonly log: Attempts;
  private readonly encryption: Secrets | undefined;

  /** @throws FleetError if the settings are not those of a fleet */
  constructor(private readonly options: FleetClientOptions) {
    this.machine = { ...machine, ...(options.machine?.nowMs && { pollSeconds: 0 }), ...options.machine };
    this.settings = settingsIn(options.settings ?? ownSettings());
    const { fleetName, tableName, keyArn } = this.settings;
    const table = new DynamoDbTable(options.dynamoDb, tableName, this.machine.wait);
    this.table = new FleetStore(table);
    this.endpoints = new Endpoints(table);
    this.log = new Attempts(table, this.settings.attemptRetentionSeconds ?? 0);
    this.encryption = options.kms && new Secrets({ ...this.machine, table, kms: options.kms, fleetName, keyArn });
  }

  /** Sends an event to all endpoints of its tenant that it matches. Returns its id. */
  async send({
    data,
    id = `evt_${this.freshText('hex', 16)}`,
    ...event
  }: EventToSend): Promise<{ readonly id: string }> {
    const body = messageText({ ...event, id, data: dataText(data) });
    const reading = readFleetEvent(body);
    if (reading.kind === 'problems') throw invalid(...reading.problems);
    check(sizeProblems(body));
    const { sqs, settings } = this.replayPorts();
    await withFleetErrors(() => sqs.sendMessage({ QueueUrl: settings.eventsQueueUrl, MessageBody: body }));
    return { id };
  }

  /**
   * Creates an endpoint or replaces it. Its secrets and its state stay.
   * @param given a description from `get` or `list`, with what you changed, must still have its version
   */
  put(given: FleetEndpoint | EndpointDescription, options: PutOptions = {}): Promise<PutResult> {
    return withFleetErrors(async () => {
      const { endpoint, ...read } = readEndpoint(given);
      check(endpointProblems(endpoint, this.settings.allowedPrivateRanges));
      const before = await this.endpoints.get(endpoint);
      checkVersion(endpoint, before, options.version ?? read.version, read.createdAtMs);
      const problem = { property: 'secret', rule: 'must be given for a new endpoint only: see rotateSecret' };
      if (before && options.secret !== undefined) throw invalid({ ...problem, value: 'one' });
      const secret = before ? undefined : this.secretOr(options.secret);
      const secrets = secret === undefined ? (before?.secrets ?? []) : [await this.encrypted(endpoint, secret)];
      const { version = 0, createdAtMs = await this.newCreatedAtMs(endpoint) } = before ?? {};
      const authorization = await this.authorizationOf(endpoint, before);
      const others = { authorization, secrets, version: version + 1, createdAtMs };
      const after: EndpointItem = withoutUndefined({ ...itemKeys.endpoint(endpoint), ...endpoint, ...others });
      await this.write(before, after);
      return { version: after.version, ...(secret !== undefined && { secret }) };
    });
  }

  /** Returns an endpoint as it is now. */
  get(name: EndpointName): Promise<EndpointDescription> {
    return withFleetErrors(async () => {
      const [endpoint, state] = await Promise.all([this.existing(name), this.table.state(name)]);
      return description(endpoint, state);
    });
  }

  /** Returns the endpoints of a tenant in pages. Changes of the last second may be missing. */
  list({ tenant, limit = PAGE_SIZE, after }: ListOptions): Promise<EndpointPage> {
    return withFleetErrors(async () => {
      check([...nameCheck(tenant, 'tenant'), ...wholeNumber(1, PAGE_SIZE)(limit, 'limit')]);
      const { items, next } = await this.endpoints.ofTenant(tenant, limit, after);
      const states = await this.table.states(items);
      if (states.size < items.length) throw new FleetError('throttled', 'DynamoDB leaves states unread for now');
      const endpoints = items.map(item => description(item, states.get(groupOf(item))));
      const last = items.at(-1)?.endpoint;
      return { endpoints, ...(next && last !== undefined && { after: last }) };
    });
  }

  /**
   * Returns the endpoints of all tenants that are not healthy, or that have parked messages or had some a minute ago. Changes of the last second
   * may be missing.
   */
  unsettled(): Promise<readonly EndpointDescription[]> {
    return withFleetErrors(async () => {
      const states = await this.table.awake();
      const entries = await this.table.entries(states);
      if (entries.size < states.length) throw new FleetError('throttled', 'DynamoDB leaves endpoints unread for now');
      return [...entries.values()].flatMap(read => {
        const { endpoint, state } = read();
        return endpoint ? [description(endpoint, state)] : [];
      });
    });
  }

  /** Returns the first parked messages of an endpoint in the order in which they come back, without their data. */
  parked(name: EndpointName, limit = PAGE_SIZE): Promise<readonly ParkedMessage[]> {
    return withFleetErrors(async () => {
      check([...nameProblems(name), ...wholeNumber(1, PAGE_SIZE)(limit, 'limit')]);
      return (await this.table.parked(name, limit)).map(({ pk: _, sk: __, data: ___, ...message }) => message);
    });
  }

  /** Sends no more requests to an endpoint until it is enabled. Its messages wait until then, as long as they are kept. */
  disable(name: EndpointName): Promise<void> {
    return this.changeHealth(name, state => (state.health === 'disabled' ? state : disabled(state, 'by-hand')));
  }

  /** Lets an endpoint that is disabled or down have its messages at once, the oldest first. */
  enable(name: EndpointName): Promise<void> {
    const isStopped = ({ health }: StateItem) => health === 'disabled' || health === 'open';
    return this.changeHealth(name, state => (isStopped(state) ? enabled(this.settings.health) : state));
  }

  /** Signs with a new secret, and for some time with the old ones too. */
  rotateSecret(name: EndpointName, options: RotateOptions = {}): Promise<RotatedSecret> {
    return withFleetErrors(async () => {
      const { overlapSeconds = OVERLAP_SECONDS } = options;
      check(wholeNumber(0, MAX_OVERLAP_SECONDS)(overlapSeconds, 'overlapSeconds'));
      const secret = this.secretOr(options.secret);
      const before = await this.existing(name);
      const nowMs = this.machine.nowMs();
      const previousUntilMs = nowMs + overlapSeconds * 1_000;
      const old = oldSecrets(before, previousUntilMs, nowMs);
      const secrets = [await this.encrypted(name, secret), ...old];
      await this.write(before, { ...before, secrets, version: before.version + 1 });
      return { secret, previousUntilMs };
    });
  }

  /** Sends an event to this endpoint alone, whatever its types and its filter. Returns the id of the message. */
  sendTest(
    name: EndpointName,
    { type = 'test', data = { test: true } }: Partial<Pick<EventToSend, 'type' | 'data'>> = {},
  ) {
    return withFleetErrors(async () => {
      const { tenant, endpoint, createdAtMs: endpointCreatedAtMs } = await this.existing(name);
      const { health } = (await this.table.state(name)) ?? newState(name);
      if (health === 'disabled') throw new FleetError('conflict', `${groupOf(name)} is disabled: enable it first`);
      const eventId = `test_${this.freshText('hex', 16)}`;
      const id = deliveryId(this.settings.fleetName, eventId, name);
      const event = { tenant, type, data: dataText(data) };
      const reading = readFleetEvent(JSON.stringify({ id: eventId, ...event }));
      if (reading.kind === 'problems') throw invalid(...reading.problems);
      const delivery = {
        id,
        endpoint,
        eventId,
        ...event,
        sentAtMs: this.machine.nowMs(),
        attempts: 0,
        endpointCreatedAtMs,
      };
      check(sizeProblems(messageText(delivery)));
      await sendDelivery(delivery, this.replayPorts());
      return { delivery: id };
    });
  }

  /** Removes an endpoint. Its messages become dead letters. */
  remove(name: EndpointName, { version }: Pick<PutOptions, 'version'> = {}): Promise<void> {
    return withFleetErrors(async () => {
      const before = await this.existing(name);
      checkVersion(name, before, version);
      await orConflict(name, this.endpoints.remove(before, this.machine.nowMs()));
    });
  }

  /** Returns the attempts of a message, the first one first, or those of an endpoint, the newest first. */
  attempts(query: AttemptQuery): Promise<readonly Attempt[]> {
    return withFleetErrors(async () => {
      const limit = 'delivery' in query ? Number.POSITIVE_INFINITY : (query.limit ?? PAGE_SIZE);
      if (limit !== Number.POSITIVE_INFINITY) check(wholeNumber(1, MOST_LOOKED_AT)(limit, 'limit'));
      const found: Attempt[] = [];
      for await (const attempt of this.logged(query)) {
        found.push(attempt);
        if (found.length >= limit) break;
      }
      return found;
    });
  }

  /** Delivers messages again, with the same ids. */
  replay(query: ReplayQuery): Promise<Replayed> {
    return withFleetErrors(async () => {
      const { from = 'dead-letters', mostLookedAt = MOST_LOOKED_AT } = query;
      check(replaySource(from, 'from'));
      check(wholeNumber(1, Number.MAX_SAFE_INTEGER)(mostLookedAt, 'mostLookedAt'));
      const selection = { mostLookedAt, isWanted: selectionOf(query) };
      const isOfOne = isOfMessageOrEndpoint(query);
      if (isOfOne && !('delivery' in query)) await this.existing(query);
      if (from === 'dead-letters') return await replayDeadLetters(selection, this.replayPorts());
      if (!this.settings.logsBodies) {
        throw invalid({ property: 'from', rule: 'must be dead-letters: the fleet does not log bodies', value: from });
      }
      if (!isOfOne)
        throw invalid({ property: 'endpoint', rule: 'must be given to replay from the log', value: undefined });
      return await replayLogged(this.logged(query), selection, this.replayPorts());
    });
  }

  private logged(query: AttemptQuery): AsyncGenerator<Attempt> {
    if (this.settings.attemptRetentionSeconds === undefined) {
      throw new FleetError('invalid', `the fleet ${this.settings.fleetName} does not log attempts`);
    }
    if ('delivery' in query) {
      check(nonEmptyText(query.delivery, 'delivery'));
      return this.log.ofDelivery(query.delivery);
    }
    check(nameProblems(query));
    const nowMs = this.machine.nowMs();
    const { sinceMs = 0, untilMs = nowMs, limit = PAGE_SIZE } = query;
    check([...atLeast(0)(sinceMs, 'sinceMs'), ...atLeast(0)(untilMs, 'untilMs')]);
    return this.log.ofEndpoint(query, { sinceMs, untilMs: Math.min(untilMs, nowMs), limit });
  }

  private async existing(name: EndpointName): Promise<EndpointItem> {
    check(nameProblems(name));
    const endpoint = await this.endpoints.get(name);
    if (!endpoint) throw new FleetError('not-found', `the fleet has no endpoint ${groupOf(name)}`);
    return endpoint;
  }

  private async write(before: EndpointItem | undefined, after: EndpointItem): Promise<void> {
    const rule = 'must change by at most 99 in one step: a transaction of DynamoDB has at most 100 writes';
    if (this.endpoints.isTooLarge(before, after)) throw invalid({ property: 'types', rule, value: after.types });
    await orConflict(after, this.endpoints.write(before, after));
  }

  private changeHealth(name: EndpointName, decide: (state: StateItem) => EndpointState): Promise<void> {
    return withFleetErrors(async () => {
      await this.existing(name);
      for (let tries = 1; tries <= TRIES; tries += 1) {
        const read = (await this.table.state(name)) ?? newState(name);
        const next = withHealth(read, decide(read), this.machine.nowMs());
        if (next === read) return;
        if (await this.table.putState({ ...next, version: read.version + 1 }, read.version)) return;
      }
      throw new FleetError('conflict', `the fleet changes ${groupOf(name)} all the time: repeat the call`);
    });
  }

  /** Not that of the endpoint of this name that was removed just now, whatever the clocks say. */
  private async newCreatedAtMs(name: EndpointName): Promise<number> {
    const { removedCreatedAtMs = 0 } = (await this.table.state(name)) ?? {};
    return Math.max(this.machine.nowMs(), removedCreatedAtMs + 1);
  }

  private async encrypted(name: EndpointName, secret: string, tokenUrl?: string) {
    if (!this.encryption) throw missing('kms');
    return await this.encryption.encrypt(name, secret, tokenUrl);
  }

  private async authorizationOf({ authorization, ...name }: FleetEndpoint, before: EndpointItem | undefined) {
    if (!authorization) return undefined;
    const { clientSecret: secret, ...request } = authorization;
    if (secret !== undefined) return { ...request, clientSecret: await this.encrypted(name, secret, request.tokenUrl) };
    check(clientProblems(authorization, before?.authorization));
    return before?.authorization && { ...request, clientSecret: before.authorization.clientSecret };
  }

  private secretOr(given: string | undefined): string {
    if (given === undefined) return `whsec_${this.freshText('base64', KEY_BYTES)}`;
    const reading = readSigningSecret('secret', given);
    if (reading.kind === 'malformed') throw invalid(reading.problem);
    return given.trim();
  }

  private freshText(encoding: 'hex' | 'base64', bytes: number): string {
    return Buffer.from(this.machine.freshBytes(bytes)).toString(encoding);
  }

  private replayPorts(): ReplayPorts {
    const { sqs } = this.options;
    if (!sqs) throw missing('sqs');
    const { nowMs, pollSeconds } = this.machine;
    return { sqs, settings: this.settings, nowMs, pollSeconds };
  }
}
