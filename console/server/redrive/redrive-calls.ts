import { randomUUID } from 'node:crypto';
import { SQSClient } from '@aws-sdk/client-sqs';
import { audited } from '../../../account/changes/audit-record';
import { taskDocument } from '../../../account/documents/json-documents';
import { BadInput } from '../../../account/errors';
import { planRedriveOf } from '../../../account/manual-redrive/read-and-plan';
import { redriveInputOf, typedRedrive } from '../../../account/manual-redrive/redrive-terms';
import { queueNamed } from '../../../account/messages/named-queue';
import { listMoveTasks, taskCanceller } from '../../../mover/aws/move-tasks';
import { booleanValue } from '../../../policy/json-members';
import type { PlanDocument, RedriveRequest, TaskRequest } from '../../api/redrive';
import { type CallHandlers, checked, number, optional, text } from '../calls';
import type { ConsoleContext } from '../context';
import { planDocument } from './plan-document';

const TERMS = {
  queue: text,
  to: optional(text),
  subscription: optional(text),
  rate: optional(number),
  canary: optional(number),
  filter: optional(text),
  force: optional(booleanValue),
};

async function planOf({ source }: ConsoleContext, request: RedriveRequest): Promise<PlanDocument> {
  const input = redriveInputOf(request);
  return source.alone('read', async aws => {
    const { plan, warnings } = await planRedriveOf(aws, request.queue, input, { at: () => {} });
    const typed = typedRedrive(plan.deadLetters.name, request, { options: source.options, region: aws.region });
    return planDocument(plan, typed, [...warnings, ...aws.unread.texts]);
  });
}

/** As `dlo dlq cancel --execute` does. */
async function cancelTask({ source, auditLogGroup }: ConsoleContext, request: TaskRequest): Promise<void> {
  await source.alone('change', async (aws, { nowMs }) => {
    const queue = await queueNamed(aws, request.queue);
    const sqs = aws.client(SQSClient);
    const tasks = await listMoveTasks(sqs, queue.arn);
    const task = tasks.find(({ startedAtMs }) => startedAtMs === request.startedAtMs);
    const { handle } = task ?? {};
    if (!task || handle === undefined) throw new BadInput(['the task has ended, or is being cancelled']);
    const change = { command: 'dlq cancel', resource: queue.arn, details: { task: taskDocument(task) } };
    const ports = { nowMs, newId: randomUUID, warn: (text: string) => aws.unread.note(text) };
    const cancel = async () => {
      const cancelled = await taskCanceller(sqs)(handle);
      if ('reason' in cancelled) throw new Error(cancelled.reason);
    };
    await audited(aws, auditLogGroup, change, ports, cancel, () => ({}));
  });
}

type RedriveCallName = 'redrive/plan' | 'redrive/execute' | 'redrive/stop' | 'redrive/cancel-task';

export function redriveCalls(context: ConsoleContext): Pick<CallHandlers, RedriveCallName> {
  const { runs, source } = context;
  return {
    'redrive/plan': {
      changes: false,
      read: checked<'redrive/plan'>(TERMS),
      run: request => planOf(context, request),
    },
    'redrive/execute': {
      changes: true,
      read: checked<'redrive/execute'>({ ...TERMS, plan: text, steal: optional(booleanValue) }),
      run: async request => {
        await runs.start(request);
        return {};
      },
    },
    'redrive/stop': {
      changes: true,
      read: checked<'redrive/stop'>({ queue: text, isPause: booleanValue }),
      run: async ({ queue, isPause }) => {
        const { arn } = await source.use(aws => queueNamed(aws, queue));
        runs.stop(arn, isPause ? 'pause' : 'cancel');
        return {};
      },
    },
    'redrive/cancel-task': {
      changes: true,
      read: checked<'redrive/cancel-task'>({ queue: text, startedAtMs: number }),
      run: async request => {
        await cancelTask(context, request);
        return {};
      },
    },
  };
}
