import type { Context } from 'aws-lambda';
import { awsFailureOf } from '../../mover/aws/aws-calls';
import type { NowMs } from '../../mover/aws/clock';
import type { FirstFacts } from '../../mover/redrive-facts/activity';
import type { FactReader } from '../../mover/redrive-facts/fact-reader';
import { REDRIVE_STATES, type RedrivePlan } from '../../policy/redrive/redrive-decision';
import type { RedriveFacts } from '../../policy/redrive/redrive-facts';
import type { Log } from '../shared/log';
import type { ActOrder, ActResult } from './act';
import { planToleratingUnread, type RedriveEvent, readRedriveEvent } from './plan';
import { isIdle, isRefused, redriveRecord } from './record';
import { type EndedRun, endMetrics, runEndedNow, type SendRunReport } from './reporting';
import type { WriteMetrics } from './step-runner';

export interface RedrivePorts {
  readonly name: string;
  readonly tickMs: number;
  readonly factReader: FactReader;
  readonly plan: (facts: RedriveFacts) => RedrivePlan;
  readonly act: (order: ActOrder) => Promise<ActResult>;
  /** @default - no report of a successful run is sent */
  readonly sendRunReport?: SendRunReport;
  readonly writeMetrics: WriteMetrics;
  readonly nowMs: NowMs;
  readonly log: Log;
}

/**
 * Moves a redrive by one step. The function keeps no state: it reads from AWS what earlier invocations did. So it may be invoked
 * at any time: late, twice at the same time, or again after an invocation that was killed.
 *
 * If AWS rejects a call, the handler logs it and then fails, so that Lambda counts an error and an alarm fires. Lambda's retry is
 * harmless, because it reads the facts again.
 */
export function redriveHandler(
  ports: RedrivePorts,
): (event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>) => Promise<void> {
  const { name, tickMs, factReader, plan: planOf, act, writeMetrics, nowMs, log } = ports;
  return async (payload, context) => {
    const event = readRedriveEvent(payload);
    const { trigger } = event;
    const writeIdle = (): void => writeMetrics(nowMs(), { RedriveState: REDRIVE_STATES.idle });
    const isTick = trigger === 'tick';
    if (isTick && (await factReader.isStillQuiet())) return writeIdle();
    const first = await readFirstFacts(ports, event);
    if (isTick && (await factReader.isQuiet(first))) return writeIdle();
    const reading = await factReader.readAll(first, trigger);
    const { facts, unread } = reading;
    const plan = planToleratingUnread(planOf, reading, event);
    // Before the step starts: the invocation may die while it runs.
    if (plan.decision.kind === 'start' && facts.failures)
      writeMetrics(nowMs(), { FailuresAtStart: facts.failures.now });
    const done = await act({ plan, facts, remainingMs: () => context.getRemainingTimeInMillis() });
    const outcome = { name, facts, unread, plan, done };
    if (!isIdle(outcome)) log(redriveRecord(outcome));
    writeMetrics(nowMs(), {
      RedriveState: REDRIVE_STATES[done.state],
      ...(done.isBegun && { RunsStarted: 1 }),
      ...(isRefused(outcome) && { RunsRefused: 1 }),
    });
    // An incomplete reading reports no end: the invocation fails, and Lambda's retry reports it.
    const ended = unread.length === 0 ? runEndedNow(plan.run, event, tickMs) : undefined;
    const reportFailure = ended && (await reportEnd(ended, ports));
    const failures = [...unread, done.failure, reportFailure].filter(it => it !== undefined);
    if (failures.length > 0) throw new Error(failures.join('; '));
  };
}

/** Logs the failure before it throws. */
async function readFirstFacts(ports: RedrivePorts, { trigger }: RedriveEvent): Promise<FirstFacts> {
  const { factReader, name, log } = ports;
  try {
    return await factReader.readFirst();
  } catch (error) {
    const failure = awsFailureOf(error, 'reading the dead-letter queue');
    if (failure) {
      const { outcome, reason } = failure;
      log({ level: 'ERROR', message: 'redrive', name, trigger, did: 'nothing', outcome, reason });
    }
    throw error;
  }
}

/**
 * Reports the end of a run and returns why that failed, if it did. It sends the notification first: if that fails, Lambda's
 * retry does not count the run twice.
 */
async function reportEnd(ended: EndedRun, ports: RedrivePorts): Promise<string | undefined> {
  const { name, sendRunReport, writeMetrics, nowMs, log } = ports;
  try {
    if (ended.ending.cause === undefined) await sendRunReport?.(name, ended);
    writeMetrics(nowMs(), endMetrics(ended));
    return undefined;
  } catch (error) {
    const failure = awsFailureOf(error, 'Publish');
    if (!failure) throw error;
    log({ level: 'ERROR', message: 'report-failed', name, outcome: failure.outcome, reason: failure.reason });
    return failure.reason;
  }
}
