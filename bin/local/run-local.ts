import { existsSync, readFileSync, statSync, watch } from 'node:fs';
import path from 'node:path';
import { BadInput, messageOf } from '../../account/errors';
import {
  type AccountAndRegion,
  AssemblyError,
  eventDocument,
  LocalAws,
  type Speed,
  StackFailed,
  type StandInRule,
} from '../../local';
import { isoInstant } from '../../policy/instants';
import { isObject, parseObject } from '../../policy/json-members';
import { unavailablePort } from '../shared/command-line';
import type { Io } from '../shared/io';
import { paintFor } from '../shared/terminal-text';
import { LocalConsole } from './local-console';
import { followLine, noteLines, overviewText } from './local-text';
import { synthesize } from './synthesize';

/** How long the files of an assembly must not have changed, in milliseconds of real time: `cdk synth` writes several. */
const SETTLED_MS = 300;

/** Manifests and templates. `cdk synth` writes the manifest of the whole assembly every time. */
const WATCHED = /\.(json|ya?ml|template)$/;

/**
 * Updates the stacks whenever their assemblies change. An assembly that cannot be deployed is reported, and the stacks
 * stay as they are until the next change.
 *
 * @returns a function that stops it
 */
function updateOnChange(
  aws: LocalAws,
  apps: readonly string[],
  parameters: Readonly<Record<string, string>>,
  io: Io,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let updating: Promise<void> = Promise.resolve();
  const changed = (_event: string, file: string | null): void => {
    if (file !== null && !WATCHED.test(file)) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      updating = updating.then(() => update(() => aws.update(apps, { parameters }), io));
    }, SETTLED_MS);
  };
  // An editor may replace a file by another, so its folder is watched.
  const folders = new Set(apps.map(app => (statSync(app).isFile() ? path.dirname(app) : app)));
  const watchers = [...folders].map(folder => watch(folder, changed));
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}

async function update(change: () => Promise<readonly string[]>, io: Io): Promise<void> {
  try {
    const names = await change();
    io.stderr.write(names.length === 0 ? 'No stack has changed.\n' : `Updated ${names.join(', ')}.\n`);
  } catch (error) {
    const problems =
      error instanceof AssemblyError || error instanceof StackFailed ? error.problems : [messageOf(error)];
    io.stderr.write(problems.map(problem => `dlo: ${problem}\n`).join(''));
  }
}

/**
 * The folder of a stage's own assembly in the assembly of its app.
 *
 * @param assembly the folder of the app's assembly, for example `cdk.out`
 * @param stage the id of the stage in the app, for example `Prod`, or its path for a stage inside another one
 * @throws BadInput that lists the stages when there is none of this name
 */
function stageFolder(assembly: string, stage: string): string {
  const stages = stagesIn(assembly);
  const folder = stages.get(stage);
  if (folder !== undefined) return folder;
  const names = [...stages.keys()].join(', ') || 'none';
  throw new BadInput([`--stage must be a stage of the app, got ${JSON.stringify(stage)}: the stages are ${names}`]);
}

function stagesIn(folder: string): ReadonlyMap<string, string> {
  const file = path.join(folder, 'manifest.json');
  const manifest = existsSync(file) ? parseObject(readFileSync(file, 'utf8')) : undefined;
  const artifacts = isObject(manifest?.['artifacts']) ? Object.entries(manifest['artifacts']) : [];
  const nested = artifacts.flatMap(([id, artifact]): (readonly [string, string])[] => {
    if (!isObject(artifact) || artifact['type'] !== 'cdk:cloud-assembly') return [];
    const { directoryName = id, displayName = id } = isObject(artifact['properties']) ? artifact['properties'] : {};
    const own = path.join(folder, String(directoryName));
    return [[String(displayName), own], ...stagesIn(own)];
  });
  return new Map(nested);
}

/** A service that is not simulated, and the emulator that gets its calls. */
export interface Forward {
  readonly service: string;
  readonly url: string;
}

export interface LocalOptions {
  /** The folder of the `cdk.json`, if no assembly is named. */
  readonly folder: string;
  /** Directories. */
  readonly assembly: readonly string[];
  /** Files. */
  readonly template: readonly string[];
  readonly watch?: boolean;
  /** The stage to deploy. @default - all stacks of the app */
  readonly stage?: string;
  readonly context: Readonly<Record<string, string>>;
  /** Values of template parameters. */
  readonly parameter: Readonly<Record<string, string>>;
  readonly port: number;
  readonly bind: string;
  readonly allowHost: readonly string[];
  readonly speed: Speed;
  readonly seed: string;
  readonly standIns: StandInRule;
  readonly startAt?: string;
  /** ARNs of registered devices. */
  readonly device: readonly string[];
  /** Accounts and Regions, in addition to those of the app. */
  readonly place: readonly AccountAndRegion[];
  readonly forward: readonly Forward[];
  readonly json?: boolean;
  readonly quiet?: boolean;
  /** Whether bodies of messages are printed. */
  readonly bodies: boolean;
}

/**
 * Deploys and serves the app, and prints its events until it is interrupted.
 *
 * @throws BadInput when there is nothing to deploy, or it cannot be deployed here
 * @throws Error when the port is not available, or the app fails
 */
export async function runLocal(options: LocalOptions, io: Io): Promise<void> {
  const stop = new AbortController();
  const interrupted = io.interrupted().then(() => stop.abort());
  const apps = await unlessStopped(appsToDeploy(options, io, stop.signal), stop.signal);
  const aws = apps && (await deployed(apps, options));
  if (!aws) return;
  const page = new LocalConsole(options.allowHost);
  let endWatch = (): void => {};
  try {
    const { url, port } = await listening(aws, options, io, page.pages);
    page.open(port, aws.place.region);
    const state = aws.state();
    const stacks = aws.stacks.map(({ name }) => name);
    const { lastSeq } = aws.trace;
    if (options.json)
      io.stdout.write(`${JSON.stringify({ type: 'local.listening', url, stacks, lastSeq, ...state })}\n`);
    else io.stdout.write(overviewText({ url, stacks, state, speed: options.speed }));
    if (!options.quiet) follow(aws, options, io);
    if (options.watch) endWatch = updateOnChange(aws, apps, options.parameter, io);
    await interrupted;
  } finally {
    endWatch();
    await page.close();
    await aws.close();
  }
}

/** The result of an operation. Undefined when it failed because it was stopped. */
async function unlessStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** The server can run for days. `GET /_dlo/trace` does not have older events. */
const KEPT_EVENTS = 1_000_000;

async function deployed(apps: readonly string[], options: LocalOptions): Promise<LocalAws> {
  const { seed, startAt, device: devices, place: places } = options;
  try {
    // Whole seconds are easier to read.
    const now = isoInstant(Math.floor(Date.now() / 1000) * 1000);
    const trace = { keep: KEPT_EVENTS };
    const forward = Object.fromEntries(options.forward.map(({ service, url }) => [service, url]));
    const { standIns } = options;
    const common = { seed, startAt: startAt ?? now, trace, sns: { devices }, forward, places, standIns };
    if (apps.length === 0) return LocalAws.start(common);
    return await LocalAws.deploy(apps, { ...common, parameters: options.parameter });
  } catch (error) {
    if (error instanceof AssemblyError) throw new BadInput(error.problems);
    if (error instanceof RangeError) throw new BadInput([error.message]);
    throw error;
  }
}

/** The assemblies and templates to deploy. None if there is no app: then AWS is empty. */
async function appsToDeploy(options: LocalOptions, io: Io, signal: AbortSignal): Promise<readonly string[]> {
  const { folder, assembly, template, stage, watch, context } = options;
  const named = [...assembly, ...template];
  const problems = [
    ...(watch && named.length === 0
      ? ['--watch needs an --assembly, which cdk synth writes again, or a --template']
      : []),
    ...(stage !== undefined && template.length > 0 ? ['--stage cannot be used with --template'] : []),
    ...(stage !== undefined && assembly.length > 1 ? [`--stage needs one --assembly, got ${assembly.length}`] : []),
  ];
  if (problems.length > 0) throw new BadInput(problems);
  if (named.length === 0 && !existsSync(path.join(folder, 'cdk.json'))) {
    if (stage !== undefined)
      throw new BadInput([`--stage needs an app: ${folder} has no cdk.json; name an --assembly`]);
    if (Object.keys(options.parameter).length > 0)
      throw new BadInput([`--parameter needs an app: ${folder} has no cdk.json; name an --assembly or a --template`]);
    io.stderr.write(`${folder} has no cdk.json, so AWS is empty. Name an --assembly or --template to deploy one.\n`);
    return [];
  }
  const apps = named.length > 0 ? named : [await synthesize(folder, context, io, signal)];
  return stage === undefined ? apps : apps.map(app => stageFolder(app, stage));
}

async function listening(aws: LocalAws, options: LocalOptions, io: Io, pages: LocalConsole['pages']) {
  const { port, bind, allowHost: allowHosts, speed, quiet } = options;
  let last = '';
  const onError = (error: unknown): void => {
    const text = messageOf(error);
    // A repeated error is printed once.
    if (text !== last) io.stderr.write(`dlo: ${text}\n`);
    last = text;
  };
  try {
    const onRestored = (): void => {
      if (quiet) return;
      if (!options.json) io.stdout.write(`It is ${aws.now} again.\n`);
      follow(aws, options, io);
    };
    return await aws.listen({ port, host: bind, allowHosts, speed, onError, rewindable: true, onRestored, pages });
  } catch (error) {
    throw unavailablePort(error, port, bind) ?? error;
  }
}

function follow(aws: LocalAws, { json, bodies }: LocalOptions, io: Io): void {
  if (json) {
    aws.trace.follow(event => io.stdout.write(`${JSON.stringify(eventDocument(event))}\n`));
    return;
  }
  const paint = paintFor(io.stdout);
  aws.trace.follow(event => io.stdout.write(`${followLine(event, paint)}\n`));
  aws.trace.followNotes(note => {
    if (note.kind === 'body' && !bodies) return;
    for (const line of noteLines(note, paint, io.stdout.columns)) io.stdout.write(`${line}\n`);
  });
}
