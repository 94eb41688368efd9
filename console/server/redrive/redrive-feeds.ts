import { SQSClient } from '@aws-sdk/client-sqs';
import { leaseOn } from '../../../account/changes/queue-lease';
import type { Connection, ConnectionOptions } from '../../../account/connection/connection';
import { type Question, UnreadCalls } from '../../../account/connection/unread-calls';
import { depthsIn } from '../../../account/messages/each-message';
import { queueNamed } from '../../../account/messages/named-queue';
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
  needsAttention,
  recordWords,
  runText,
  stateText,
  stepText,
} from '../../../account/redrive/redrive-words';
import { listMoveTasks } from '../../../mover/aws/move-tasks';
import { totalOf } from '../../../policy/redrive/budget';
import { knownValue } from '../../../template/maybe-known';
import type {
  FailedAgainDocument,
  QueueRedriveDocument,
  RedriveDocument,
  RedriveRecordDocument,
  RedriveStateDocument,
  RedrivesDocument,
} from '../../api/redrive';
import type { ConsoleContext } from '../context';
import { type FeedSources, polled } from '../feed';
import { taskDocument } from './plan-document';

function recordDocument(repeated: RepeatedRecord): RedriveRecordDocument {
  const { record, ...when } = repeated;
  const { reason, failure } = record;
  return { ...when, what: recordWords(repeated), reason: failure ?? reason, isFailure: failure !== undefined };
}

function placeDocument({ queue, depth, emptiedBy }: FailurePlace): FailedAgainDocument {
  const messages = depth ? totalOf(depth) : 0;
  return { name: queueNameOf(queue.arn), says: depthText(depth), messages, emptiedBy: emptiedBy ?? null };
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
async function redrivesDocument(
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

/** How often the progress of a redrive is sent: it costs nothing. */
const PROGRESS_MS = 500;

/** How often a queue is read whose task another program runs. */
const FOLLOW_MS = 1_000;

/** Reading a `Redrive` takes about ten requests. */
const CONSTRUCTS_MS = { aws: 30_000, simulation: 2_000 } as const;

const TASKS: Question = { action: 'sqs:ListMessageMoveTasks', tells: 'the move tasks of the queue' };
const LEASE: Question = { action: 'sqs:ListQueueTags', tells: 'whether another dlo command changes the queue' };

type QueueNow = Omit<QueueRedriveDocument, 'run'>;

async function queueNow(aws: Connection, name: string, nowMs: number): Promise<QueueNow> {
  const unread = new UnreadCalls();
  const queue = await queueNamed(aws, name);
  const sqs = aws.client(SQSClient);
  const [tasks, lease] = await Promise.all([
    unread.read(TASKS, undefined, () => listMoveTasks(sqs, queue.arn)),
    unread.read(LEASE, undefined, () => leaseOn(sqs, queue.url, nowMs)),
  ]);
  const other = knownValue(lease);
  const { visible, inFlight, delayed } = depthsIn(queue.attributes);
  return {
    name: queue.name,
    arn: queue.arn,
    depths: { visible, inFlight, delayed },
    tasks: knownValue(tasks)?.map(taskDocument) ?? null,
    lease: other ? { command: other.command, untilMs: other.untilMs } : null,
    unknowns: unread.texts,
  };
}

/** Reads a queue again when what was read is old. */
class QueueReader {
  private readonly kept = new Map<
    string,
    { readonly value: QueueNow; readonly atMs: number; readonly wasRunning: boolean }
  >();

  constructor(private readonly context: ConsoleContext) {}

  async read(name: string): Promise<QueueNow> {
    const { source, nowMs, model, runs } = this.context;
    const kept = this.kept.get(name);
    const isFollowed = kept?.value.tasks?.some(it => it.isRunning) || (kept && runs.isRunning(kept.value.arn));
    // What was read during a redrive of this console shows its lease and its task.
    const hasEnded = kept?.wasRunning && !runs.isRunning(kept.value.arn);
    const forMs = isFollowed ? FOLLOW_MS : model.levelsEveryMs;
    if (kept && !hasEnded && nowMs() - kept.atMs < forMs) return kept.value;
    const value = await source.use(async aws => queueNow(aws, name, await source.nowMs()));
    this.kept.set(name, { value, atMs: nowMs(), wasRunning: runs.isRunning(value.arn) });
    return value;
  }
}

export function redriveFeeds(context: ConsoleContext): Pick<FeedSources, 'redrive' | 'redrives'> {
  const { source, nowMs, runs } = context;
  const reader = new QueueReader(context);
  const readQueue = async (name: string): Promise<QueueRedriveDocument> => {
    const queue = await reader.read(name);
    const run = runs.of(queue.arn);
    // The lease of this console's own redrive keeps others away.
    return { ...queue, lease: runs.isRunning(queue.arn) ? null : queue.lease, run };
  };
  return {
    redrive: polled(readQueue, { nextMs: () => PROGRESS_MS }, nowMs),
    redrives: polled(
      () => source.alone('read', (aws, clock) => redrivesDocument(aws, clock.nowMs, source.options)),
      { nextMs: () => CONSTRUCTS_MS[source.kind] },
      nowMs,
    ),
  };
}
