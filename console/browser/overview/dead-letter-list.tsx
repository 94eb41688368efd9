import { useState } from 'preact/hooks';
import type { DeadLetterRow, DeadLettersDocument } from '../../api';
import { Bars } from '../shared/bars';
import { nowMs } from '../shared/clock';
import { link } from '../shared/router';
import { ago, counted, formatInstant, formatNumber, roughDuration, UNKNOWN } from '../shared/text';

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
      {shown.length > 0 && <Table rows={shown} list={list} />}
      {(rest > 0 || isAll) && (
        <button type="button" class="quiet" onClick={() => setAll(!isAll)}>
          {isAll ? 'Hide empty queues' : `Show ${counted(rest, 'more queue', 'more queues')}`}
        </button>
      )}
    </section>
  );
}

function Table({ rows, list }: { readonly rows: readonly DeadLetterRow[]; readonly list: DeadLettersDocument }) {
  return (
    <div class="table-scroll">
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">Queue</th>
            <th scope="col" class="number">
              Messages
            </th>
            <th scope="col" class="number">
              Last {list.growthMinutes} min
            </th>
            <th scope="col">Arrivals, {list.arrivalMinutes / 60} h</th>
            <th scope="col">Oldest</th>
            <th scope="col">First expires</th>
            <th scope="col">Fed by</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <Row key={row.arn} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ row }: { readonly row: DeadLetterRow }) {
  const { name, shortName, depths, urgency, location, growth, oldestSinceMs, feeders, isMoving, arrivals } = row;
  const total = depths ? depths.visible + depths.inFlight + depths.delayed : undefined;
  return (
    <tr class={`urgency-${urgency}`}>
      <td data-label="Queue">
        <a href={link('queue', name)} title={name}>
          {shortName}
        </a>
        <span class="sub">
          {location === 'gone' ? 'does not exist: messages sent to it are lost' : URGENCIES[urgency]}
          {isMoving && ', a redrive runs'}
        </span>
      </td>
      <td data-label="Messages" class="number">
        <strong>{total === undefined ? UNKNOWN : formatNumber(total)}</strong>
      </td>
      <td data-label="Growth" class="number">
        {growth === null ? dash(total) : growth > 0 ? `+${formatNumber(growth)}` : formatNumber(growth)}
      </td>
      <td data-label="Arrivals">{arrivals.length > 0 ? <Bars values={arrivals} /> : dash(total)}</td>
      <td data-label="Oldest" title={oldestSinceMs === null ? '' : formatInstant(oldestSinceMs)}>
        {oldestSinceMs === null ? dash(total) : ago(oldestSinceMs, nowMs.value)}
      </td>
      <td data-label="First expires" class="wide">
        {expiryText(row) ?? dash(total)}
      </td>
      <td data-label="Fed by" class="feeders wide" title={feeders.join('\n')}>
        {feeders.length === 0
          ? 'nothing'
          : feeders.length === 1
            ? feeders[0]
            : `${feeders[0]} and ${feeders.length - 1} more`}
      </td>
    </tr>
  );
}

/** A missing value: unknown, or none because the queue is empty. */
function dash(total: number | undefined): string {
  return total === 0 ? '–' : UNKNOWN;
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
