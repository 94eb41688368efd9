import { useState } from 'preact/hooks';
import type { LeaseDocument, QueueRedriveDocument, RedriveRequest, TaskDocument } from '../../api/redrive';
import { Failure, useAction } from '../shared/action';
import { nowMs } from '../shared/clock';
import { Reading, Unknowns } from '../shared/copy';
import { link } from '../shared/router';
import { call, useFeed } from '../shared/server-connection';
import { type Column, Table } from '../shared/table';
import { ago, counted, formatInstant, formatNumber, roughDuration } from '../shared/text';
import { Planning } from './planning';
import { Progress } from './progress';

export function QueueRedrive({ name }: { readonly name: string }) {
  const state = useFeed('redrive', name);
  const mayChange = useFeed('status').document?.mayChange ?? false;
  const { document } = state;
  // Set when the user dismisses the last run, to plan the next one.
  const [dismissed, setDismissed] = useState<number>();
  // It outlives the plan: when two pages begin at once, the second sees the redrive of the first, and why.
  const action = useAction();
  const [terms, setTerms] = useState<Omit<RedriveRequest, 'queue'>>({});
  if (!document) return <Reading state={state} what={name} />;
  const { run, tasks, lease, unknowns } = document;
  const isShown = run !== null && (run.step !== 'ended' || run.startedAtMs !== dismissed);
  const ownTask = run !== null && run.step !== 'ended';
  const others = (tasks ?? []).filter(it => it.isRunning && !ownTask);
  const again = (next: Omit<RedriveRequest, 'queue'>) => {
    action.forget();
    setTerms(next);
    setDismissed(run?.startedAtMs);
  };
  return (
    <>
      <section class="card">
        <h2>
          Redrive <a href={link('queue', document.name)}>{document.name}</a>
        </h2>
        <p>{depthText(document)}</p>
        <Unknowns texts={unknowns} />
        {lease && <Leased lease={lease} />}
        <Failure of={action.problem} />
        {others.map(it => (
          <OtherTask key={it.startedAtMs} task={it} queue={document.name} mayChange={mayChange} />
        ))}
        {isShown && run && <Progress run={run} mayChange={mayChange} onAgain={again} />}
        {!isShown && (
          <Planning
            key={dismissed}
            queue={document.name}
            terms={terms}
            lease={lease}
            action={action}
            mayChange={mayChange}
            isEmpty={document.depths.visible + document.depths.inFlight + document.depths.delayed === 0}
          />
        )}
      </section>
      <Tasks tasks={tasks} />
    </>
  );
}

function depthText({ depths: { visible, inFlight, delayed } }: QueueRedriveDocument): string {
  const more = delayed > 0 ? `, ${formatNumber(delayed)} delayed` : '';
  return `It holds ${counted(visible, 'visible message', 'visible messages')}, ${formatNumber(inFlight)} in flight${more}.`;
}

function Leased({ lease: { command, untilMs } }: { readonly lease: LeaseDocument }) {
  return (
    <p class="notice" role="status">
      <strong>dlo {command}</strong> works on this queue, and has its lease until {formatInstant(untilMs)}. Wait for its
      end. If it was killed, you can take the lease over when you carry out a plan.
    </p>
  );
}

function OtherTask(props: { readonly task: TaskDocument; readonly queue: string; readonly mayChange: boolean }) {
  const { task, queue, mayChange } = props;
  const { moved, toMove, rate, to, startedAtMs } = task;
  const { problem, run } = useAction();
  const [isAsked, setAsked] = useState(false);
  const cancel = async () => {
    if (await run(() => call('redrive/cancel-task', { queue, startedAtMs }))) setAsked(false);
  };
  const left = toMove !== null && rate ? (toMove - moved) / rate : undefined;
  return (
    <div class="run">
      <p role="status">
        A move task runs, which this console did not start: {formatNumber(moved)}
        {toMove !== null && ` of ${formatNumber(toMove)}`} moved to {to ?? 'their source queues'}, at{' '}
        {rate === null ? 'a rate that SQS chooses' : `${rate} a second`}
        {left !== undefined && left > 0 && `, about ${roughDuration(left * 1_000)} left`}. The count of SQS lags.
      </p>
      {toMove !== null && <progress max={Math.max(1, toMove)} value={moved} aria-label="Messages moved" />}
      {mayChange && !isAsked && (
        <button type="button" onClick={() => setAsked(true)}>
          Cancel this task …
        </button>
      )}
      {isAsked && (
        <p>
          Messages that moved stay moved. SQS continues for some seconds.{' '}
          <button type="button" class="primary" onClick={cancel}>
            Cancel the task
          </button>{' '}
          <button type="button" onClick={() => setAsked(false)}>
            Let it run
          </button>
        </p>
      )}
      <Failure of={problem} />
    </div>
  );
}

const TASK_COLUMNS: readonly Column<TaskDocument>[] = [
  { heading: 'Began', title: it => formatInstant(it.startedAtMs), cell: it => ago(it.startedAtMs, nowMs.value) },
  { heading: 'Status', cell: it => it.status },
  {
    heading: 'Moved',
    isNumber: true,
    cell: it => `${formatNumber(it.moved)}${it.toMove === null ? '' : ` of ${formatNumber(it.toMove)}`}`,
  },
  {
    heading: 'To',
    cell: it => (
      <>
        {it.to ?? 'their source queues'}
        {it.rate !== null && <span class="sub">{counted(it.rate, 'message', 'messages')} a second</span>}
      </>
    ),
  },
  { heading: 'Why', cell: it => it.failure },
];

function Tasks({ tasks }: { readonly tasks: readonly TaskDocument[] | null }) {
  return (
    <section class="card">
      <h2>Move tasks of SQS</h2>
      {tasks === null && <p class="empty">They cannot be read.</p>}
      {tasks?.length === 0 && (
        <p class="empty">SQS knows none. Redrives that copy messages or invoke a function are no move tasks.</p>
      )}
      {tasks && tasks.length > 0 && (
        <Table columns={TASK_COLUMNS} rows={tasks} keyOf={({ startedAtMs }) => startedAtMs} />
      )}
    </section>
  );
}
