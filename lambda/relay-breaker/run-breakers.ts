import type { NowMs, Wait } from '../../mover/aws/clock';
import type { AlarmFacts } from '../../policy/relay/breaker';
import {
  type BreakerSettings,
  concernsRelay,
  readBreakerEvent,
  readBreakerSettings,
} from '../../policy/relay/breaker-event';
import type { Log } from '../shared/log';
import { type BreakerPorts, runBreaker } from './breaker';

interface Invocation {
  /** `arn:partition:lambda:region:account:function:name` */
  readonly invokedFunctionArn: string;
  readonly getRemainingTimeInMillis: () => number;
}

type RelayPorts = Omit<BreakerPorts, 'facts' | 'nowMs' | 'retentionMs' | 'log'>;

/** What the breakers of several relays need. */
export interface BreakersPorts {
  readonly alarms: (alarmNames: readonly string[]) => Promise<ReadonlyMap<string, AlarmFacts>>;
  readonly portsOf: (settings: BreakerSettings, queueArn: string) => RelayPorts;
  readonly nowMs: NowMs;
  readonly wait: Wait;
  /** Returns a number from 0 to less than 1. */
  readonly chance: () => number;
  readonly log: Log;
}

/**
 * Returns a handler that moves the breakers of the event's relays by one step each. An error with one relay does not
 * keep the others from being checked. In the end the handler throws it, because an alarm counts the errors of the
 * function.
 */
export function breakersHandler(ports: BreakersPorts): (event: unknown, invocation: Invocation) => Promise<void> {
  const { alarms, nowMs, wait, chance } = ports;
  return async (received, invocation) => {
    const startMs = nowMs();
    const event = readBreakerEvent(received);
    const errors: unknown[] = [];
    const relays = event.relays.flatMap(it => settingsOf(it, errors, ports.log)).filter(it => concernsRelay(event, it));
    if (relays.length > 0) {
      const states = alarms(relays.map(({ alarmName }) => alarmName));
      const runs = relays.map(async relay => {
        const alarm = alarmOf(await states, relay);
        const delayMs = event.alarmName === undefined ? Math.floor(chance() * event.spreadMs) : 0;
        if (delayMs > 0) await wait(delayMs);
        // A run must end before the next one begins.
        const remainingMs = () => Math.min(invocation.getRemainingTimeInMillis(), startMs + relay.tickMs - nowMs());
        await runBreaker(portsOf(relay, alarm, invocation, ports), { tickAtMs: event.tickAtMs, remainingMs });
      });
      for (const [index, run] of (await Promise.allSettled(runs)).entries()) {
        if (run.status === 'fulfilled') continue;
        errors.push(run.reason);
        ports.log({
          level: 'ERROR',
          message: 'breaker failed',
          relay: relays[index]?.functionName,
          error: String(run.reason),
        });
      }
    }
    throwAll(errors);
  };
}

function settingsOf(relay: unknown, errors: unknown[], log: Log): BreakerSettings[] {
  try {
    return [readBreakerSettings(relay)];
  } catch (error) {
    errors.push(error);
    log({ level: 'ERROR', message: 'breaker failed', error: String(error) });
    return [];
  }
}

function alarmOf(states: ReadonlyMap<string, AlarmFacts>, { alarmName }: BreakerSettings): AlarmFacts {
  const alarm = states.get(alarmName);
  if (!alarm) throw new Error(`there is no alarm ${alarmName}`);
  return alarm;
}

/** The ARN of a queue that is in the account and Region of the function. */
function queueArnOf({ queueUrl }: BreakerSettings, { invokedFunctionArn }: Invocation): string {
  const [, partition, , region, account] = invokedFunctionArn.split(':');
  return ['arn', partition, 'sqs', region, account, queueUrl.split('/').at(-1)].join(':');
}

function portsOf(
  settings: BreakerSettings,
  alarm: AlarmFacts,
  invocation: Invocation,
  { portsOf: own, nowMs, log }: BreakersPorts,
): BreakerPorts {
  const { configuredConcurrency, settleMs, probeIntervalMs, tickMs, retentionMs, functionName: relay } = settings;
  const ports = own(settings, queueArnOf(settings, invocation));
  return {
    ...ports,
    facts: async () => {
      const mapping = await ports.mapping();
      return { nowMs: nowMs(), mapping, alarm, configuredConcurrency, settleMs, probeIntervalMs, tickMs };
    },
    nowMs,
    retentionMs,
    log: line => log({ ...line, relay }),
  };
}

/** Throws a single error as it is, and several as one. */
function throwAll(errors: readonly unknown[]): void {
  const [error] = errors;
  if (errors.length > 1) throw new AggregateError(errors, `${errors.length} errors, first ${String(error)}`);
  if (error !== undefined) throw error;
}
