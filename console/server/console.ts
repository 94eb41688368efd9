import { randomBytes } from 'node:crypto';
import { isObject } from '../../policy/json-members';
import { MINUTE_MS } from '../../policy/time-units';
import { knownValue } from '../../template/maybe-known';
import type { MapDocument, StatusDocument } from '../api';
import { type CallHandlers, ConsoleCalls } from './calls';
import type { ConsoleContext } from './context';
import { doctorFeeds } from './doctor/doctor-feeds';
import { type FeedSources, OpenFeeds, polled } from './feed';
import { fleetFeeds } from './fleets/fleet-feeds';
import { ConsoleHttp } from './http';
import { journeyCalls } from './journey/journey-calls';
import type { ConsoleOptions } from './options';
import { AccountModel, type ReadingPace, type Structure } from './overview/account-model';
import { mapDocument } from './overview/map-document';
import { deadLettersDocument, levelsDocument } from './overview/overview-feeds';
import { queueCalls } from './queue/queue-calls';
import { redriveCalls } from './redrive/redrive-calls';
import { redriveFeeds } from './redrive/redrive-feeds';
import { RedriveRuns } from './redrive/redrive-runs';
import { relayFeeds } from './relays/relay-feeds';
import { Session } from './session';
import type { SimulationControls } from './simulation/simulation';
import { lazyControls, simulationCalls, simulationFeed } from './simulation/simulation-calls';
import type { ConsoleSource } from './source';

/** Against AWS, requests cost money and are throttled: SQS takes 0.40 USD for a million. */
export const AWS_PACE: ReadingPace = {
  structureMs: 300_000,
  levelsMs: 5_000,
  metricsMs: MINUTE_MS,
  requestsPerMinute: 300,
};

/** A simulation costs only time, and its clock may run fast. */
const SIMULATION_PACE: ReadingPace = { structureMs: 5_000, levelsMs: 500, metricsMs: 1_000, requestsPerMinute: 12_000 };

/** How often the page learns the time and the state of the console, in milliseconds. */
const STATUS_MS = 1_000;

async function speedOf({ control }: ConsoleSource): Promise<number | null> {
  const answer = control ? await control('GET', 'speed') : undefined;
  if (!isObject(answer)) return 1;
  return typeof answer['speed'] === 'number' ? answer['speed'] : null;
}

async function statusOf({ source, model, mayChange, version }: ConsoleContext): Promise<StatusDocument> {
  const { structure, levels } = model.last;
  const { options } = source;
  const { inventory } = structure ?? {};
  return {
    kind: source.kind,
    account: (inventory && knownValue(inventory.account)) ?? null,
    region: (inventory && knownValue(inventory.region)) ?? options.region ?? null,
    profile: options.profile ?? null,
    endpointUrl: options.endpointUrl ?? null,
    mayChange,
    version,
    nowMs: await source.nowMs(),
    speed: await speedOf(source),
    structureReadAtMs: structure?.readAtMs ?? null,
    levelsReadAtMs: levels?.readAtMs ?? null,
    silence: source.silence ?? null,
    requestsInLastMinute: source.requestsInLastMinute,
    levelsEverySeconds: structure ? Math.round(model.levelsEveryMs / 1_000) : null,
    unread: [...new Set([...(inventory?.unread ?? []), ...(inventory?.unseen ?? []), ...(levels?.list.unseen ?? [])])],
  };
}

/** The feeds of the console. A view that shows something live adds its own here. */
function feedsOf(context: ConsoleContext, controls: () => SimulationControls): FeedSources {
  const { model, nowMs } = context;
  const paced = { nextMs: (tookMs: number) => Math.max(model.levelsEveryMs, tookMs) };
  const maps = new WeakMap<Structure, MapDocument>();
  const mapOf = (structure: Structure): MapDocument => {
    const map = maps.get(structure) ?? mapDocument(structure.inventory, structure.findings);
    maps.set(structure, map);
    return map;
  };
  return {
    status: polled(() => statusOf(context), { nextMs: () => STATUS_MS }, nowMs),
    map: polled(async () => mapOf(await model.readStructure()), paced, nowMs),
    levels: polled(
      async () => levelsDocument(await model.readLevels(), mapOf(await model.readStructure())),
      paced,
      nowMs,
    ),
    ...redriveFeeds(context),
    ...relayFeeds(context),
    ...fleetFeeds(context),
    ...doctorFeeds(context),
    'dead-letters': polled(async () => deadLettersDocument(await model.readLevels()), paced, nowMs),
    simulation: simulationFeed(controls, nowMs),
  };
}

/** The calls of the console. A view that asks for something, or changes something, adds its own here. */
function callsOf(context: ConsoleContext, controls: () => SimulationControls): CallHandlers {
  const { model } = context;
  return {
    ...redriveCalls(context),
    ...journeyCalls(context),
    ...simulationCalls(controls),
    ...queueCalls(context),
    refresh: {
      changes: false,
      read: () => ({}),
      run: async () => {
        model.forget();
        await model.readLevels();
        return {};
      },
    },
  };
}

/** A console that answers HTTP requests. */
export interface Console {
  readonly http: ConsoleHttp;
  readonly session: Session;
  close(): Promise<void>;
}

const NAME_BYTES = 6;

/** Makes a console. It reads nothing until a page asks. */
export function newConsole(options: ConsoleOptions): Console {
  const { source, assets, base, isOpen, mayChange, nowMs } = options;
  const pace = source.kind === 'aws' ? AWS_PACE : SIMULATION_PACE;
  const context: ConsoleContext = {
    ...options,
    model: new AccountModel(source, pace, nowMs),
    runs: new RedriveRuns(options),
  };
  const controls = lazyControls(context);
  const session = new Session(`dlo-console-${randomBytes(NAME_BYTES).toString('hex')}`, isOpen);
  const feeds = new OpenFeeds(feedsOf(context, controls));
  const http = new ConsoleHttp({
    allowHosts: options.allowHosts ?? [],
    session,
    feeds,
    calls: new ConsoleCalls(callsOf(context, controls), mayChange),
    assets,
    base,
  });
  return {
    http,
    session,
    close: async () => {
      http.close();
      await context.runs.close();
      await source.close();
    },
  };
}
