import { SQSClient } from '@aws-sdk/client-sqs';
import type { Command } from 'commander';
import { queueDocument, taskDocument } from '../../../account/documents/json-documents';
import { failureText, LOOK_EVERY_MS } from '../../../account/manual-redrive/move-by-task';
import { type NamedQueue, queueNamed } from '../../../account/messages/named-queue';
import { queueNameOf } from '../../../account/names';
import { QUEUE_NAMED_READS } from '../../../account/permissions';
import { dloCommand, type Site } from '../../../account/printed-commands';
import { listMoveTasks, taskCanceller } from '../../../mover/aws/move-tasks';
import { formatNumber } from '../../../policy/format-text';
import { formatInstant } from '../../../policy/instants';
import type { MoveFacts } from '../../../policy/redrive/redrive-facts';
import { isActive } from '../../../policy/redrive/redrive-runs';
import { MINUTE_MS } from '../../../policy/time-units';
import { AUDIT_PERMISSIONS, type AuditOptions, addAuditOption, withAudit } from '../../shared/audit';
import type { CommandContext, CommandOptions } from '../../shared/command-line';
import type { CommandPermissions } from '../../shared/command-permissions';
import { interruptOf } from '../../shared/io';
import { writeJson } from '../../shared/print';
import { withProgress } from '../../shared/progress';
import { type Column, table } from '../../shared/terminal-text';
import { withAws } from '../../shared/with-aws';
import { queueCommand } from '../queue-command';

export const WATCH_PERMISSIONS: CommandPermissions = {
  command: 'dlq watch',
  reads: [...QUEUE_NAMED_READS, 'sqs:ListMessageMoveTasks'],
};

export const CANCEL_PERMISSIONS: CommandPermissions = {
  command: 'dlq cancel',
  reads: [...QUEUE_NAMED_READS, 'sqs:ListMessageMoveTasks'],
  executes: ['sqs:CancelMessageMoveTask'],
  executesMore: [AUDIT_PERMISSIONS],
};

const WATCH_HELP = `
Follows the move task of QUEUE until it ends, and prints the last ten tasks. Without a running task, it only prints them.
The count of SQS lags by some seconds. Ctrl-C ends the command, not the task.

  dlo dlq watch orders-dlq
  dlo dlq watch orders-dlq --json | jq '.tasks[0].moved'`;

const CANCEL_HELP = `
Cancels the move task of QUEUE. Moved messages stay moved. The task continues for some seconds. Without --execute, it only
prints what it would do.

  dlo dlq cancel orders-dlq
  dlo dlq cancel orders-dlq --execute`;

/** `dlo dlq watch`. */
export function watchCommand(context: CommandContext): Command {
  return queueCommand(WATCH_PERMISSIONS, 'follow the move task of a queue, or show the last ten', WATCH_HELP)
    .option('--json', 'print it as JSON')
    .action(async (queue: string, options: CommandOptions) => watchQueue(queue, options, context));
}

/** `dlo dlq cancel`. */
export function cancelCommand(context: CommandContext): Command {
  const cancel = queueCommand(CANCEL_PERMISSIONS, 'cancel the move task of a queue', CANCEL_HELP);
  return addAuditOption(cancel.option('--json', 'print it as JSON'))
    .option('--execute', 'do it')
    .action(async (queue: string, options: CancelOptions) => cancelTask(queue, options, context));
}

/** Follows the running task until it ends or the user interrupts, and returns all tasks. */
async function followed(sqs: SQSClient, { arn }: NamedQueue, running: MoveFacts, { io, nowMs, wait }: CommandContext) {
  const interrupt = interruptOf(io);
  const total = running.toMove;
  const facts = { what: 'messages moved, as far as SQS reports', ...(total !== undefined && { total }) };
  return withProgress(io.stderr, facts, nowMs, async progress => {
    for (;;) {
      const tasks = await listMoveTasks(sqs, arn);
      const task = tasks.find(({ startedAtMs }) => startedAtMs === running.startedAtMs);
      if (!task || !isActive(task) || interrupt.isAsked) return tasks;
      progress.at(task.moved);
      await wait(LOOK_EVERY_MS);
    }
  });
}

function watchText({ name }: NamedQueue, tasks: readonly MoveFacts[]): string {
  const [newest] = tasks;
  if (!newest) return `SQS knows no move task of ${name}.\n`;
  const running = isActive(newest) ? `It continues: ${taskText(newest)}.\n` : '';
  return `${tasksText(tasks)}${running}`;
}

/** `dlo dlq watch`. */
async function watchQueue(name: string, options: CommandOptions, context: CommandContext): Promise<void> {
  const { io } = context;
  await withAws(options, context, async aws => {
    const queue = await queueNamed(aws, name);
    const sqs = aws.client(SQSClient);
    const before = await listMoveTasks(sqs, queue.arn);
    const running = before.find(isActive);
    if (running) io.stderr.write(`${queue.name}: ${taskText(running)}. ${LAG_TEXT}\n`);
    const tasks = running ? await followed(sqs, queue, running, context) : before;
    if (options.json) writeJson(io, { ...queueDocument(queue), tasks: tasks.map(taskDocument) });
    else io.stdout.write(watchText(queue, tasks));
  });
}

interface CancelOptions extends CommandOptions, AuditOptions {
  readonly execute?: boolean;
}

/** Recorded tasks end within seconds. */
const CANCEL_TIMEOUT_MS = MINUTE_MS;

/** Waits until the task has ended, for at most a minute. */
async function ended(
  sqs: SQSClient,
  { arn }: NamedQueue,
  task: MoveFacts,
  { nowMs, wait }: CommandContext,
): Promise<MoveFacts> {
  const untilMs = nowMs() + CANCEL_TIMEOUT_MS;
  for (let now = task; ; ) {
    if (!isActive(now) || nowMs() > untilMs) return now;
    await wait(LOOK_EVERY_MS);
    now = (await listMoveTasks(sqs, arn)).find(({ startedAtMs }) => startedAtMs === task.startedAtMs) ?? now;
  }
}

async function cancel(sqs: SQSClient, handle: string): Promise<void> {
  const cancelled = await taskCanceller(sqs)(handle);
  if ('reason' in cancelled) throw new Error(cancelled.reason);
}

function cancelText({ name }: NamedQueue, task: MoveFacts | undefined, isDone: boolean, site: Site): string {
  if (!task) return `Nothing to do: ${name} has no running move task.\n`;
  const what = `The task of ${name}: ${taskText(task)}.`;
  if (!isDone) {
    const after = 'Moved messages stay moved. SQS continues for some seconds after the cancellation.';
    return `${what}\n${after}\nNothing has been cancelled: ${dloCommand(['dlq', 'cancel', name, '--execute'], site)} does it.\n`;
  }
  const watch = dloCommand(['dlq', 'watch', name], site);
  const late = isActive(task) ? ` The task has not ended yet: ${watch} shows the final count.` : '';
  return `${what} Moved messages stay moved. The others are in ${name}.${late}\n`;
}

/** `dlo dlq cancel`. */
async function cancelTask(name: string, options: CancelOptions, context: CommandContext): Promise<void> {
  const { execute = false, json } = options;
  await withAws(options, context, async aws => {
    const queue = await queueNamed(aws, name);
    const sqs = aws.client(SQSClient);
    const running = (await listMoveTasks(sqs, queue.arn)).find(isActive);
    // A task that is being cancelled has no handle any more.
    const cancelled = async () => {
      if (running?.handle !== undefined) await cancel(sqs, running.handle);
      return running && ended(sqs, queue, running, context);
    };
    const details = { task: running ? taskDocument(running) : null };
    const change = { command: 'dlq cancel', resource: queue.arn, details };
    const outcomeOf = (task: MoveFacts | undefined) => ({ task: task ? taskDocument(task) : null });
    const isChange = execute && running !== undefined;
    const task = isChange ? await withAudit(aws, options, context, change, cancelled, outcomeOf) : running;
    const isDone = execute && running !== undefined;
    const site = { options, region: aws.region };
    const reported = { ...queueDocument(queue), task: task ? taskDocument(task) : null, executed: isDone };
    if (json) writeJson(context.io, reported);
    else context.io.stdout.write(cancelText(queue, task, isDone, site));
  });
}

const LAG_TEXT = 'The count of SQS lags by some seconds. It is exact only after the task has ended.';

function movedText({ moved, toMove }: MoveFacts): string {
  return toMove === undefined ? formatNumber(moved) : `${formatNumber(moved)} of ${formatNumber(toMove)}`;
}

function rateText({ messagesPerSecond }: MoveFacts): string {
  return messagesPerSecond === undefined ? 'SQS chooses' : `${messagesPerSecond} a second`;
}

function toText({ destinationArn }: MoveFacts): string {
  return destinationArn === undefined ? 'their source queues' : queueNameOf(destinationArn);
}

const COLUMNS: readonly Column<MoveFacts>[] = [
  { heading: 'BEGAN', align: 'left', cell: ({ startedAtMs }) => formatInstant(startedAtMs) },
  { heading: 'STATUS', align: 'left', cell: ({ status }) => status },
  { heading: 'MOVED', align: 'right', cell: movedText },
  { heading: 'RATE', align: 'left', cell: rateText },
  { heading: 'TO', align: 'left', cell: toText },
  { heading: 'WHY', align: 'left', cell: ({ failureReason }) => (failureReason ? failureText(failureReason) : '') },
];

function tasksText(tasks: readonly MoveFacts[]): string {
  return `${table(COLUMNS, tasks).join('\n')}\n`;
}

function taskText(task: MoveFacts): string {
  const { status, failureReason } = task;
  const why = failureReason === undefined ? '' : `: ${failureText(failureReason)}`;
  return `${status}, ${movedText(task)} moved to ${toText(task)} (${rateText(task)})${why}`;
}
