import { carryOutPurge, type PurgePlan, planPurge } from '../../../account/archive/purge';
import { connected } from '../../../account/connection/connection';
import { BadInput } from '../../../account/errors';
import { queueNamed } from '../../../account/messages/named-queue';
import { checkReceives } from '../../../account/messages/receive-guard';
import { messagesText } from '../../../policy/format-text';
import type { CommandContext, CommandOptions } from '../../shared/command-line';
import type { Io } from '../../shared/io';
import { confirmed, declined, warn, writeJson } from '../../shared/print';
import { lookAtMessages } from '../look-at-messages';
import { isUnsure, purgeDocument, purgeText } from './purge-text';

export interface PurgeOptions extends CommandOptions {
  /** The file of an export. */
  readonly export: string;
  readonly execute?: boolean;
  /** The queue's name. */
  readonly confirm?: string;
  readonly force?: boolean;
}

/**
 * `dlo dlq purge`.
 * @throws BadInput when the queue does not exist or is not a dead-letter queue, the file is not a complete export of it, or
 * the user cannot be asked for the queue's name
 * @throws Error when messages were not deleted or not found although SQS has more, or the purge was interrupted
 */
export async function purgeMessages(name: string, options: PurgeOptions, context: CommandContext): Promise<void> {
  const { io } = context;
  await connected(options, async aws => {
    const queue = await queueNamed(aws, name);
    warn(io, checkReceives(queue, options.force));
    const plan = await planPurge(aws, queue, options.export, io);
    const isDeclined = options.execute === true && !(await isConfirmed(plan, options, io));
    const what = 'messages deleted or kept';
    const outcome =
      options.execute && !isDeclined
        ? await carryOutPurge(plan, visit => lookAtMessages(aws, queue, context, { what }, visit))
        : undefined;
    if (options.json) writeJson(io, purgeDocument(plan, outcome));
    else if (!isDeclined) io.stdout.write(purgeText(plan, outcome));
    if (isDeclined) throw declined('nothing has been deleted', queue.name);
    if (outcome?.look.end === 'interrupted') throw new Error('interrupted');
    if (outcome && outcome.refused > 0) throw new Error(`some messages of ${queue.name} were not deleted`);
    if (outcome && isUnsure(plan, outcome))
      throw new Error(`some messages of the export may still be in ${queue.name}, in flight elsewhere`);
  });
}

/**
 * A deletion cannot be undone, so the user types the queue's name.
 *
 * @throws BadInput when --confirm names another queue, or there is no terminal to ask on
 */
async function isConfirmed({ queue: { name }, ids }: PurgePlan, { confirm }: PurgeOptions, io: Io): Promise<boolean> {
  if (confirm !== undefined && confirm.trim() !== name) {
    throw new BadInput([`--confirm must be ${name}, got ${JSON.stringify(confirm)}: nothing has been deleted`]);
  }
  if (confirm !== undefined) return true;
  const answer = await confirmed(io, `Type ${name} to delete at most ${messagesText(ids.size)} for good: `, name);
  if (answer === 'no-terminal') throw new BadInput([`there is no terminal to ask on: add --confirm ${name}`]);
  return answer === 'yes';
}
