import { type ChildProcess, type SpawnOptionsWithoutStdio, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BadInput, messageOf } from '../../account/errors';
import { isMembers, type Members } from '../../local/kernel/json';
import type { Io } from '../io';

/** As much of `cdk.json` as it takes to run the app. */
interface CdkJson {
  readonly app: string;
  /** Runs before the app. */
  readonly build?: string;
  readonly context: Readonly<Record<string, unknown>>;
}

/** What the CDK's own command tells every app, and what the embedded AWS goes by: each resource knows its construct. */
const CLI_CONTEXT = {
  'aws:cdk:enable-path-metadata': true,
  'aws:cdk:enable-asset-metadata': true,
  'aws:cdk:version-reporting': false,
  'aws:cdk:bundling-stacks': ['**'],
} as const;

/** Where stacks go that ask for the command's own account and Region: those the embedded AWS plays. */
const DEFAULT_PLACE = { CDK_DEFAULT_ACCOUNT: '123456789012', CDK_DEFAULT_REGION: 'us-east-1' } as const;

/** A longer environment variable is refused by Linux. */
const LONGEST_CONTEXT = 120_000;

/**
 * Runs the app of the `cdk.json` in `folder` as the CDK's own command does, `build` before it. The assembly goes when the
 * process does. An `app` that is the folder of an assembly is that assembly.
 *
 * @param context goes before what `cdk.json` and `cdk.context.json` say
 * @param signal ends what runs
 * @returns the folder of the assembly
 * @throws BadInput when there is no app to run
 * @throws Error when the build or the app fails; what they had to say is on stderr
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
    throw new Error(`the app (${cdkJson.app}) wrote no cloud assembly: does it call app.synth()?`);
  }
  return directory;
}

/** Ends a command and everything it runs; nobody waits for what they still have to say. */
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
    // That they have ended by themselves is all that was wanted.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

function readCdkJson(folder: string): CdkJson {
  const file = path.join(folder, 'cdk.json');
  if (!existsSync(file))
    throw new BadInput([`there is no cdk.json in ${folder}: name an --assembly, or go where it is`]);
  const { app, build, context } = membersIn(file);
  const problems = [
    ...(typeof app === 'string' && app !== '' ? [] : [`${file}: app must be the command that runs the app`]),
    ...(build === undefined || typeof build === 'string' ? [] : [`${file}: build must be a command`]),
    ...(context === undefined || isMembers(context) ? [] : [`${file}: context must be an object`]),
  ];
  if (problems.length > 0) throw new BadInput(problems);
  const lookedUp = path.join(folder, 'cdk.context.json');
  return {
    app: String(app),
    ...(typeof build === 'string' && { build }),
    context: { ...(isMembers(context) && context), ...(existsSync(lookedUp) && membersIn(lookedUp)) },
  };
}

function membersIn(file: string): Members {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (isMembers(value)) return value;
  } catch (error) {
    throw new BadInput([`${file}: ${messageOf(error)}`]);
  }
  throw new BadInput([`${file}: must be an object`]);
}

/** A bare JavaScript file is run by node, as the CDK's own command runs it. */
function appCommand(app: string, folder: string): string {
  const isFile = app.endsWith('.js') && existsSync(path.join(folder, app));
  return isFile ? `"${process.execPath}" ${app}` : app;
}

type SpawnOptions = Required<Pick<SpawnOptionsWithoutStdio, 'cwd' | 'env' | 'signal'>>;

/** What a command prints goes to stderr: stdout is for what happens afterwards. */
function run(what: string, command: string, { signal: stop, ...options }: SpawnOptions, io: Io): Promise<void> {
  return new Promise((resolve, reject) => {
    // A shell that is asked to end leaves what it runs behind: they are a group of their own, and end together.
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
