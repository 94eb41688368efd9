import type { FleetEndpointDocument, FleetEndpointRow, FleetRow } from '../../api/fleets';
import { AttemptTable } from '../relays/relay-detail';
import { nowMs } from '../shared/clock';
import { Advice, Facts, Reading, Unknowns } from '../shared/copy';
import { link } from '../shared/router';
import { useFeed } from '../shared/server-connection';
import { type Column, Table } from '../shared/table';
import { ago, counted, countText, formatInstant, formatNumber } from '../shared/text';

const TONES: Readonly<Record<FleetEndpointRow['health'], 'good' | 'warn' | 'bad'>> = {
  healthy: 'good',
  suspect: 'warn',
  open: 'bad',
  draining: 'warn',
  disabled: 'bad',
};

/** The fleets with their endpoints that are not healthy. A Region without a fleet shows nothing. */
export function Fleets() {
  const { document, problem } = useFeed('fleets');
  if (problem) return <p class="problem">{problem.says}</p>;
  return (
    <>
      {document?.fleets.map(fleet => (
        <Fleet key={fleet.name} fleet={fleet} />
      ))}
      {document && document.fleets.length > 0 && <Unknowns texts={document.unknowns} />}
    </>
  );
}

function Fleet({
  fleet: { name, counts, due, inFlight, delayed, dead, deadLetterQueue, endpoints, more },
}: {
  readonly fleet: FleetRow;
}) {
  const { suspect, open, draining, disabled } = counts;
  return (
    <section class="card">
      <h2>Fleet {name}</h2>
      <Facts
        rows={[
          ['Endpoints', `${suspect} suspect, ${open} open, ${draining} draining, ${disabled} disabled`],
          [
            'Deliveries queue',
            `${countText(due)} due, ${countText(inFlight)} in flight, ${countText(delayed)} in line`,
          ],
        ]}
      />
      <p>
        <a href={link('queue', deadLetterQueue)}>{countText(dead)} in the dead-letter queue</a>
      </p>
      {endpoints.length === 0 ? (
        <p class="empty">Every endpoint is healthy, and no message is parked.</p>
      ) : (
        <EndpointTable fleet={name} endpoints={endpoints} />
      )}
      {more > 0 && <p class="sub">{counted(more, 'more endpoint', 'more endpoints')}: dlo fleet ls --json has all.</p>}
    </section>
  );
}

function EndpointTable({
  fleet,
  endpoints,
}: {
  readonly fleet: string;
  readonly endpoints: readonly FleetEndpointRow[];
}) {
  const nameOf = ({ tenant, endpoint }: FleetEndpointRow) => `${tenant}/${endpoint}`;
  const columns: readonly Column<FleetEndpointRow>[] = [
    {
      heading: 'Endpoint',
      cell: it => (
        <>
          <a href={link('fleets', fleet, it.tenant, it.endpoint)}>{nameOf(it)}</a>
          <span class="sub">{it.url}</span>
        </>
      ),
    },
    {
      heading: 'State',
      cell: ({ health, says, why }) => (
        <>
          <span class={`tag ${TONES[health]}`}>{health}</span>
          {says !== health && <span class="sub">{says}</span>}
          {why !== null && <span class="sub">{why}</span>}
        </>
      ),
    },
    { heading: 'Failures', isNumber: true, cell: it => formatNumber(it.failures) },
    { heading: 'Next probe', cell: it => instantText(it.nextProbeAtMs) },
    { heading: 'Parked since', cell: it => instantText(it.parkedSinceMs) },
  ];
  return <Table columns={columns} rows={endpoints} keyOf={nameOf} />;
}

const instantText = (atMs: number | null) => (atMs === null ? 'none' : formatInstant(atMs));

/** One endpoint of a fleet: its parked messages and its attempts. */
export function FleetEndpoint({ of }: { readonly of: readonly string[] }) {
  const state = useFeed('fleet-endpoint', of.join('/'));
  const { document } = state;
  return (
    <section class="card">
      <h1>{of.join('/')}</h1>
      <p>
        <a href={link('relays')}>All relays and fleets</a>
      </p>
      {document ? <Detail document={document} /> : <Reading state={state} what="the endpoint" />}
    </section>
  );
}

const PARKED_COLUMNS: readonly Column<FleetEndpointDocument['parked'][number]>[] = [
  { heading: 'Message', cell: it => <code>{it.deliveryId}</code> },
  { heading: 'Type', cell: it => it.type },
  { heading: 'Sent', title: it => formatInstant(it.sentAtMs), cell: it => ago(it.sentAtMs, nowMs.value) },
  { heading: 'Attempts', isNumber: true, cell: it => formatNumber(it.attempts) },
  { heading: 'Waits because', cell: it => it.reason },
];

function Detail({ document }: { readonly document: FleetEndpointDocument }) {
  const { url, says, failures, types, maxPerSecond, parked, isMoreParked, attempts, advice } = document;
  return (
    <>
      <Facts
        rows={[
          ['URL', url],
          ['Types', types.join(', ')],
          ['Ceiling', maxPerSecond === null ? 'none' : `${formatNumber(maxPerSecond)} a second`],
          ['State', says],
          ['Failures in a row', formatNumber(failures)],
        ]}
      />
      <Advice texts={advice} />
      <h2>{isMoreParked ? `${formatNumber(parked.length)} or more` : formatNumber(parked.length)} parked messages</h2>
      {parked.length > 0 && <Table columns={PARKED_COLUMNS} rows={parked} keyOf={it => it.deliveryId} />}
      <h2>Last attempts</h2>
      {attempts === null && <p class="empty">The fleet does not log attempts.</p>}
      {attempts?.length === 0 && <p class="empty">The log has none.</p>}
      {attempts && attempts.length > 0 && <AttemptTable attempts={attempts} />}
    </>
  );
}
