import { randomUUID } from 'node:crypto';
import { SQSClient } from '@aws-sdk/client-sqs';
import { audited } from '../../../account/changes/audit-record';
import { taskDocument } from '../../../account/documents/json-documents';
import { BadInput } from '../../../account/errors';
import { planRedriveOf } from '../../../account/manual-redrive/read-and-plan';
import { redriveInputOf, typedRedrive } from '../../../account/manual-redrive/redrive-terms';
import { queueNamed } from '../../../account/messages/named-queue';
import { listMoveTasks, taskCanceller } from '../../../mover/aws/move-tasks';
import type { JsonObject } from '../../../policy/json-members';
import type { PlanDocument, RedriveRequest, TaskRequest } from '../../api/redrive';
import type { CallHandlers } from '../calls';
import type { ConsoleContext } from '../context';
import { planDocument } from './plan-document';

type Kind = 'string' | 'number' | 'boolean';

const ARTICLES: Readonly<Record<Kind, string>> = { string: 'a text', number: 'a number', boolean: 'true or false' };

/** Reads members of these types, and nothing else. */
function members<T>(input: JsonObject, kinds: Readonly<Record<string, Kind>>, required: readonly string[]): T {
  const problems = [
    ...required.filter(name => !Object.hasOwn(input, name)).map(name => `${name} is missing`),
    ...Object.entries(input).flatMap(([name, value]) => {
      const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
      if (kind === undefined) return [`${name} is not known`];
      return typeof value === kind ? [] : [`${name} must be ${ARTICLES[kind]}: got ${JSON.stringify(value)}`];
    }),
  ];
  if (problems.length > 0) throw new BadInput(problems);
  return input as T;
}

const TERMS = {
  queue: 'string',
  to: 'string',
  subscription: 'string',
  rate: 'number',
  canary: 'number',
  filter: 'string',
  force: 'boolean',
} as const;

const EXECUTE = { ...TERMS, plan: 'string', steal: 'boolean' } as const;

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
      read: input => members(input, TERMS, ['queue']),
      run: request => planOf(context, request),
    },
    'redrive/execute': {
      changes: true,
      read: input => members(input, EXECUTE, ['queue', 'plan']),
      run: async request => {
        await runs.start(request);
        return {};
      },
    },
    'redrive/stop': {
      changes: true,
      read: input => members(input, { queue: 'string', isPause: 'boolean' }, ['queue', 'isPause']),
      run: async ({ queue, isPause }) => {
        const { arn } = await source.use(aws => queueNamed(aws, queue));
        runs.stop(arn, isPause ? 'pause' : 'cancel');
        return {};
      },
    },
    'redrive/cancel-task': {
      changes: true,
      read: input => members(input, { queue: 'string', startedAtMs: 'number' }, ['queue', 'startedAtMs']),
      run: async request => {
        await cancelTask(context, request);
        return {};
      },
    },
  };
}
