import { SQSClient } from '@aws-sdk/client-sqs';
import { connected } from '../../../account/connection/connection';
import { dloCommand, type Site } from '../../../account/connection/printed-commands';
import { taskCanceller } from '../../../lambda/redrive/task-carrier';
import { listMoveTasks } from '../../../lambda/redrive/task-list';
import type { MoveFacts } from '../../../policy/redrive/redrive-facts';
import { isActive } from '../../../policy/redrive/runs';
import { writeJson } from '../../print';
import type { DlqContext, DlqOptions } from '../command';
import { queueDocument, taskDocument } from '../documents';
import { type NamedQueue, queueNamed } from '../the-queue';
import { LOOK_EVERY_MS } from './move-by-task';
import { taskText } from './task-text';

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
