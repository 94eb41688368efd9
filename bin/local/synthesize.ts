import { type ChildProcess, type SpawnOptionsWithoutStdio, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BadInput, messageOf } from '../../account/errors';
import { isObject, type JsonObject } from '../../policy/json-members';
import type { Io } from '../shared/io';

/** The parts of `cdk.json` that are needed to run the app. */
interface CdkJson {
  readonly app: string;
  /** A command to run before the app. */
  readonly build?: string;
  readonly context: Readonly<Record<string, unknown>>;
}

/** Context that the cdk command sets for every app. The embedded AWS needs the construct path of each resource. */
const CLI_CONTEXT = {
  'aws:cdk:enable-path-metadata': true,
  'aws:cdk:enable-asset-metadata': true,
  'aws:cdk:version-reporting': false,
  'aws:cdk:bundling-stacks': ['**'],
} as const;

/** The account and Region of the embedded AWS, for stacks that use those of the CLI. */
const DEFAULT_PLACE = { CDK_DEFAULT_ACCOUNT: '123456789012', CDK_DEFAULT_REGION: 'us-east-1' } as const;

/** Linux limits the length of an environment variable. */
const LONGEST_CONTEXT = 120_000;

/**
 * Runs the app of the `cdk.json` in `folder` as the cdk command does, after its `build`. The assembly is deleted when the process
 * ends. If `app` is the folder of an assembly, that assembly is used.
 *
 * @param context overrides `cdk.json` and `cdk.context.json`
 * @param signal stops the build or the app
 * @returns the folder of the assembly
 */
export async function synthesize(
  folder: string,
  context: Readonly<Record<string, string>>,
  io: Io,
  signal: AbortSignal,
): Promise<string> {
  const cdkJson = readCdkJson(folder);
  const directory = mkdtempSync(path.join(tmpdir(), 'dlo-local-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const given = JSON.stringify({ ...CLI_CONTEXT, ...cdkJson.context, ...context });
  if (given.length > LONGEST_CONTEXT) {
    throw new BadInput([
      `the context of the app must not be longer than ${LONGEST_CONTEXT} characters, got ${given.length}`,
    ]);
  }
  const env = { ...DEFAULT_PLACE, ...process.env, CDK_OUTDIR: directory, CDK_CONTEXT_JSON: given };
  if (cdkJson.build !== undefined) await run('the build', cdkJson.build, { cwd: folder, env: process.env, signal }, io);
  const folderOfApp = path.resolve(folder, cdkJson.app);
  if (existsSync(path.join(folderOfApp, 'manifest.json'))) return folderOfApp;
  await run('the app', appCommand(cdkJson.app, folder), { cwd: folder, env, signal }, io);
  if (!existsSync(path.join(directory, 'manifest.json'))) {
    throw new Error(`the app (${cdkJson.app}) did not write a cloud assembly: does it call app.synth()?`);
  }
  return directory;
}

/** Ends a command with its child processes, without waiting for their output. */
function endAll(child: ChildProcess, isGroup: boolean): void {
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.unref();
  if (child.pid === undefined) return;
  if (!isGroup) {
    spawn('taskkill', ['/pid', String(child.pid), '/T', '/F'], { stdio: 'ignore' });
    return;
  }
  try {
    process.kill(-child.pid, 'SIGTERM');
  } catch (error) {
    // They have ended already.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

function readCdkJson(folder: string): CdkJson {
  const file = path.join(folder, 'cdk.json');
  if (!existsSync(file))
    throw new BadInput([`${folder} has no cdk.json: name an --assembly, or change to the folder of the app`]);
  const { app, build, context } = membersIn(file);
  const problems = [
    ...(typeof app === 'string' && app !== '' ? [] : [`${file}: app must be the command that runs the app`]),
    ...(build === undefined || typeof build === 'string' ? [] : [`${file}: build must be a command`]),
    ...(context === undefined || isObject(context) ? [] : [`${file}: context must be an object`]),
  ];
  if (problems.length > 0) throw new BadInput(problems);
  const lookedUp = path.join(folder, 'cdk.context.json');
  return {
    app: String(app),
    ...(typeof build === 'string' && { build }),
    context: { ...(isObject(context) && context), ...(existsSync(lookedUp) && membersIn(lookedUp)) },
  };
}

function membersIn(file: string): JsonObject {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (isObject(value)) return value;
  } catch (error) {
    throw new BadInput([`${file}: ${messageOf(error)}`]);
  }
  throw new BadInput([`${file}: must be an object`]);
}

/** A JavaScript file is run by node, as the cdk command does. */
function appCommand(app: string, folder: string): string {
  const isFile = app.endsWith('.js') && existsSync(path.join(folder, app));
  return isFile ? `"${process.execPath}" ${app}` : app;
}

type SpawnOptions = Required<Pick<SpawnOptionsWithoutStdio, 'cwd' | 'env' | 'signal'>>;

/** The output of a command goes to stderr, because stdout is for the events. */
function run(what: string, command: string, { signal: stop, ...options }: SpawnOptions, io: Io): Promise<void> {
  return new Promise((resolve, reject) => {
    // A shell does not end its child processes, so all of them are in one process group that can be ended.
    const detached = process.platform !== 'win32';
    const child = spawn(command, { ...options, detached, shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const end = (): void => {
      endAll(child, detached);
      reject(new Error(`${what} (${command}) was stopped`));
    };
    if (stop.aborted) end();
    else stop.addEventListener('abort', end, { once: true });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => io.stderr.write(text));
    }
    child.once('error', reject);
    child.once('close', (code, signal) => {
      stop.removeEventListener('abort', end);
      if (code === 0) resolve();
      else reject(new Error(`${what} (${command}) ended with ${code ?? signal}`));
    });
  });
}
