import type { FleetEndpointDocument, FleetEndpointRow, FleetRow } from '../../api/fleets';
import { AttemptTable } from '../relays/relay-detail';
import { nowMs } from '../shared/clock';
import { Advice, Facts, Unknowns } from '../shared/copy';
import { useFeed } from '../shared/live';
import { Reading } from '../shared/reading';
import { link } from '../shared/router';
import { ago, counted, formatInstant, formatNumber, UNKNOWN } from '../shared/text';

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

const number = (count: number | null) => (count === null ? UNKNOWN : formatNumber(count));

function Fleet({
  fleet: { name, counts, due, inFlight, dead, deadLetterQueue, endpoints, more },
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
          ['Deliveries queue', `${number(due)} due, ${number(inFlight)} in flight`],
        ]}
      />
      <p>
        <a href={link('queue', deadLetterQueue)}>{number(dead)} in the dead-letter queue</a>
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
  return (
    <div class="table-scroll">
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">Endpoint</th>
            <th scope="col">State</th>
            <th scope="col" class="number">
              Failures
            </th>
            <th scope="col">Next probe</th>
            <th scope="col">Parked since</th>
          </tr>
        </thead>
        <tbody>
          {endpoints.map(({ tenant, endpoint, health, says, url, failures, nextProbeAtMs, parkedSinceMs }) => (
            <tr key={`${tenant}/${endpoint}`}>
              <td data-label="Endpoint">
                <a href={link('fleets', fleet, tenant, endpoint)}>
                  {tenant}/{endpoint}
                </a>
                <span class="sub">{url}</span>
              </td>
              <td data-label="State">
                <span class={`tag ${TONES[health]}`}>{health}</span>
                {says !== health && <span class="sub">{says}</span>}
              </td>
              <td data-label="Failures" class="number">
                {formatNumber(failures)}
              </td>
              <td data-label="Next probe">{nextProbeAtMs === null ? 'none' : formatInstant(nextProbeAtMs)}</td>
              <td data-label="Parked since">{parkedSinceMs === null ? 'none' : formatInstant(parkedSinceMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

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
      {parked.length > 0 && <ParkedTable parked={parked} />}
      <h2>Last attempts</h2>
      {attempts === null && <p class="empty">The fleet does not log attempts.</p>}
      {attempts?.length === 0 && <p class="empty">The log has none.</p>}
      {attempts && attempts.length > 0 && <AttemptTable attempts={attempts} />}
    </>
  );
}

function ParkedTable({ parked }: Pick<FleetEndpointDocument, 'parked'>) {
  return (
    <div class="table-scroll">
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">Message</th>
            <th scope="col">Type</th>
            <th scope="col">Sent</th>
            <th scope="col" class="number">
              Attempts
            </th>
            <th scope="col">Waits because</th>
          </tr>
        </thead>
        <tbody>
          {parked.map(({ deliveryId, type, sentAtMs, attempts, reason }) => (
            <tr key={deliveryId}>
              <td data-label="Message">
                <code>{deliveryId}</code>
              </td>
              <td data-label="Type">{type}</td>
              <td data-label="Sent" title={formatInstant(sentAtMs)}>
                {ago(sentAtMs, nowMs.value)}
              </td>
              <td data-label="Attempts" class="number">
                {formatNumber(attempts)}
              </td>
              <td data-label="Waits because">{reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
