import type { Connection, ConnectionOptions } from '../../account/connection/connection';
import type { ServerClock } from '../../account/connection/server-clock';
import { BadInput } from '../../account/errors';
import type { Site } from '../../account/printed-commands';
import { isObject, parseObject } from '../../policy/json-members';
import { type AloneWork, HeldConnection, type Purpose } from './held-connection';

export interface ConsoleSource {
  readonly kind: 'aws' | 'simulation';
  readonly options: ConnectionOptions;
  /** For printed commands. */
  readonly site: Site;
  readonly requestsInLastMinute: number;
  /** Why AWS does not answer. @default - it does */
  readonly silence?: string | undefined;
  /** For reads. A simulation does not record them. */
  use<T>(work: (aws: Connection) => Promise<T>): Promise<T>;
  /** Like `use`, for what changes something or takes long: with a connection of its own, and the clock of AWS. */
  alone<T>(purpose: Purpose, work: AloneWork<T>): Promise<T>;
  /** The time of the AWS that is shown. */
  nowMs(): Promise<number>;
  /** Reads or sets something of the simulation: `GET state`, `POST advance`. Undefined for AWS. */
  readonly control?: Control;
  close(): Promise<void>;
}

/** A request to `/_dlo/…` of a simulation. @throws Error with what it answers, when it refuses */
export type Control = (method: string, path: string, body?: unknown) => Promise<unknown>;

/** Requests with this header are not repeated when a simulation returns to an earlier point. They must not change anything. */
const OBSERVER = { 'x-dlo-observer': 'console' } as const;

/** Any simulation accepts them. */
const CREDENTIALS = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'local' };

/** A jump over weeks, or a return to an earlier point, runs all the work between. */
const CONTROL_TIMEOUT_MS = 600_000;

function controlOf(url: string): Control {
  return async (method, path, body) => {
    const answer = await fetch(`${url}/_dlo/${path}`, {
      method,
      signal: AbortSignal.timeout(CONTROL_TIMEOUT_MS),
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await answer.text();
    if (answer.ok) return JSON.parse(text);
    if (answer.status === 400) throw new BadInput([refusalIn(text)]);
    throw new Error(`${method} /_dlo/${path}: ${text.slice(0, 500)}`);
  };
}

function refusalIn(text: string): string {
  const message = parseObject(text)?.['message'];
  return typeof message === 'string' ? message : text.slice(0, 500);
}

/**
 * A real AWS, or what `--endpoint-url` names.
 * @param nowMs the machine's clock
 * @param clock that of the AWS. It learns the time from the answers.
 */
export function awsSource(
  options: ConnectionOptions,
  nowMs: () => number,
  clock: Pick<ServerClock, 'nowMs' | 'answered'>,
): ConsoleSource {
  const connection = new HeldConnection(options, nowMs, clock.answered);
  return {
    kind: 'aws',
    options,
    site: { options, ...(options.region !== undefined && { region: options.region }) },
    get requestsInLastMinute() {
      return connection.requestsInLastMinute;
    },
    get silence() {
      return connection.silence;
    },
    use: work => connection.use(work),
    alone: (purpose, work) => connection.alone(purpose, work),
    nowMs: async () => clock.nowMs(),
    close: () => connection.close(),
  };
}

/**
 * A `dlo local`.
 *
 * @param url of its port
 * @param region the default Region of the simulation
 * @param nowMs the machine's clock
 */
export function simulationSource(url: string, region: string, nowMs: () => number): ConsoleSource {
  const options = { endpointUrl: url, region };
  const connection = new HeldConnection({ ...options, credentials: CREDENTIALS, headers: OBSERVER }, nowMs);
  const control = controlOf(url);
  return {
    kind: 'simulation',
    options,
    site: { options, region },
    get requestsInLastMinute() {
      return connection.requestsInLastMinute;
    },
    use: work => connection.use(work),
    alone: (purpose, work) => connection.alone(purpose, work),
    nowMs: async () => {
      const health = await control('GET', 'health');
      return Date.parse(isObject(health) ? String(health['now']) : '');
    },
    control,
    close: () => connection.close(),
  };
}
