import { alarmsOn, allAlarms } from '../../account/alarm-reports';
import type { ConnectionOptions } from '../../account/connection/connection';
import { type Connection, connected } from '../../account/connection/connection';
import { oneNamed, queueNameOf } from '../../account/names';
import type { Site } from '../../account/printed-commands';
import { type FoundRedrives, findRedrives, hasSettings, type KnownRedrive } from '../../account/redrive/find-redrives';
import {
  askForRun,
  carryOut,
  keptText,
  prospectOf,
  type RedriveSwitch,
  switchPlan,
} from '../../account/redrive/operate-redrive';
import { factClients, failurePlaces, lastRecords, lookAt, type RedriveView } from '../../account/redrive/redrive-state';
import type { Io } from '../shared/io';
import { warn, writeJson } from '../shared/print';
import { paintFor } from '../shared/terminal-text';
import type { RedriveReport } from './advice';
import { redriveDocument, showDocument } from './redrive-documents';
import { listText, showText } from './redrive-text';
import { askDocument, askText, switchDocument, switchText } from './switch-and-run-text';

interface Chosen extends FoundRedrives {
  readonly redrive: KnownRedrive;
}

/**
 * @throws BadInput when no redrive has the name, or more than one
 * @throws Error when its settings cannot be read
 */
async function choose(aws: Connection, name: string, io: Io): Promise<Chosen> {
  const found = await findRedrives(aws);
  const redrive = oneNamed(name, found.redrives, 'redrive', aws.region);
  warn(io, found.warnings);
  if (hasSettings(redrive)) return { ...found, redrive };
  throw new Error(`${redrive.name} was deployed by another version, whose settings this version cannot read`);
}

/** `dlo redrive ls`. */
export async function listRedrives(options: RedriveCommandOptions, io: Io, nowMs: () => number): Promise<void> {
  await connected(options, async aws => {
    const { redrives, warnings } = await findRedrives(aws);
    const clients = factClients(aws);
    const looks = await Promise.all(redrives.map(redrive => lookAt(clients, redrive, nowMs)));
    warn(io, [...warnings, ...looks.flatMap(look => look.warnings)]);
    if (options.json) writeJson(io, { region: aws.region, redrives: looks.map(redriveDocument) });
    else io.stdout.write(listText(looks, aws.region, paintFor(io.stdout.isTTY)));
  });
}

async function wholeOf(
  aws: Connection,
  site: Site,
  seen: RedriveView,
  { redrives }: FoundRedrives,
  nowMs: () => number,
): Promise<RedriveReport> {
  const { name, settings } = seen.redrive;
  const [places, all] = await Promise.all([
    failurePlaces(factClients(aws), settings, redrives, nowMs()),
    allAlarms(aws),
  ]);
  const { deadLetters, destination } = settings;
  const queues = [deadLetters, destination, ...places.map(({ queue }) => queue)].map(({ arn }) => queueNameOf(arn));
  return { seen, site, places, alarms: alarmsOn([name, ...queues], all), ownAlarms: alarmsOn([name], all) };
}

/**
 * `dlo redrive show`.
 * @throws BadInput when no redrive has the name, or more than one
 */
export async function showRedrive(
  name: string,
  options: RedriveCommandOptions,
  io: Io,
  nowMs: () => number,
): Promise<void> {
  await connected(options, async aws => {
    const chosen = await choose(aws, name, io);
    const { redrive } = chosen;
    const { seen, warnings } = await lookAt(factClients(aws), redrive, nowMs);
    if (!seen) return;
    warn(io, warnings);
    const site = { options, region: aws.region };
    const [whole, records] = await Promise.all([
      wholeOf(aws, site, seen, chosen, nowMs),
      lastRecords(aws, redrive, nowMs()),
    ]);
    if (options.json) writeJson(io, showDocument(whole, records));
    else io.stdout.write(showText(whole, records));
  });
}

/**
 * `dlo redrive stop` and `dlo redrive start`.
 * @throws BadInput when no redrive has the name, or more than one
 */
export async function switchRedrive(
  name: string,
  action: RedriveSwitch,
  options: ActingOptions,
  io: Io,
): Promise<void> {
  const { execute = false, json } = options;
  await connected(options, async aws => {
    const { redrive, redrives } = await choose(aws, name, io);
    const plan = await switchPlan(aws, redrive, redrives, action);
    if (execute) await carryOut(aws, plan);
    if (json) writeJson(io, switchDocument(plan, execute));
    else io.stdout.write(switchText(plan, execute, { options, region: aws.region }));
  });
}

/**
 * `dlo redrive run`.
 * @throws BadInput when no redrive has the name, or more than one
 * @throws Error when no run can start
 */
export async function runRedrive(name: string, options: ActingOptions, io: Io, nowMs: () => number): Promise<void> {
  const { execute = false, json } = options;
  await connected(options, async aws => {
    const { redrive } = await choose(aws, name, io);
    const { seen, warnings } = await lookAt(factClients(aws), redrive, nowMs);
    if (!seen) return;
    warn(io, warnings);
    const prospect = prospectOf(seen);
    if (execute && prospect === 'kept') throw new Error(keptText(seen));
    if (execute && prospect === 'begins') await askForRun(aws, seen);
    if (json) writeJson(io, askDocument(seen, execute));
    else io.stdout.write(askText(seen, execute, { options, region: aws.region }));
  });
}

export interface RedriveCommandOptions extends ConnectionOptions {
  readonly json?: boolean;
}

/** The options of a command that changes something. */
export interface ActingOptions extends RedriveCommandOptions {
  readonly execute?: boolean;
}
