import { SQSClient } from '@aws-sdk/client-sqs';
import { connected } from '../../../account/connection/connection';
import { failureText, LOOK_EVERY_MS } from '../../../account/manual-redrive/move-by-task';
import { type NamedQueue, queueNamed } from '../../../account/messages/named-queue';
import { queueNameOf } from '../../../account/names';
import { dloCommand, type Site } from '../../../account/printed-commands';
import { listMoveTasks, taskCanceller } from '../../../mover/move-tasks';
import { formatNumber } from '../../../policy/format-text';
import type { MoveFacts } from '../../../policy/redrive/redrive-facts';
import { isActive } from '../../../policy/redrive/redrive-runs';
import { queueDocument, taskDocument } from '../../documents';
import { writeJson } from '../../print';
import { withProgress } from '../../progress';
import { type Column, formatInstant, table } from '../../text';
import type { DlqContext, DlqOptions } from '../command';
import { interruptOf } from '../looking';

/** The tasks as they are once the one that ran is over, or somebody looks no longer. */
async function followed(sqs: SQSClient, { arn }: NamedQueue, running: MoveFacts, { io, nowMs, wait }: DlqContext) {
  const interrupt = interruptOf(io);
  const total = running.toMove;
  const facts = { what: 'letters moved, as far as SQS tells', ...(total !== undefined && { total }) };
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
  if (!newest) return `SQS knows of no task that moved letters of ${name}.\n`;
  const running = isActive(newest) ? `It goes on: ${taskText(newest)}.\n` : '';
  return `${tasksText(tasks)}${running}`;
}

/** `dlo dlq watch`. */
export async function watchQueue(name: string, options: DlqOptions, world: DlqContext): Promise<void> {
  const { io } = world;
  await connected(options, async aws => {
    const queue = await queueNamed(aws, name);
    const sqs = aws.client(SQSClient);
    const before = await listMoveTasks(sqs, queue.arn);
    const running = before.find(isActive);
    if (running) io.stderr.write(`${queue.name}: ${taskText(running)}. ${LAG_TEXT}\n`);
    const tasks = running ? await followed(sqs, queue, running, world) : before;
    if (options.json) writeJson(io, { ...queueDocument(queue), tasks: tasks.map(taskDocument) });
    else io.stdout.write(watchText(queue, tasks));
  });
}

/** What `dlo dlq cancel` is told. */
export interface CancelOptions extends DlqOptions {
  readonly execute?: boolean;
}

/** Our choice: recorded tasks end within seconds. */
const CANCEL_TIMEOUT_MS = 60_000;

/** The task as it is once it is over, or when it has been waited for long enough. */
async function ended(
  sqs: SQSClient,
  { arn }: NamedQueue,
  task: MoveFacts,
  { nowMs, wait }: DlqContext,
): Promise<MoveFacts> {
  const untilMs = nowMs() + CANCEL_TIMEOUT_MS;
  for (let now = task; ; ) {
    if (!isActive(now) || nowMs() > untilMs) return now;
    await wait(LOOK_EVERY_MS);
    now = (await listMoveTasks(sqs, arn)).find(({ startedAtMs }) => startedAtMs === task.startedAtMs) ?? now;
  }
}

/** @throws Error where SQS refuses it */
async function cancel(sqs: SQSClient, handle: string): Promise<void> {
  const cancelled = await taskCanceller(sqs)(handle);
  if ('reason' in cancelled) throw new Error(cancelled.reason);
}

function cancelText({ name }: NamedQueue, task: MoveFacts | undefined, isDone: boolean, site: Site): string {
  if (!task) return `Nothing to do: no task moves letters of ${name}.\n`;
  const what = `The task of ${name}: ${taskText(task)}.`;
  if (!isDone) {
    const after = 'What has moved stays moved; SQS moves on for some seconds after it was asked to end.';
    return `${what}\n${after}\nNothing has been cancelled: ${dloCommand(['dlq', 'cancel', name, '--execute'], site)} does it.\n`;
  }
  const watch = dloCommand(['dlq', 'watch', name], site);
  const late = isActive(task) ? ` It is not over yet: ${watch} tells the final count.` : '';
  return `${what} What has moved stays moved, the other letters lie in ${name}.${late}\n`;
}

/** `dlo dlq cancel`. */
export async function cancelTask(name: string, options: CancelOptions, world: DlqContext): Promise<void> {
  const { execute = false, json } = options;
  await connected(options, async aws => {
    const queue = await queueNamed(aws, name);
    const sqs = aws.client(SQSClient);
    const running = (await listMoveTasks(sqs, queue.arn)).find(isActive);
    // What is being cancelled has no handle any more.
    if (execute && running?.handle !== undefined) await cancel(sqs, running.handle);
    const task = execute && running ? await ended(sqs, queue, running, world) : running;
    const isDone = execute && running !== undefined;
    const site = { options, region: aws.region };
    const reported = { ...queueDocument(queue), task: task ? taskDocument(task) : null, executed: isDone };
    if (json) writeJson(world.io, reported);
    else world.io.stdout.write(cancelText(queue, task, isDone, site));
  });
}

/** How late SQS counts, in words: what is shown beside a task that runs. */
export const LAG_TEXT =
  'SQS tells how many have moved some seconds late, and to the letter only when the task is over.';

function movedText({ moved, toMove }: MoveFacts): string {
  return toMove === undefined ? formatNumber(moved) : `${formatNumber(moved)} of ${formatNumber(toMove)}`;
}

function rateText({ messagesPerSecond }: MoveFacts): string {
  return messagesPerSecond === undefined ? 'SQS chooses' : `${messagesPerSecond} a second`;
}

function toText({ destinationArn }: MoveFacts): string {
  return destinationArn === undefined ? 'where each came from' : queueNameOf(destinationArn);
}

const COLUMNS: readonly Column<MoveFacts>[] = [
  { heading: 'BEGAN', align: 'left', cell: ({ startedAtMs }) => formatInstant(startedAtMs) },
  { heading: 'STATUS', align: 'left', cell: ({ status }) => status },
  { heading: 'MOVED', align: 'right', cell: movedText },
  { heading: 'RATE', align: 'left', cell: rateText },
  { heading: 'TO', align: 'left', cell: toText },
  { heading: 'WHY', align: 'left', cell: ({ failureReason }) => (failureReason ? failureText(failureReason) : '') },
];

/** The tasks of a queue, a line each. */
export function tasksText(tasks: readonly MoveFacts[]): string {
  return `${table(COLUMNS, tasks).join('\n')}\n`;
}

/** One task in a line. */
export function taskText(task: MoveFacts): string {
  const { status, failureReason } = task;
  const why = failureReason === undefined ? '' : `: ${failureText(failureReason)}`;
  return `${status}, ${movedText(task)} moved to ${toText(task)} (${rateText(task)})${why}`;
}
