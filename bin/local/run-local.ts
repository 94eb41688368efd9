import { BadInput, messageOf } from '../../account/errors';
import { AssemblyError, eventDocument, isoInstant, LocalAws, type Speed } from '../../local';
import type { Io } from '../io';
import { paintFor } from '../text';
import { synthesize } from './synthesize';
import { followLine, overviewText } from './text';

export interface LocalOptions {
  /** With the `cdk.json`, where no assembly is named. */
  readonly folder: string;
  readonly assembly?: string;
  readonly context: Readonly<Record<string, string>>;
  readonly port: number;
  readonly bind: string;
  readonly speed: Speed;
  readonly seed: string;
  readonly startAt?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/**
 * Deploys, serves and follows until it is interrupted.
 *
 * @throws BadInput when there is nothing to deploy, or it cannot be deployed here
 * @throws Error when the port cannot be had, or the app fails
 */
export async function runLocal(options: LocalOptions, io: Io): Promise<void> {
  const stop = new AbortController();
  const interrupted = io.interrupted().then(() => stop.abort());
  const aws = await unlessStopped(deployed(options, io, stop.signal), stop.signal);
  if (!aws) return;
  try {
    const { url } = await listening(aws, options, io);
    const state = aws.state();
    const stacks = aws.stacks.map(({ name }) => name);
    const { lastSeq } = aws.trace;
    if (options.json)
      io.stdout.write(`${JSON.stringify({ type: 'local.listening', url, stacks, lastSeq, ...state })}\n`);
    else io.stdout.write(overviewText({ url, stacks, state, speed: options.speed }));
    if (!options.quiet) follow(aws, options.json === true, io);
    await interrupted;
  } finally {
    await aws.close();
  }
}

/** What came of some work; undefined when it came to nothing because it was to stop. */
async function unlessStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** Of a server that runs for days; `GET /_dlo/trace` has the older ones no more. */
const KEPT_HAPPENINGS = 1_000_000;

async function deployed(options: LocalOptions, io: Io, signal: AbortSignal): Promise<LocalAws> {
  const { folder, assembly, context, seed, startAt } = options;
  const directory = assembly ?? (await synthesize(folder, context, io, signal));
  try {
    // Whole seconds, as people read them.
    const now = isoInstant(Math.floor(Date.now() / 1000) * 1000);
    return await LocalAws.deploy(directory, { seed, startAt: startAt ?? now, trace: { keep: KEPT_HAPPENINGS } });
  } catch (error) {
    if (error instanceof AssemblyError) throw new BadInput(error.problems);
    throw error;
  }
}

/** What people can do about a port that cannot be had, by node's code. */
const ADVICE: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken: name another --port, or 0 for any that is free',
  EACCES: 'may not be listened on: name another --port',
  EADDRNOTAVAIL: 'is at no address of this machine: name another --bind',
  ENOTFOUND: 'is at no address anybody knows: name another --bind',
};

async function listening(aws: LocalAws, { port, bind, speed }: LocalOptions, io: Io) {
  let last = '';
  const onError = (error: unknown): void => {
    const text = messageOf(error);
    // What breaks again and again, for the same reason, is said once.
    if (text !== last) io.stderr.write(`dlo: ${text}\n`);
    last = text;
  };
  try {
    return await aws.listen({ port, host: bind, speed, onError });
  } catch (error) {
    const advice = ADVICE[typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''];
    if (advice === undefined) throw error;
    throw new Error(`port ${port} of ${bind} ${advice}`, { cause: error });
  }
}

function follow(aws: LocalAws, asJson: boolean, io: Io): void {
  const paint = paintFor(io.stdout.isTTY);
  aws.trace.follow(happening => {
    io.stdout.write(asJson ? `${JSON.stringify(eventDocument(happening))}\n` : `${followLine(happening, paint)}\n`);
  });
}
