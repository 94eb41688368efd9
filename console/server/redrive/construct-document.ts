import type { Connection, ConnectionOptions } from '../../../account/connection/connection';
import { queueNameOf } from '../../../account/names';
import { adviceOf, redriveReport } from '../../../account/redrive/advice';
import { type FoundRedrives, findRedrives } from '../../../account/redrive/find-redrives';
import {
  type FailurePlace,
  factClients,
  gatesOf,
  lastRecords,
  lookAt,
  movesOf,
  type RedriveLook,
  type RedriveView,
  type RepeatedRecord,
} from '../../../account/redrive/redrive-state';
import {
  decisionText,
  depthText,
  destinationText,
  runText,
  stateText,
  stepText,
} from '../../../account/redrive/redrive-words';
import { totalOf } from '../../../policy/redrive/budget';
import { knownValue } from '../../../template/maybe-known';
import type {
  FailedAgainDocument,
  RedriveDocument,
  RedriveRecordDocument,
  RedriveStateDocument,
  RedrivesDocument,
} from '../../api/redrive';
import { taskDocument } from './plan-document';

function recordDocument({ record, ...when }: RepeatedRecord): RedriveRecordDocument {
  const { trigger, did, cause, outcome, reason, failure } = record;
  const what = [trigger, did, ...(cause === undefined ? [] : [cause]), outcome].join(' ');
  return { ...when, what, reason: failure ?? reason, isFailure: failure !== undefined };
}

function placeDocument({ queue, depth, emptiedBy }: FailurePlace): FailedAgainDocument {
  const messages = depth ? totalOf(depth) : 0;
  return { name: queueNameOf(queue.arn), says: depthText(depth), messages, emptiedBy: emptiedBy ?? null };
}

/** Whether an operator should look at it. */
function needsAttention({ facts, byItself }: RedriveView): boolean {
  return byItself.state === 'stopped' || facts.killSwitch !== 'on' || facts.deadLetters === undefined;
}

async function stateOf(
  aws: Connection,
  seen: RedriveView,
  found: FoundRedrives,
  nowMs: () => number,
  options: ConnectionOptions,
): Promise<RedriveStateDocument> {
  const { redrive, facts, byItself, ifAsked } = seen;
  const { settings } = redrive;
  const site = { options, region: aws.region };
  const [report, records] = await Promise.all([
    redriveReport(aws, site, seen, found, nowMs),
    lastRecords(aws, redrive, nowMs()),
  ]);
  return {
    from: queueNameOf(settings.deadLetters.arn),
    to: destinationText(settings),
    says: stateText(seen),
    needsAttention: needsAttention(seen),
    messages: facts.deadLetters ? totalOf(facts.deadLetters) : null,
    killSwitch: facts.killSwitch,
    steps: settings.steps.map(stepText).join(', then '),
    lastRun: runText(byItself.run),
    byItself: `It ${decisionText(byItself.decision)}`,
    ifAsked: `It ${decisionText(ifAsked.decision)}`,
    preconditions: gatesOf(seen).map(({ cause, reason }) => ({ cause, reason: reason ?? null })),
    moves: movesOf(seen).map(move => ({ ...taskDocument(move), isOwn: move.isOwn })),
    records: knownValue(records)?.map(recordDocument) ?? null,
    failedAgain: report.places.map(placeDocument),
    advice: adviceOf(report),
  };
}

/** The `Redrive` constructs of the Region, as `dlo redrive show` describes each. */
export async function redrivesDocument(
  aws: Connection,
  nowMs: () => number,
  options: ConnectionOptions,
): Promise<RedrivesDocument> {
  const found = await findRedrives(aws);
  const clients = factClients(aws);
  const warnings: string[] = [...found.warnings];
  const documentOf = async (look: RedriveLook): Promise<RedriveDocument> => {
    const { redrive, seen } = look;
    warnings.push(...look.warnings);
    const state = seen ? await stateOf(aws, seen, found, nowMs, options) : null;
    return { name: redrive.name, path: redrive.path ?? null, problems: redrive.problems, state };
  };
  const redrives = await Promise.all(
    found.redrives.map(async redrive => documentOf(await lookAt(clients, redrive, nowMs, aws.unread))),
  );
  return { redrives, unknowns: [...warnings, ...aws.unread.texts] };
}
