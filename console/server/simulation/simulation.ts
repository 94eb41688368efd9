import type { Inventory } from '../../../diagnosis/inventory/inventory';
import type { LocalAwsState } from '../../../local';
import { eventText, type TracedAwsEvent } from '../../../local';
import { counted, formatDuration } from '../../../policy/format-text';
import { formatInstant, isoInstant, isoInstantMs } from '../../../policy/instants';
import { listOfOneOrMore } from '../../../policy/json-members';
import { knownValue } from '../../../template/maybe-known';
import type {
  EndpointMood,
  FaultKind,
  Moved,
  SimulatedEndpoint,
  SimulatedFault,
  SimulatedSnapshot,
  SimulationCalls,
  SimulationDocument,
} from '../../api/simulation';
import type { ConsoleContext } from '../context';
import type { Control } from '../source';
import { SimulatedPermissions, type Statement } from './permissions';
import { controlOf } from './simulation-control';

/** How many of the newest events the page shows. */
const NEWEST = 40;

/** A flaky endpoint fails twice, then answers once, for a day's worth of requests. */
const FLAKY_ROUNDS = 500;

const SLOW_MS = 20_000;

const PATIENCE_MS = 300;

/** What `PUT /_dlo/endpoints/HOST` takes. `up` is no behavior. */
const BEHAVIOURS: Readonly<Record<Exclude<EndpointMood, 'up'>, unknown>> = {
  down: { status: 'refuse' },
  error: { status: 503, body: 'switched off in the console' },
  slow: { status: 200, latencyMs: SLOW_MS },
  flaky: Array.from({ length: FLAKY_ROUNDS }, () => [
    { status: 503, count: 2 },
    { status: 200, count: 1 },
  ]).flat(),
  throttling: { status: 429, headers: { 'retry-after': '30' } },
  gone: { status: 'dns' },
};

const MOOD_TEXTS: Readonly<Record<EndpointMood, string>> = {
  up: 'answers again',
  down: 'refuses connections',
  error: 'answers 503',
  slow: 'becomes slow',
  flaky: 'becomes flaky',
  throttling: 'answers 429',
  gone: 'has no address',
};

type NewestEvent = SimulationDocument['newest'][number];

interface SpeedAnswer {
  readonly speed: number | 'max';
  readonly now: string;
  readonly lastSeq: number;
}

interface FaultAnswer {
  readonly service: string;
  readonly action?: string;
  readonly resource?: string;
  readonly status?: number | string;
  readonly latencyMs?: number;
  readonly until?: string;
}

/** What the account says that is not in the state of the simulation. */
interface Resources {
  readonly inventory: Inventory;
  /** Of the endpoints of subscriptions. */
  readonly hosts: readonly string[];
  readonly permissions: readonly Statement[];
}

/** What this console has set. A return to a snapshot returns it too. */
interface OwnSettings {
  readonly moods: ReadonlyMap<string, EndpointMood>;
  readonly taken: SimulatedPermissions['state'];
}

const UNCHANGED: OwnSettings = { moods: new Map(), taken: [] };

function faultText({ service, action, resource, status, latencyMs }: FaultAnswer): string {
  const what = [service, action].filter(it => it !== undefined).join(' ');
  const of = resource === undefined ? '' : ` of ${resource}`;
  const how =
    status === 'throttle'
      ? 'throttles'
      : status === undefined && latencyMs !== undefined
        ? `takes ${latencyMs} ms`
        : `answers ${status ?? 503}`;
  return `${what}${of} ${how}`;
}

/** The simulation of `dlo local`: what it does, and how it is controlled. */
export class SimulationControls {
  private readonly control: Control;
  private readonly permissions: SimulatedPermissions;
  private moods = new Map<string, EndpointMood>();
  /** The points to which the user returned. */
  private readonly undone = new Set<string>();
  private readonly snapshots = new Map<string, { readonly about: SimulatedSnapshot; readonly settings: OwnSettings }>();

  private resources: Resources | undefined;
  private reading: Promise<void> | undefined;

  /**
   * @param patienceMs how long a document waits for the resources, in milliseconds. A large account takes seconds
   * @throws BadInput when a real AWS is shown
   */
  constructor(
    private readonly context: ConsoleContext,
    private readonly patienceMs = PATIENCE_MS,
  ) {
    this.control = controlOf(context.source);
    this.permissions = new SimulatedPermissions(context.source);
  }

  async document(): Promise<SimulationDocument> {
    const { control } = this;
    const { speed, now, lastSeq } = (await control('GET', 'speed')) as SpeedAnswer;
    const [state, faults, snapshots, trace, resources] = await Promise.all([
      control('GET', 'state') as Promise<LocalAwsState>,
      control('GET', 'faults') as Promise<{ readonly faults: readonly FaultAnswer[] }>,
      control('GET', 'snapshot') as Promise<{ readonly began: string; readonly snapshots: readonly string[] }>,
      control('GET', `trace?since=${Math.max(0, lastSeq - NEWEST)}`) as Promise<{
        readonly events: readonly (TracedAwsEvent & { readonly at: string })[];
      }>,
      this.resourcesSoon(),
    ]);
    return {
      beganMs: isoInstantMs(snapshots.began) ?? 0,
      nowMs: isoInstantMs(now) ?? 0,
      story: this.context.story ?? null,
      speed,
      events: lastSeq,
      newest: [...trace.events].reverse().map(newestEvent),
      topics: [...state.topics].sort((one, other) => other.subscriptions - one.subscriptions).map(({ name }) => name),
      queues: state.queues.map(({ name }) => name),
      endpoints: this.endpoints(state, resources?.hosts ?? []),
      unconfirmed: [...new Set(state.pendingSubscriptions.map(({ endpoint }) => endpoint))],
      faults: faults.faults.map(
        (it): SimulatedFault => ({ says: faultText(it), untilMs: isoInstantMs(it.until ?? '') ?? null }),
      ),
      permissions: resources ? this.permissions.list(resources.permissions) : null,
      snapshots: snapshots.snapshots.map(
        name => this.snapshots.get(name)?.about ?? { name, says: name, atMs: null, events: null },
      ),
      undo: this.undo(snapshots.snapshots),
    };
  }

  /** What was read last, or is read soon. Undefined if it takes long. */
  private async resourcesSoon(): Promise<Resources | undefined> {
    this.reading ??= this.readResources().finally(() => {
      this.reading = undefined;
    });
    const { promise, cancel } = pause(this.patienceMs);
    await Promise.race([this.reading, promise]).finally(cancel);
    return this.resources;
  }

  private async readResources(): Promise<void> {
    const { inventory } = await this.context.model.readStructure();
    if (inventory === this.resources?.inventory) return;
    const hosts = inventory.subscriptions.flatMap(({ endpoint }) => hostOf(knownValue(endpoint)) ?? []);
    this.resources = { inventory, hosts, permissions: await this.permissions.read(inventory) };
  }

  private endpoints({ endpoints }: LocalAwsState, called: readonly string[]): readonly SimulatedEndpoint[] {
    const known = new Map(endpoints.map(it => [it.host, it]));
    const hosts = [...new Set([...known.keys(), ...called, ...this.moods.keys()])].sort();
    return hosts.map(host => {
      const { requests = 0, isScripted = false } = known.get(host) ?? {};
      const mood = this.moods.get(host) ?? 'up';
      return { host, requests, mood: !isScripted ? 'up' : mood === 'up' ? null : mood };
    });
  }

  /** Remembers the point before an action of the user. */
  private async undoable<T>(says: string, work: () => Promise<T>): Promise<T> {
    await this.remember(says);
    return work();
  }

  private async remember(says: string): Promise<string> {
    const taken = (await this.control('POST', 'snapshot')) as {
      readonly snapshot: string;
      readonly now: string;
      readonly lastSeq: number;
    };
    const about = { name: taken.snapshot, says, atMs: isoInstantMs(taken.now) ?? null, events: taken.lastSeq };
    const settings = { moods: new Map(this.moods), taken: this.permissions.state };
    this.snapshots.set(about.name, { about, settings });
    return about.name;
  }

  /** The point before the last action that was not undone. */
  private undo(names: readonly string[]): SimulatedSnapshot | null {
    const name = names.findLast(it => this.snapshots.has(it) && !this.undone.has(it));
    return (name !== undefined && this.snapshots.get(name)?.about) || null;
  }

  async setSpeed(speed: number | 'max'): Promise<void> {
    await this.control('PUT', 'speed', { speed });
  }

  step(): Promise<Moved> {
    return this.undoable('a step', async () => movedOf(await this.control('POST', 'step')));
  }

  jump(to: SimulationCalls['simulation/jump']['input']): Promise<Moved> {
    const says = to.seconds === undefined ? `a jump to ${to.until}` : `a jump of ${formatDuration(to.seconds)}`;
    return this.undoable(says, async () => movedOf(await this.control('POST', 'advance', to)));
  }

  setEndpoint(host: string, mood: EndpointMood): Promise<void> {
    return this.undoable(`${host} ${MOOD_TEXTS[mood]}`, async () => {
      const path = `endpoints/${encodeURIComponent(host)}`;
      if (mood === 'up') await this.control('DELETE', path);
      else await this.control('PUT', path, BEHAVIOURS[mood]);
      this.moods.set(host, mood);
    });
  }

  confirm(endpoint: string): Promise<void> {
    return this.undoable(`${endpoint} was confirmed`, async () => {
      await this.control('POST', 'confirm', { endpoint });
      this.context.model.forget();
    });
  }

  setFault({ service, action, kind, forSeconds }: SimulationCalls['simulation/fault']['input']): Promise<void> {
    const how: Readonly<Record<FaultKind, object>> = {
      error: { status: 503 },
      throttle: { status: 'throttle' },
      slow: { latencyMs: SLOW_MS },
    };
    const about = { service, ...(action && { action }), ...(forSeconds !== undefined && { forSeconds }) };
    return this.undoable(faultText({ service, ...(action && { action }), ...how[kind] }), async () => {
      await this.control('PUT', 'faults', { ...about, ...how[kind] });
    });
  }

  endFaults(): Promise<void> {
    return this.undoable('the end of all faults', async () => {
      await this.control('DELETE', 'faults');
    });
  }

  setPermission(id: string, isTaken: boolean): Promise<void> {
    return this.undoable(isTaken ? 'a permission was taken away' : 'a permission was given back', async () => {
      await this.permissions.set(id, isTaken);
      this.context.model.forget();
    });
  }

  send(input: SimulationCalls['simulation/send']['input']): Promise<{ readonly messageId: string }> {
    const { to, name, ...message } = input;
    return this.undoable(`${counted(message.count, 'message', 'messages')} to ${name}`, async () => {
      return (await this.control('POST', 'send', { [to]: name, ...message })) as { readonly messageId: string };
    });
  }

  async snapshot(): Promise<{ readonly name: string }> {
    return { name: await this.remember('remembered') };
  }

  /** @param name `null` for the beginning */
  async restore(name: string | null): Promise<void> {
    if (name === null) await this.control('POST', 'reset');
    else await this.control('POST', 'restore', { snapshot: name });
    const settings = name === null ? UNCHANGED : (this.snapshots.get(name)?.settings ?? UNCHANGED);
    const names = [...this.snapshots.keys()];
    this.returned(names.slice(name === null ? 0 : names.indexOf(name) + 1), settings);
    if (name !== null) this.undone.add(name);
  }

  /** Moves the simulation forward or back to an instant. To go back, it starts again and repeats the actions before it. */
  async travel(atMs: number): Promise<void> {
    const until = isoInstant(atMs);
    const { now } = (await this.control('GET', 'speed')) as SpeedAnswer;
    if (atMs >= (isoInstantMs(now) ?? 0)) {
      await this.undoable(`a jump to ${formatInstant(atMs)}`, () => this.control('POST', 'advance', { until }));
      return;
    }
    await this.control('POST', 'restore', { until });
    const later = [...this.snapshots.values()].filter(({ about }) => (about.atMs ?? 0) > atMs);
    const names = later.map(({ about }) => about.name);
    this.returned(names, later[0]?.settings ?? { moods: this.moods, taken: this.permissions.state });
  }

  /** @param later points of a run that no longer exists: their names are used again */
  private returned(later: readonly string[], { moods, taken }: OwnSettings): void {
    this.moods = new Map(moods);
    this.permissions.restore(taken);
    for (const name of later) {
      this.snapshots.delete(name);
      this.undone.delete(name);
    }
    this.context.model.forget();
  }
}

function newestEvent({ at: _, ...event }: TracedAwsEvent & { readonly at: string }): NewestEvent {
  const { type, facts } = eventText(event);
  return { seq: event.seq, atMs: event.atMs, type, facts, messageId: messageIdIn(event) };
}

function messageIdIn(event: object): string | null {
  const named = event as Readonly<Record<string, unknown>>;
  const [several] = listOfOneOrMore(named['messageIds'] ?? []);
  const id = named['messageId'] ?? named['eventId'] ?? named['executionId'] ?? several;
  return typeof id === 'string' ? id : null;
}

/** @param ms `Infinity` never ends */
function pause(ms: number): { readonly promise: Promise<void>; cancel(): void } {
  let timer: NodeJS.Timeout | undefined;
  const promise = new Promise<void>(resolve => {
    if (Number.isFinite(ms)) timer = setTimeout(resolve, ms);
  });
  return { promise, cancel: () => clearTimeout(timer) };
}

function hostOf(endpoint: string | undefined): string | undefined {
  return endpoint !== undefined && URL.canParse(endpoint) && endpoint.startsWith('http')
    ? new URL(endpoint).hostname
    : undefined;
}

function movedOf(answer: unknown): Moved {
  const { now, events } = answer as { readonly now: string; readonly events: number };
  return { nowMs: isoInstantMs(now) ?? 0, events };
}
