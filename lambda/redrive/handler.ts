import type { Context } from 'aws-lambda';
import { awsFailureOf } from '../../mover/aws-calls';
import type { NowMs } from '../../mover/clock';
import type { FactReader, FirstFacts } from '../../mover/facts/fact-reader';
import type { WriteMetrics } from '../../mover/move-step';
import { REDRIVE_STATES, type RedrivePlan } from '../../policy/redrive/redrive-decision';
import type { RedriveFacts } from '../../policy/redrive/redrive-facts';
import type { Log } from '../shared/log';
import type { ActOrder, ActResult } from './act';
import { planToleratingUnread, type RedriveEvent, readRedriveEvent } from './plan';
import { isIdle, isRefused, redriveRecord } from './record';
import { type EndedRun, endMetrics, runEndedNow, type SendRunReport } from './reporting';

/** What the function needs of the world. */
export interface RedrivePorts {
  /** As the settings have it. */
  readonly name: string;
  readonly tickMs: number;
  readonly sight: FactReader;
  readonly plan: (facts: RedriveFacts) => RedrivePlan;
  readonly act: (order: ActOrder) => Promise<ActResult>;
  /** @default - nobody is told of a run that went well */
  readonly tellPeople?: SendRunReport;
  readonly tellMetrics: WriteMetrics;
  readonly nowMs: NowMs;
  readonly log: Log;
}

/** Looks, and where AWS does not let it, says so before it fails. */
async function readFirstFacts({ sight, name, log }: RedrivePorts, { trigger }: RedriveEvent): Promise<FirstFacts> {
  try {
    return await sight.readFirst();
  } catch (error) {
    const refusal = awsFailureOf(error, 'looking at the dead-letter queue');
    if (refusal) {
      const { outcome, reason } = refusal;
      log({ level: 'ERROR', message: 'redrive', name, trigger, did: 'nothing', outcome, reason });
    }
    throw error;
  }
}

/** Tells of a run that has ended: first people, so that nothing is counted twice where that has to be done again. */
async function reportEnd(ended: EndedRun, ports: RedrivePorts): Promise<string | undefined> {
  const { name, tellPeople, tellMetrics, nowMs, log } = ports;
  try {
    if (ended.ending.cause === undefined) await tellPeople?.(name, ended);
    tellMetrics(nowMs(), endMetrics(ended));
    return undefined;
  } catch (error) {
    const refusal = awsFailureOf(error, 'Publish');
    if (!refusal) throw error;
    log({ level: 'ERROR', message: 'untold', name, outcome: refusal.outcome, reason: refusal.reason });
    return refusal.reason;
  }
}

/**
 * Moves a redrive by one step. It keeps no state of its own, so that it may run at any time, twice at once, late, or again
 * after it broke off: whatever it left half done is in what AWS tells the next run of it.
 *
 * What AWS refused is written down, and then the function fails, which Lambda counts and an alarm tells of. An invocation that
 * Lambda repeats does no harm: it looks anew.
 */
export function redriveHandler(
  ports: RedrivePorts,
): (event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>) => Promise<void> {
  const { name, tickMs, sight, plan: planOf, act, tellMetrics, nowMs, log } = ports;
  return async (payload, context) => {
    const event = readRedriveEvent(payload);
    const { trigger } = event;
    const look = await readFirstFacts(ports, event);
    if (trigger === 'tick' && (await sight.isQuiet(look))) {
      tellMetrics(nowMs(), { RedriveState: REDRIVE_STATES.idle });
      return;
    }
    const gathered = await sight.readAll(look, trigger);
    const { facts, unread } = gathered;
    const plan = planToleratingUnread(planOf, gathered, event);
    // First: whoever breaks off once the step has begun could not say it any more.
    if (plan.decision.kind === 'start' && facts.failures) tellMetrics(nowMs(), { FailuresAtStart: facts.failures.now });
    const done = await act({ plan, facts, remainingMs: () => context.getRemainingTimeInMillis() });
    const outcome = { name, facts, unread, plan, done };
    if (!isIdle(outcome)) log(redriveRecord(outcome));
    tellMetrics(nowMs(), {
      RedriveState: REDRIVE_STATES[done.state],
      ...(done.isBegun && { RunsStarted: 1 }),
      ...(isRefused(outcome) && { RunsRefused: 1 }),
    });
    // Of what could not be seen whole nothing is told: the invocation fails, and its repetition tells.
    const ended = unread.length === 0 ? runEndedNow(plan.run, event, tickMs) : undefined;
    const unknownBecause = ended && (await reportEnd(ended, ports));
    const wrong = [...unread, done.failure, unknownBecause].filter(it => it !== undefined);
    if (wrong.length > 0) throw new Error(wrong.join('; '));
  };
}
