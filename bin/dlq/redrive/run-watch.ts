import { SQSClient } from '@aws-sdk/client-sqs';
import { connected } from '../../../account/connection/connection';
import { listMoveTasks } from '../../../lambda/redrive/task-list';
import type { MoveFacts } from '../../../policy/redrive/redrive-facts';
import { isActive } from '../../../policy/redrive/runs';
import { writeJson } from '../../print';
import { withProgress } from '../../progress';
import type { DlqContext, DlqOptions } from '../command';
import { queueDocument, taskDocument } from '../documents';
import { interruptOf } from '../letters/interrupt';
import { type NamedQueue, queueNamed } from '../the-queue';
import { LOOK_EVERY_MS } from './move-by-task';
import { LAG_TEXT, tasksText, taskText } from './task-text';

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
