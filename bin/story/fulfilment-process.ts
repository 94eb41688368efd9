import { SQS } from '@aws-sdk/client-sqs';
import { fulfilOrders } from '../../examples/rental/fulfilment-process/fulfilment';
import type { LocalAws, Scheduler } from '../../local';

const ROLE_PATH = /\/FulfilmentSystem\/Role\/Resource$/;

interface LogLine {
  readonly level: 'INFO' | 'ERROR';
  readonly message: string;
  readonly [detail: string]: unknown;
}

export interface FulfilmentProcess {
  readonly log: readonly LogLine[];
  /** The process finishes its order first. */
  stop(): void;
}

/**
 * Runs the process of `examples/rental` under virtual time, with the role of its instance. A stack without `systems` has no
 * such role. The process then acts as an administrator, like a server outside AWS with credentials of its own.
 *
 * @param clock the clock of the instance
 */
export function startFulfilment(
  aws: LocalAws,
  queueUrl: string,
  clock: Pick<Scheduler, 'nowMs' | 'after'> = aws.timeline,
): FulfilmentProcess {
  const log: LogLine[] = [];
  const stop = new AbortController();
  // Retries of the client would wait in real time.
  const sqs = new SQS({ ...aws.clientConfig(instanceRole(aws)), maxAttempts: 1 });
  const running = fulfilOrders({ sqs, queueUrl, clock, log: line => log.push(line) }, stop.signal);
  aws.timeline.whenSettled(running, ended => {
    if (ended.status === 'rejected') throw ended.reason;
  });
  return { log, stop: () => stop.abort() };
}

function instanceRole({ stacks }: LocalAws): { readonly role?: string } {
  const resources = stacks.flatMap(({ resources }) => [...resources.values()]);
  const role = resources.find(({ path }) => ROLE_PATH.test(path ?? ''))?.attributes['Arn'];
  return role === undefined ? {} : { role };
}
