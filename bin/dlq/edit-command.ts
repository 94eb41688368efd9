import type { Command } from 'commander';
import type { Connection } from '../../account/connection/connection';
import { queueDocument } from '../../account/documents/json-documents';
import {
  type DiffLine,
  differences,
  EDITED_FROM,
  type EditedMessage,
  editableText,
  type ResendOutcome,
  readEdited,
  resend,
  type SendLimits,
  withOldId,
} from '../../account/edit/edited-message';
import { BadInput } from '../../account/errors';
import type { Remover } from '../../account/messages/each-message';
import type { HeldMessage } from '../../account/messages/message-hold';
import { type NamedQueue, queueNamed } from '../../account/messages/named-queue';
import { checkReceives } from '../../account/messages/receive-guard';
import { QUEUE_NAMED_READS } from '../../account/permissions';
import { dloCommand } from '../../account/printed-commands';
import type { CommandContext, CommandOptions } from '../shared/command-line';
import type { CommandPermissions } from '../shared/command-permissions';
import { type Io, interruptOf } from '../shared/io';
import { warn, writeJson } from '../shared/print';
import { aboutLines, foreignText } from '../shared/terminal-text';
import { withAws } from '../shared/with-aws';
import { lookAtMessages } from './look-at-messages';
import { addChangeOptions, CHANGE_HELP, CHANGE_PERMISSIONS, type ChangeOptions, changeQueue } from './queue-change';
import { queueCommand } from './queue-command';
import { addRedactOption, REDACT_HELP, type RedactOptions, redactionOf } from './redact-option';

export const EDIT_PERMISSIONS: CommandPermissions = {
  command: 'dlq edit',
  reads: [...QUEUE_NAMED_READS, 'sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility'],
  executes: ['sqs:SendMessage', 'sqs:DeleteMessage'],
  executesMore: CHANGE_PERMISSIONS,
  keys: { reads: ['kms:Decrypt'], executes: ['kms:GenerateDataKey'] },
};

const HELP = `
QUEUE is a name, ARN or URL. MESSAGE is the id of a message in it, as dlo dlq peek shows it. The command receives messages
until it has found that one, and gives all of them back. Then VISUAL or EDITOR opens body, attributes and message group as
JSON, and the difference is shown. Without --execute, nothing is sent: the edited message is written to MESSAGE.json, for
--file.

With --execute, the edited message is sent to --to as a new message, by default to the queue that SQS moved it from. Its
attribute ${EDITED_FROM} has the id of the old message, if the message has fewer than ten attributes. The old message is
deleted when SQS has the new one for certain. If SQS does not answer, the old one stays, and the command ends with 1.

${CHANGE_HELP}

${REDACT_HELP} The editor shows all.

  dlo dlq edit orders-dlq 5c657d28-b3a1-4ff0-ae50-68f4077fe982
  dlo dlq edit orders-dlq 5c657d28-b3a1-4ff0-ae50-68f4077fe982 --file 5c657d28-b3a1-4ff0-ae50-68f4077fe982.json --execute`;

/** `dlo dlq edit`. */
export function editCommand(context: CommandContext): Command {
  const does = 'edit one message in your editor, send it as a new one, and delete the old one';
  return addRedactOption(addChangeOptions(queueCommand(EDIT_PERMISSIONS, does, HELP)))
    .argument('MESSAGE', 'the id of the message')
    .option('--to <queue>', 'where to send it (default: the queue that SQS moved it from)')
    .option('--file <file>', 'an edited message, instead of the editor')
    .option('--force', 'receive although that brings messages nearer to another dead-letter queue')
    .option('--execute', 'do it')
    .option('--json', 'print it as JSON')
    .action(async (queue: string, id: string, options: EditOptions) => editMessage(queue, id, options, context));
}

interface EditOptions extends CommandOptions, ChangeOptions, RedactOptions {
  readonly to?: string;
  readonly file?: string;
  readonly force?: boolean;
  readonly execute?: boolean;
}

interface EditPlan {
  readonly queue: NamedQueue;
  readonly to: NamedQueue;
  readonly old: HeldMessage;
  readonly edited: EditedMessage;
  /** Whether the new message has the id of the old one. */
  readonly isNoted: boolean;
  readonly changes: readonly DiffLine[];
}

/**
 * Receives messages until one has the id, and gives all others back.
 */
async function withMessage<T>(
  aws: Connection,
  queue: NamedQueue,
  id: string,
  context: CommandContext,
  work: (message: HeldMessage, remover: Remover) => Promise<T>,
): Promise<T> {
  const { interrupt = interruptOf(context.io) } = context;
  let found: { readonly result: T } | undefined;
  const until = {
    get isAsked() {
      return found !== undefined || interrupt.isAsked;
    },
  };
  const what = { what: 'messages received' };
  await lookAtMessages(aws, queue, { ...context, interrupt: until }, what, async (received, remover) => {
    const message = received.find(({ messageId }) => messageId === id);
    if (message) found = { result: await work(message, remover) };
  });
  if (found) return found.result;
  if (interrupt.isAsked) throw new Error('interrupted');
  throw new Error(`no visible message of ${queue.name} has the id ${id}: it may be in flight, delayed, or gone`);
}

async function planEdit(
  aws: Connection,
  queue: NamedQueue,
  old: HeldMessage,
  { to: named, file }: EditOptions,
  { io }: CommandContext,
): Promise<EditPlan> {
  const target = named ?? old.movedFromArn;
  if (target === undefined) {
    throw new BadInput([`SQS has not moved ${old.messageId} from another queue: name with --to where to send it`]);
  }
  const to = await queueNamed(aws, target);
  const before = editableText(old);
  const text = file === undefined ? await io.edit(before) : await io.readText(file);
  if (text === undefined)
    throw new BadInput(['there is no terminal for an editor: give the edited message with --file']);
  const limits: SendLimits = {
    isFifo: to.isFifo,
    maximumMessageBytes: Number(to.attributes['MaximumMessageSize']),
  };
  const edited = readEdited(text, old, limits);
  const changes = differences(before, editableText(edited));
  if (changes.length === 0) throw new BadInput([`nothing was changed: dlo dlq redrive sends a message as it is`]);
  const noted = withOldId(edited, old, limits);
  return { queue, to, old, edited: noted ?? edited, isNoted: noted !== undefined, changes };
}

/** Writes a file that only its owner can read: messages can hold confidential data. */
async function keep(io: Io, file: string, text: string): Promise<void> {
  const writer = await io.writer(file, 'replace');
  await writer.write(text);
  await writer.close();
}

/**
 * `dlo dlq edit`.
 * @throws BadInput when the edited message is invalid or unchanged, or there is no editor
 * @throws Error when the message is not there, or it is unknown whether it was sent
 */
async function editMessage(name: string, id: string, options: EditOptions, context: CommandContext): Promise<void> {
  const { io } = context;
  const redaction = redactionOf(options);
  await withAws(options, context, async aws => {
    const queue = await queueNamed(aws, name);
    warn(io, checkReceives(queue, options.force));
    const old = await withMessage(aws, queue, id, context, async message => message);
    const planned = await planEdit(aws, queue, old, options, context);
    for (const { body } of [old, planned.edited]) redaction.observe({ ...old, body });
    const plan = { ...planned, changes: redaction.everywhere(planned.changes) };
    const outcome = options.execute ? await send(aws, plan, options, context) : undefined;
    const file = options.file ?? `${id}.json`;
    if (!options.execute && options.file === undefined) await keep(io, file, editableText(plan.edited));
    const { to } = options;
    const words = [
      'dlq',
      'edit',
      queue.name,
      id,
      ...(to === undefined ? [] : ['--to', to]),
      '--file',
      file,
      '--execute',
    ];
    const next = dloCommand(words, { options, region: aws.region });
    if (options.json) writeJson(io, editDocument(plan, outcome, next));
    else io.stdout.write(editText(plan, outcome, next));
    const { unsure, notDeleted } = outcome ?? {};
    if (unsure !== undefined) throw new Error(`SQS may have the new message, and the old one stays: ${unsure}`);
    if (notDeleted !== undefined)
      throw new Error(`the new message is sent, but the old one may still be there: ${notDeleted}`);
  });
}

function send(aws: Connection, plan: EditPlan, options: EditOptions, context: CommandContext): Promise<ResendOutcome> {
  const { queue, to, old, edited } = plan;
  return changeQueue(aws, options, context, {
    queue,
    command: 'dlq edit',
    details: { messageId: old.messageId, to: to.arn },
    work: during =>
      withMessage(aws, queue, old.messageId, during, (message, remover) => resend(aws, to, message, edited, remover)),
    outcomeOf: outcome => outcome,
  });
}

const LINE_CHARACTERS = 240;

function noteText({ isNoted, old }: EditPlan): string {
  return isNoted
    ? `its attribute ${EDITED_FROM} has the id ${old.messageId}`
    : `without the id of the old one: SQS accepts no further attribute`;
}

function outcomeText({ newMessageId, unsure, notDeleted }: ResendOutcome, { queue }: EditPlan): string {
  if (unsure !== undefined)
    return `SQS sent no answer: it may have the new message. The old one stays in ${queue.name}.`;
  if (notDeleted !== undefined) return `Sent as ${newMessageId}. The old message may still be in ${queue.name}.`;
  return `Sent as ${newMessageId}. The old message is deleted.`;
}

/** Text of others, with its indentation. */
function changeText(line: DiffLine): string {
  const [, sign = '', text = ''] = /^(.\s*)(.*)$/s.exec(line) ?? [];
  return `  ${sign}${foreignText(text, LINE_CHARACTERS)}`;
}

function editText(plan: EditPlan, outcome: ResendOutcome | undefined, next: string): string {
  const { queue, to, old, changes } = plan;
  const rows: [string, string][] = [
    ['Message', `${old.messageId} of ${queue.name}`],
    ['To', `${to.name}, as a new message; ${noteText(plan)}`],
  ];
  const end = outcome
    ? outcomeText(outcome, plan)
    : `Nothing has been sent. This command sends it, and deletes the old message:\n  ${next}`;
  const lines = changes.map(changeText);
  return `${[...aboutLines(rows), 'Changes', ...lines, end].join('\n')}\n`;
}

function editDocument(
  { queue, to, old, isNoted, changes }: EditPlan,
  outcome: ResendOutcome | undefined,
  next: string,
) {
  return {
    ...queueDocument(queue),
    messageId: old.messageId,
    to: to.arn,
    isNoted,
    changes,
    executed: outcome !== undefined,
    newMessageId: outcome?.newMessageId ?? null,
    unsure: outcome?.unsure ?? null,
    notDeleted: outcome?.notDeleted ?? null,
    command: next,
  };
}
