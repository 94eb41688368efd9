import { useState } from 'preact/hooks';
import type { DeadLetterRow, DeadLettersDocument } from '../../api';
import { nowMs } from '../shared/clock';
import { link } from '../shared/router';
import { type Column, Table } from '../shared/table';
import { ago, counted, countText, formatInstant, formatNumber, roughDuration, UNKNOWN } from '../shared/text';

/** A small chart of numbers over time. */
function Bars({ values }: { readonly values: readonly number[] }) {
  const most = Math.max(...values, 1);
  const total = values.reduce((sum, it) => sum + it, 0);
  return (
    <svg
      class="bars"
      viewBox={`0 0 ${values.length * 3} 24`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${total} arrived`}
    >
      <title>{`${total} arrived; at most ${Math.max(...values)} in five minutes`}</title>
      {values.map((value, at) => {
        const height = value === 0 ? 0.5 : Math.max(1.5, (value / most) * 23);
        return <rect key={at} x={at * 3} y={24 - height} width={2} height={height} class={value === 0 ? 'none' : ''} />;
      })}
    </svg>
  );
}

/** Rows that are drawn without a click. */
const MOST_ROWS = 50;

const URGENCIES: Readonly<Record<DeadLetterRow['urgency'], string>> = {
  expiring: 'loses a message within a day',
  growing: 'growing',
  'may-expire': 'may lose a message within a day',
  holding: 'holds messages',
  unknown: 'cannot be read',
  empty: 'empty',
};

/** The dead-letter queues, the most urgent first. */
export function DeadLetterList({ list }: { readonly list: DeadLettersDocument }) {
  const [isAll, setAll] = useState(false);
  const open = list.queues.filter(it => it.urgency !== 'empty');
  const shown = isAll ? list.queues : open.slice(0, MOST_ROWS);
  const rest = list.queues.length - shown.length;
  return (
    <section class="card" aria-labelledby="dead-letter-queues">
      <h2 id="dead-letter-queues">Dead-letter queues</h2>
      {open.length === 0 && (
        <p class="empty">
          {list.queues.length === 0
            ? 'This Region has no dead-letter queue.'
            : `No dead-letter queue holds messages. ${counted(list.queues.length, 'is', 'are')} empty.`}
        </p>
      )}
      {shown.length > 0 && <QueueTable rows={shown} list={list} />}
      {(rest > 0 || isAll) && (
        <button type="button" class="quiet" onClick={() => setAll(!isAll)}>
          {isAll ? 'Hide empty queues' : `Show ${counted(rest, 'more queue', 'more queues')}`}
        </button>
      )}
    </section>
  );
}

function QueueTable({ rows, list }: { readonly rows: readonly DeadLetterRow[]; readonly list: DeadLettersDocument }) {
  const columns: readonly Column<DeadLetterRow>[] = [
    {
      heading: 'Queue',
      cell: ({ name, shortName, location, urgency, isMoving }) => (
        <>
          <a href={link('queue', name)} title={name}>
            {shortName}
          </a>
          <span class="sub">
            {location === 'gone' ? 'does not exist: messages sent to it are lost' : URGENCIES[urgency]}
            {isMoving && ', a redrive runs'}
          </span>
        </>
      ),
    },
    { heading: 'Messages', isNumber: true, cell: row => <strong>{countText(totalOf(row))}</strong> },
    {
      heading: `Last ${list.growthMinutes} min`,
      label: 'Growth',
      isNumber: true,
      cell: ({ growth, ...row }) =>
        growth === null ? dash(row) : growth > 0 ? `+${formatNumber(growth)}` : formatNumber(growth),
    },
    {
      heading: `Arrivals, ${list.arrivalMinutes / 60} h`,
      label: 'Arrivals',
      cell: row => (row.arrivals.length > 0 ? <Bars values={row.arrivals} /> : dash(row)),
    },
    {
      heading: 'Oldest',
      title: ({ oldestSinceMs }) => (oldestSinceMs === null ? '' : formatInstant(oldestSinceMs)),
      cell: row => (row.oldestSinceMs === null ? dash(row) : ago(row.oldestSinceMs, nowMs.value)),
    },
    { heading: 'First expires', class: 'wide', cell: row => expiryText(row) ?? dash(row) },
    {
      heading: 'Fed by',
      class: 'feeders wide',
      title: ({ feeders }) => feeders.join('\n'),
      cell: ({ feeders: [first = 'nothing', ...more] }) =>
        more.length === 0 ? first : `${first} and ${more.length} more`,
    },
  ];
  return (
    <Table columns={columns} rows={rows} keyOf={({ arn }) => arn} rowClass={({ urgency }) => `urgency-${urgency}`} />
  );
}

function totalOf({ depths }: Pick<DeadLetterRow, 'depths'>): number | null {
  return depths ? depths.visible + depths.inFlight + depths.delayed : null;
}

/** A missing value: unknown, or none because the queue is empty. */
function dash(row: Pick<DeadLetterRow, 'depths'>): string {
  return totalOf(row) === 0 ? '–' : UNKNOWN;
}

/** When the first message expires. */
export function expiryText({ expiresEarliestMs, expiresLatestMs }: DeadLetterRow): string | undefined {
  if (expiresEarliestMs === null || expiresLatestMs === null) return undefined;
  const now = nowMs.value;
  const latest = roughDuration(expiresLatestMs - now);
  if (expiresLatestMs <= now) return 'at any moment';
  if (expiresEarliestMs <= now) return `at any moment, in ${latest} at latest`;
  const earliest = roughDuration(expiresEarliestMs - now);
  return earliest === latest ? `in ${latest}` : `in ${earliest} to ${latest}`;
}
