import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Connection } from '../../account/connection/connection';
import { depthsDocument, fixDocument, queueDocument } from '../../account/documents/json-documents';
import { gatherEvidence, seenMessage } from '../../account/evidence/gather-evidence';
import { readInventory } from '../../account/inventory/read-inventory';
import { depthsIn } from '../../account/messages/each-message';
import { type NamedQueue, queueNamed } from '../../account/messages/named-queue';
import { checkReceives } from '../../account/messages/receive-guard';
import { CAUSE_READS, QUEUE_NAMED_READS, TO_JUDGE_KEYS_AND_ROLES } from '../../account/permissions';
import { dloCommand, type Site } from '../../account/printed-commands';
import type { Redaction } from '../../account/redaction/redaction';
import type { Cause, CauseExample, Explanation, Note, Unexplained } from '../../diagnosis/causes/cause';
import type { SampledMessage } from '../../diagnosis/causes/evidence';
import { explain } from '../../diagnosis/causes/explain';
import { isoInstant } from '../../policy/instants';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../policy/time-units';
import { type CommandContext, type CommandOptions, countOf } from '../shared/command-line';
import type { CommandPermissions } from '../shared/command-permissions';
import { warn, writeJson } from '../shared/print';
import { withReadProgress } from '../shared/progress';
import { folded, proseWidth } from '../shared/terminal-text';
import { withAws } from '../shared/with-aws';
import { lookAtMessages } from './look-at-messages';
import { queueCommand } from './queue-command';
import { addRedactOption, REDACT_HELP, type RedactOptions, redactionOf } from './redact-option';
import { runbookLink, type WhyReport, whyText } from './why-text';

export const WHY_PERMISSIONS: CommandPermissions = {
  command: 'dlq why',
  reads: [...QUEUE_NAMED_READS, 'sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility', ...CAUSE_READS],
  more: [
    { when: 'to read logs and metrics', actions: ['logs:FilterLogEvents', 'cloudwatch:GetMetricData'] },
    TO_JUDGE_KEYS_AND_ROLES,
  ],
  keys: { reads: ['kms:Decrypt'] },
};

/** A night and a day. */
const SINCE = '24h';

/** Received within seconds, and enough to include every frequent cause. */
const NUMBER = 1_000;

/** SQS keeps messages no longer. */
const MAX_DAYS = 14;

const UNITS_MS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

const HELP = `
QUEUE is a name, ARN or URL. The messages are looked at as by dlo dlq peek, and given back. The cause comes from the source
that knows it: the queue SQS moved them from and the log of its consumer; the message itself, if Lambda, EventBridge,
EventBridge Scheduler, a relay or a fleet wrote it; or the delivery-status log of the topic. Otherwise, the cause is inferred from the
current configuration. Each cause has a fix, as commands that can be copied.

${REDACT_HELP}

  dlo dlq why orders-dlq
  dlo dlq why orders-dlq --since 7d -n 10000
  dlo dlq why orders-dlq --json | jq '.causes[].fix.calls'

It changes nothing. Without permissions for logs and metrics, it reports what it can, and what it could not read.`;

function sinceOf(text: string): number {
  const [, count = '', unit = ''] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS_MS[unit] ?? 0);
  if (ms > 0 && ms <= MAX_DAYS * DAY_MS) return ms;
  throw new InvalidArgumentError(
    `It must be minutes, hours or days, at most ${MAX_DAYS}d, for example 90m, 24h or 7d.`,
  );
}

/** `dlo dlq why`. */
export function whyCommand(context: CommandContext): Command {
  const does = 'say why the messages of a queue were dead-lettered, since when, and what fixes it';
  return addRedactOption(queueCommand(WHY_PERMISSIONS, does, HELP))
    .addOption(
      new Option('--since <time>', 'how far back logs and metrics are read')
        .default(sinceOf(SINCE), SINCE)
        .argParser(sinceOf),
    )
    .option('-n, --number <count>', 'how many messages to look at', countOf, NUMBER)
    .option('--force', 'receive although that brings messages nearer to another dead-letter queue')
    .option('--all', 'describe every cause (default: those of most messages, and a line for some others)')
    .option('--json', 'print it as JSON')
    .action(async (queue: string, options: WhyOptions) => why(queue, options, context));
}

interface WhyOptions extends CommandOptions, RedactOptions {
  /** How far back logs and metrics are read, in milliseconds. */
  readonly since: number;
  /** How many messages to look at. */
  readonly number: number;
  readonly force?: boolean;
  readonly all?: boolean;
}

/**
 * `dlo dlq why`.
 * @throws BadInput when the queue does not exist, or receiving would move messages to another queue
 */
async function why(name: string, options: WhyOptions, context: CommandContext): Promise<void> {
  const { io } = context;
  const redaction = redactionOf(options);
  await withAws(options, context, async aws => {
    const queue = await queueNamed(aws, name);
    warn(io, checkReceives(queue, options.force));
    const found = await gather(aws, queue, options, context, redaction);
    const report = { ...found, gaps: redaction.everywhere(found.gaps) };
    const explanation = redaction.everywhere(explain(report.evidence));
    const site = { options, region: aws.region };
    if (options.json) writeJson(io, whyDocument(report, explanation, site));
    else {
      const page = { site, width: proseWidth(io.stdout), isAll: options.all ?? false };
      io.stdout.write(folded(whyText(report, explanation, page), io.stdout));
    }
  });
}

async function gather(
  aws: Connection,
  queue: NamedQueue,
  { number, since }: WhyOptions,
  context: CommandContext,
  redaction: Redaction,
): Promise<WhyReport> {
  const inventory = await withReadProgress(context, readWith => readInventory(aws, { progress: readWith(aws) }));
  const messages: SampledMessage[] = [];
  const looking = { what: 'messages received', max: number };
  const look = await lookAtMessages(aws, queue, context, looking, received => {
    messages.push(...received.map(seenMessage));
    for (const message of received) redaction.observe(message);
  });
  const toMs = context.nowMs();
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
  const { key, says, isInferred, messages, deliveries, firstAtMs, lastAtMs, example, oneOf, ...rest } = cause;
  const { details, fix, replays, rule = null } = rest;
  return {
    ...key,
    rule,
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
    replays: replays.map(words => dloCommand(words, site)),
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
