import type { Command } from 'commander';
import { partOf, writeArchive } from '../../account/archive/archive-file';
import type { ArchiveEnd } from '../../account/archive/archive-format';
import { depthsDocument, queueDocument } from '../../account/documents/json-documents';
import { BadInput } from '../../account/errors';
import { depthsIn, type LookResult, type MessageCounts } from '../../account/messages/each-message';
import { type NamedQueue, queueNamed } from '../../account/messages/named-queue';
import { checkReceives } from '../../account/messages/receive-guard';
import { QUEUE_NAMED_READS } from '../../account/permissions';
import { formatNumber, messagesText } from '../../policy/format-text';
import type { CommandContext, CommandOptions } from '../shared/command-line';
import type { CommandPermissions } from '../shared/command-permissions';
import { warn, writeJson } from '../shared/print';
import { withAws } from '../shared/with-aws';
import { cutShortText, lookAtMessages } from './look-at-messages';
import { queueCommand } from './queue-command';
import { addRedactOption, REDACT_HELP, type RedactOptions, redactionOf } from './redact-option';

export const EXPORT_PERMISSIONS: CommandPermissions = {
  command: 'dlq export',
  reads: [...QUEUE_NAMED_READS, 'sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility'],
  keys: { reads: ['kms:Decrypt'] },
};

const HELP = `
QUEUE is a name, ARN or URL. The messages stay in the queue. Each is hidden from other consumers until all are written,
its receive count rises by one, and it is given back. While it is incomplete, the file is named FILE.part. Only you may
read it.

FILE has one JSON document per line: a header with the queue's ARN, one line per message with its body and attributes, and
a last line with the number of messages and a SHA-256 of all lines before. Messages in flight elsewhere, delayed messages,
and messages of a FIFO queue behind the first ten of their group cannot be exported. The command says how many those are.
isComplete in the last line is true only if there are none.

${REDACT_HELP} A redacted export cannot be imported, and purge
refuses it.

  dlo dlq export orders-dlq orders.jsonl
  dlo dlq export orders-dlq orders.jsonl --json | jq .isComplete
  jq -r 'select(.message) | .message.body' orders.jsonl`;

/** `dlo dlq export`. */
export function exportCommand(context: CommandContext): Command {
  const does = 'write all messages of a queue to a file, and leave them in the queue';
  return addRedactOption(queueCommand(EXPORT_PERMISSIONS, does, HELP))
    .argument('FILE', 'the file to write, such as orders.jsonl')
    .option('--overwrite', 'replace FILE')
    .option('--force', 'receive although that brings messages nearer to another dead-letter queue')
    .option('--json', 'print the result as JSON')
    .action(async (queue: string, file: string, options: ExportOptions) =>
      exportMessages(queue, file, options, context),
    );
}

interface ExportOptions extends CommandOptions, RedactOptions {
  /** Whether an existing file is replaced. */
  readonly overwrite?: boolean;
  readonly force?: boolean;
}

/**
 * `dlo dlq export`.
 */
async function exportMessages(
  name: string,
  file: string,
  { overwrite = false, force = false, json, ...options }: ExportOptions,
  context: CommandContext,
): Promise<void> {
  const { io, nowMs } = context;
  const redaction = redactionOf(options);
  if (!overwrite && (await io.exists(file))) {
    throw new BadInput([`${file} exists already. --overwrite replaces it`]);
  }
  await withAws(options, context, async aws => {
    const queue = await queueNamed(aws, name);
    warn(io, checkReceives(queue, force));
    const before = depthsIn(queue.attributes);
    const { look, end } = await writeArchive(io, file, queue, {
      look: visit => lookAtMessages(aws, queue, context, { what: 'messages written' }, visit),
      onIncomplete: () => warn(io, [`${partOf(file)} has what was written so far. It is not a complete export`]),
      nowMs,
      redaction,
    });
    if (redaction.isOn) warn(io, [`${file} has redacted bodies: import and purge refuse it`]);
    if (json) writeJson(io, { ...queueDocument(queue), file, depths: depthsDocument(before), ...end });
    else io.stdout.write(exportText({ queue, file, before, look, end }));
    if (!end.isComplete) throw new Error(`${file} does not have all messages of ${queue.name}`);
  });
}

interface Exported {
  readonly queue: NamedQueue;
  readonly file: string;
  readonly before: MessageCounts;
  readonly look: LookResult;
  readonly end: ArchiveEnd;
}

function exportText({ queue, file, before, look, end }: Exported): string {
  const { visible, inFlight, delayed } = before;
  const counts = `SQS counted ${messagesText(visible + inFlight + delayed)} before`;
  const left = [unseenText(queue, look), cutShortText(look.end) ?? ''].filter(text => text !== '').join('; ');
  const completeness = end.isComplete
    ? `${counts}, and no others after: the file has all of them.`
    : `${counts}. Not in the file, as SQS counts now: ${left}.`;
  return `${messagesText(end.messages)} of ${queue.name} in ${file}, SHA-256 ${end.sha256}.\n${completeness}\n`;
}

/** The messages that are not in the file, and why. */
function unseenText({ isFifo }: NamedQueue, { unseen }: LookResult): string {
  const { visible, inFlight, delayed } = unseen;
  const behind = isFifo ? 'behind others of their group' : 'that SQS does not return';
  const parts = [
    ...(visible > 0 ? [`${formatNumber(visible)} visible ${behind}`] : []),
    ...(inFlight > 0 ? [`${formatNumber(inFlight)} in flight elsewhere`] : []),
    ...(delayed > 0 ? [`${formatNumber(delayed)} delayed`] : []),
  ];
  return parts.join(', ');
}
