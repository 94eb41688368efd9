import { randomUUID } from 'node:crypto';
import { journalOf } from '../../../account/archive/import-journal';
import { type ImportOutcome, importMessages } from '../../../account/archive/import-messages';
import { type ImportPlan, importPlan } from '../../../account/archive/import-plan';
import { type Connection, connected } from '../../../account/connection/connection';
import { queueNamed } from '../../../account/messages/named-queue';
import { counted, formatNumber, messagesText } from '../../../policy/format-text';
import type { CommandContext, CommandOptions } from '../../shared/command-line';
import { warn, writeJson } from '../../shared/print';
import { cleared, progressOn } from '../../shared/progress';
import { interruptOf } from '../look-at-messages';
import { importDocument, importText } from './import-text';

export interface ImportOptions extends CommandOptions {
  readonly execute?: boolean;
  /** Messages a second, at most. */
  readonly rate: number;
  readonly resendUnsure?: boolean;
}

/**
 * `dlo dlq import`.
 * @throws BadInput when the queue does not exist, or the file is not a complete export or does not fit the queue
 * @throws Error when SQS refused messages or may already have some, or the import was interrupted
 */
export async function runImport(
  file: string,
  name: string,
  options: ImportOptions,
  context: CommandContext,
): Promise<void> {
  const { io, nowMs } = context;
  const { execute = false, resendUnsure = false, rate, json } = options;
  await connected(options, async aws => {
    const queue = await queueNamed(aws, name);
    const plan = await importPlan(io, file, queue, resendUnsure);
    const isSending = execute && plan.lines.length > 0;
    const outcome = isSending ? await send(aws, plan, file, rate, context) : undefined;
    const report = { plan, file, rate, nowMs: nowMs(), ...(outcome && { outcome }) };
    if (json) writeJson(io, importDocument(report));
    else io.stdout.write(importText(report));
    if (execute) checkAllSent(plan, outcome);
  });
}

function send(
  aws: Connection,
  plan: ImportPlan,
  file: string,
  messagesPerSecond: number,
  { io, nowMs, wait }: CommandContext,
): Promise<ImportOutcome> {
  const interrupt = interruptOf(io);
  const progress = progressOn(io.stderr, { what: 'messages sent', total: plan.lines.length }, nowMs);
  const onFailure = (sent: number) => {
    progress.clear();
    warn(io, [`${counted(sent, 'message was', 'messages were')} sent before the error. ${journalOf(file)} lists them`]);
  };
  const isInterrupted = () => interrupt.isAsked;
  const ports = { files: io, nowMs, wait, isInterrupted, progress, messagesPerSecond, onFailure, newRunId: randomUUID };
  return cleared(progress, () => importMessages(aws, plan, file, ports));
}

/** @throws Error that says which messages were not sent, if any */
function checkAllSent({ queue, unsure, behind }: ImportPlan, outcome: ImportOutcome | undefined): void {
  const { notTaken = [], isInterrupted = false } = outcome ?? {};
  if (notTaken.length > 0) throw new Error(`${queue.name} refused ${messagesText(notTaken.length)}`);
  if (isInterrupted) throw new Error('interrupted');
  if (unsure.length === 0) return;
  const waiting = behind.length > 0 ? `, and ${formatNumber(behind.length)} behind them in their groups` : '';
  throw new Error(
    `not sent, because SQS may have them already: ${messagesText(unsure.length)}${waiting}. --resend-unsure sends them`,
  );
}
