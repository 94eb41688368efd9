import { alarmDocument } from '../../account/documents/json-documents';
import { adviceOf, type RedriveReport } from '../../account/redrive/advice';
import {
  type FailurePlace,
  gatesOf,
  movesOf,
  type RedriveLook,
  type RedriveView,
  type RepeatedRecord,
  type ShownMove,
} from '../../account/redrive/redrive-state';
import { destinationText } from '../../account/redrive/redrive-words';
import { isoInstant } from '../../policy/instants';
import type { PreconditionState } from '../../policy/redrive/preconditions';
import type { RedriveDecision, RedrivePlan, RedriveRun } from '../../policy/redrive/redrive-decision';
import { knownValue, type MaybeKnown } from '../../template/maybe-known';

function runDocument({ startedAtMs, moved, returned, ending }: RedriveRun) {
  const { cause = null, reason, overAtMs } = ending ?? {};
  const end = overAtMs === undefined ? null : { cause, reason, overAt: isoInstant(overAtMs) };
  return { startedAt: isoInstant(startedAtMs), moved, returned: returned ?? null, ending: end };
}

/** A decision for `--json`. `null` means that a value does not exist, or that there is no limit. */
export function decisionDocument(decision: RedriveDecision) {
  const { kind, reason } = decision;
  const cause = 'cause' in decision ? decision.cause : null;
  if (decision.kind !== 'start') return { kind, cause, reason, start: null };
  const { step, carrier, messagesPerSecond, messages } = decision;
  const quota = Number.isFinite(messages) ? messages : null;
  return { kind, cause, reason, start: { step, carrier, messagesPerSecond, messages: quota } };
}

const lastRunOf = ({ run }: RedrivePlan) => (run ? runDocument(run) : null);

function seenDocument({ redrive: { settings }, facts, byItself }: RedriveView) {
  return {
    path: settings.name,
    enabled: settings.enabled,
    deadLettersArn: settings.deadLetters.arn,
    destination: destinationText(settings),
    destinationArn: settings.destination.arn,
    carrier: settings.carrier,
    state: byItself.state,
    messages: facts.deadLetters ?? null,
    killSwitch: facts.killSwitch,
    lastRun: lastRunOf(byItself),
  };
}

/** A redrive for `--json`. `null` is unknown, or does not exist. */
export function redriveDocument({ redrive, seen }: RedriveLook) {
  if (seen) return { name: redrive.name, ...seenDocument(seen) };
  const isUnknown = redrive.settings !== undefined;
  return { name: redrive.name, ...(isUnknown && { state: null }), problems: redrive.problems };
}

function moveDocument({ handle: _, startedAtMs, ...move }: ShownMove) {
  return { startedAt: isoInstant(startedAtMs), ...move };
}

function gateDocument({ cause, reason }: PreconditionState) {
  return { cause, isShut: reason !== undefined, reason: reason ?? null };
}

function placeDocument({ queue, isByRedrive, depth, oldestAgeSeconds, emptiedBy }: FailurePlace) {
  return {
    queueArn: queue.arn,
    isByRedrive,
    messages: depth ?? null,
    oldestAgeSeconds: oldestAgeSeconds ?? null,
    emptiedBy: emptiedBy ?? null,
  };
}

function recordDocument({ atMs, sinceMs, times, record }: RepeatedRecord) {
  return { at: isoInstant(atMs), since: isoInstant(sinceMs), times, ...record };
}

/** The JSON document of `dlo redrive show`. */
export function showDocument(whole: RedriveReport, records: MaybeKnown<readonly RepeatedRecord[]>) {
  const { seen, places, alarms } = whole;
  const { settings, name, logGroupName } = seen.redrive;
  const { steps, settleMs, maxReturnedPercent, runsPerDay, messagesPerDay, recoveryAlarms, switchParameter } = settings;
  return {
    name,
    ...seenDocument(seen),
    logGroupName,
    switchParameter,
    steps,
    settleSeconds: settleMs / 1_000,
    maxReturnedPercent,
    runsPerDay,
    messagesPerDay,
    recoveryAlarms,
    byItself: decisionDocument(seen.byItself.decision),
    ifAsked: decisionDocument(seen.ifAsked.decision),
    gates: gatesOf(seen).map(gateDocument),
    moves: movesOf(seen).map(moveDocument),
    records: knownValue(records)?.map(recordDocument) ?? null,
    failedAgain: places.map(placeDocument),
    alarms: alarms.map(alarmDocument),
    advice: adviceOf(whole),
  };
}
