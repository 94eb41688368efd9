import { type Connection, connected } from '../../../account/connection/connection';
import { gatherEvidence, seenMessage } from '../../../account/evidence/gather-evidence';
import { readInventory } from '../../../account/inventory/read-inventory';
import { depthsIn } from '../../../account/messages/each-message';
import { type NamedQueue, queueNamed } from '../../../account/messages/named-queue';
import { checkReceives } from '../../../account/messages/receive-guard';
import type { Site } from '../../../account/printed-commands';
import type { Cause, CauseExample, Explanation, Note, Unexplained } from '../../../diagnosis/causes/cause';
import type { SampledMessage } from '../../../diagnosis/causes/evidence';
import { explain } from '../../../diagnosis/causes/explain';
import { isoInstant } from '../../../policy/instants';
import type { CommandContext, CommandOptions } from '../../shared/command-line';
import { depthsDocument, fixDocument, queueDocument } from '../../shared/json-documents';
import { warn, writeJson } from '../../shared/print';
import { withProgress } from '../../shared/progress';
import { folded, proseWidth } from '../../shared/terminal-text';
import { lookAtMessages } from '../look-at-messages';
import { runbookLink, type WhyReport, whyText } from './why-text';

export interface WhyOptions extends CommandOptions {
  /** How far back logs and metrics are read, in milliseconds. */
  readonly since: number;
  /** How many messages to look at. */
  readonly number: number;
  readonly force?: boolean;
}

/**
 * `dlo dlq why`.
 * @throws BadInput when the queue does not exist, or receiving would move messages to another queue
 */
export async function why(name: string, options: WhyOptions, context: CommandContext): Promise<void> {
  const { io } = context;
  await connected(options, async aws => {
    const queue = await queueNamed(aws, name);
    warn(io, checkReceives(queue, options.force));
    const report = await gather(aws, queue, options, context);
    warn(io, report.gaps);
    const explanation = explain(report.evidence);
    const site = { options, region: aws.region };
    if (options.json) writeJson(io, whyDocument(report, explanation, site));
    else {
      const page = { site, width: proseWidth(io.stdout) };
      io.stdout.write(folded(whyText(report, explanation, page), io.stdout));
    }
  });
}

async function gather(
  aws: Connection,
  queue: NamedQueue,
  { number, since }: WhyOptions,
  context: CommandContext,
): Promise<WhyReport> {
  const { io, nowMs } = context;
  const inventory = await withProgress(io.stderr, { what: 'resources read' }, nowMs, progress =>
    readInventory(aws, { progress }),
  );
  const messages: SampledMessage[] = [];
  const looking = { what: 'messages received', max: number };
  const look = await lookAtMessages(aws, queue, context, looking, received => {
    messages.push(...received.map(seenMessage));
  });
  const toMs = nowMs();
  const window = { fromMs: toMs - since, toMs };
  const gathered = await gatherEvidence(aws, queue.arn, inventory, messages, window);
  return { ...gathered, queue, window, depths: depthsIn(queue.attributes), look };
}

function exampleDocument({ messageId, answer, attempts, dwellTimeMs, log }: CauseExample) {
  return {
    messageId,
    answer,
    attempts: attempts ?? null,
    dwellTimeMs: dwellTimeMs ?? null,
    log: log ?? null,
  };
}

function causeDocument(cause: Cause, site: Site) {
  const { key, says, isInferred, messages, deliveries, firstAtMs, lastAtMs, example, oneOf, details, fix } = cause;
  return {
    ...key,
    says,
    isInferred,
    messages,
    deliveries,
    firstAt: isoInstant(firstAtMs),
    lastAt: isoInstant(lastAtMs),
    example: exampleDocument(example),
    oneOf: oneOf.map(({ code, times, lastAtMs: atMs }) => ({ code, times, lastAt: isoInstant(atMs) })),
    details,
    fix: fix ? fixDocument(fix, site) : null,
    runbook: runbookLink(cause),
  };
}

function unexplainedDocument({ says, messages, firstAtMs, lastAtMs, example }: Unexplained) {
  return { says, messages, firstAt: isoInstant(firstAtMs), lastAt: isoInstant(lastAtMs), example };
}

function noteDocument({ says, fix }: Note, site: Site) {
  return { says, fix: fix ? fixDocument(fix, site) : null };
}

/** The JSON document of `dlo dlq why`. */
export function whyDocument(report: WhyReport, { causes, unexplained, notes }: Explanation, site: Site) {
  const { queue, window, depths, look, gaps } = report;
  return {
    ...queueDocument(queue),
    since: isoInstant(window.fromMs),
    depths: depthsDocument(depths),
    lookedAt: look.seen,
    end: look.end,
    unseen: look.unseen,
    causes: causes.map(it => causeDocument(it, site)),
    unexplained: unexplained.map(unexplainedDocument),
    notes: notes.map(it => noteDocument(it, site)),
    unread: gaps,
  };
}
