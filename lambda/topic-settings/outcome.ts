import type { Wait } from '../../mover/aws/clock';
import type { Log } from '../shared/log';
import type { Request } from './cloudformation-request';

/** The outcome of a call to AWS, or of a whole request. */
export type Outcome =
  | {
      readonly kind: 'done';
      /** The end of the physical id of a resource that was just created. @default - none */
      readonly mark?: typeof TAKEN_OVER;
    }
  /**
   * AWS rejected the call, and nothing has changed: the resource exists already or no longer, the permission is missing, another
   * call is changing the resource or too many calls were made, or the call is wrong.
   */
  | { readonly kind: 'exists' | 'gone' | 'denied' | 'busy' | 'refused'; readonly reason: string }
  /** AWS may have carried it out. */
  | { readonly kind: 'unknown'; readonly reason: string };

export const DONE: Outcome = { kind: 'done' };

/** What every kind of resource needs. */
export interface CommonPorts {
  readonly wait: Wait;
  readonly log: Log;
}

export type Act<Ports> = (request: Request, ports: Ports) => Promise<Outcome>;

export type Acts<Ports> = Readonly<Record<'Create' | 'Update' | 'Delete', Act<Ports>>>;

/**
 * Ends of the physical id of a resource whose `Create` failed. CloudFormation then deletes that resource, which must not block the
 * rollback. If AWS refused it, there is nothing to undo. If AWS may have carried it out, the handler tries to undo it.
 */
export const NEVER_SET = ':never-set';
export const PERHAPS_SET = ':perhaps-set';

/** The end of the physical id of log groups of which one existed before the resource. They outlast the resource. */
export const TAKEN_OVER = ':taken-over';

/** Waits before further tries: a permission that CloudFormation has just created takes seconds to take effect. */
const DELAYS_MS = [2_000, 4_000, 8_000, 16_000];

/** Tries again while the permission is missing, or another call is changing the same resource. */
export async function patiently(attempt: () => Promise<Outcome>, { wait }: CommonPorts): Promise<Outcome> {
  let outcome = await attempt();
  for (const delayMs of DELAYS_MS) {
    if (outcome.kind !== 'denied' && outcome.kind !== 'busy') break;
    await wait(delayMs);
    outcome = await attempt();
  }
  return outcome;
}

type Rejection = Exclude<Outcome['kind'], 'done' | 'unknown'>;

/** Reads an error of an SDK client. `kinds` gives the meaning of its names; a 4xx answer of another name is a refusal. */
export function outcomeOfError(service: string, error: unknown, kinds: Readonly<Record<string, Rejection>>): Outcome {
  const { name, message, $metadata } = error as Partial<{ name: string; message: string; $metadata: Metadata }>;
  const { httpStatusCode = 0, requestId } = $metadata ?? {};
  const reason = `${name}: ${message}${requestId ? ` (${service} request ${requestId})` : ''}`;
  if (httpStatusCode < 400 || httpStatusCode >= 500) return { kind: 'unknown', reason };
  const byName = kinds[String(name)] ?? (THROTTLED.test(String(name)) ? 'busy' : 'refused');
  return { kind: byName, reason };
}

/** A call that was throttled may be repeated. */
const THROTTLED = /^(?:Throttl|TooManyRequests)/;

interface Metadata {
  readonly httpStatusCode?: number;
  readonly requestId?: string;
}
