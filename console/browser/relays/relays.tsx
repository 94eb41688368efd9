import type { RelayRow } from '../../api/relays';
import { Fleets } from '../fleets/fleets';
import { nowMs } from '../shared/clock';
import { Advice, Reading, Unknowns } from '../shared/copy';
import { link } from '../shared/router';
import { useFeed } from '../shared/server-connection';
import { type Column, Table } from '../shared/table';
import { countText, formatInstant, roughDuration, UNKNOWN } from '../shared/text';
import { RelayDetail } from './relay-detail';

const TONES: Readonly<Record<RelayRow['state'], 'good' | 'warn' | 'bad'>> = {
  closed: 'good',
  running: 'good',
  'half-open': 'warn',
  open: 'bad',
  'stopped-by-hand': 'warn',
  'no-mapping': 'bad',
  unknown: 'warn',
};

const STATES: Readonly<Record<RelayRow['state'], string>> = {
  closed: 'delivers, breaker closed',
  running: 'delivers, no breaker',
  'half-open': 'breaker half-open',
  open: 'breaker open',
  'stopped-by-hand': 'stopped by hand',
  'no-mapping': 'event source mapping deleted',
  unknown: 'unknown',
};

/** Every relay; with a name, also what is known about that one. */
export function Relays({ of: [name] }: { readonly of: readonly string[] }) {
  const state = useFeed('relays');
  if (!state.document) return <Reading state={state} what="the relays" />;
  const { relays, unknowns } = state.document;
  const shown = relays.length === 1 ? relays[0]?.name : name || undefined;
  const one = relays.find(it => it.name === shown);
  return (
    <>
      <section class="card">
        <h2>Relays</h2>
        <Unknowns texts={unknowns} />
        {relays.length === 0 ? (
          <p class="empty">
            This Region has no relay. A relay delivers messages to an HTTP endpoint with retries over hours or days.
          </p>
        ) : (
          <RelayTable relays={relays} shown={shown} />
        )}
      </section>
      {one && <OneRelay key={one.name} relay={one} />}
      {shown !== undefined && !one && (
        <p class="problem">
          There is no relay {shown}: it may have been deleted. <a href={link('relays')}>All relays</a>
        </p>
      )}
      <Fleets />
    </>
  );
}

function RelayTable({ relays, shown }: { readonly relays: readonly RelayRow[]; readonly shown: string | undefined }) {
  const count = (heading: string, value: (relay: RelayRow) => number | null, label = heading): Column<RelayRow> => ({
    heading,
    label,
    isNumber: true,
    cell: relay => countText(value(relay)),
  });
  const columns: readonly Column<RelayRow>[] = [
    {
      heading: 'Relay',
      cell: ({ name, shortName, destination }) => (
        <>
          <a href={link('relays', name)} title={name} aria-current={name === shown ? 'true' : undefined}>
            {shortName}
          </a>
          <span class="sub">{destination}</span>
        </>
      ),
    },
    { heading: 'State', cell: ({ state }) => <span class={`tag ${TONES[state]}`}>{STATES[state]}</span> },
    count('Due', ({ due }) => due),
    count('In flight or waiting', ({ inFlight }) => inFlight, 'In flight'),
    count('Dead', ({ dead }) => dead),
    { heading: 'Failure alarm', label: 'Alarm', cell: ({ failureAlarm }) => failureAlarm ?? 'none' },
  ];
  return <Table columns={columns} rows={relays} keyOf={({ name }) => name} />;
}

function OneRelay({ relay }: { readonly relay: RelayRow }) {
  const { name, says, advice, problems, nextProbeAtMs, concurrency, configuredConcurrency } = relay;
  const probe = nextProbeAtMs === null ? '' : `, in ${roughDuration(Math.max(0, nextProbeAtMs - nowMs.value))}`;
  return (
    <section class="card">
      <h2>{name}</h2>
      <dl class="facts">
        <Fact about="Delivers to">{relay.destination}</Fact>
        <Fact about="Breaker">
          {says}
          {nextProbeAtMs !== null && `. Next probe at ${formatInstant(nextProbeAtMs)}${probe}.`}
        </Fact>
        <Fact about="Concurrency">
          {concurrency ?? UNKNOWN} of {configuredConcurrency ?? UNKNOWN}
        </Fact>
        {relay.queue !== null && <Fact about="Queue">{relay.queue}</Fact>}
        {relay.deadLetterQueue !== null && (
          <Fact about="Dead letters">
            <a href={link('queue', relay.deadLetterQueue)}>{relay.deadLetterQueue}</a>
            {(relay.dead ?? 0) > 0 && (
              <>
                {' '}
                · <a href={link('redrive', relay.deadLetterQueue)}>Redrive …</a>
              </>
            )}
          </Fact>
        )}
      </dl>
      {problems.map(it => (
        <p key={it} class="problem">
          {it}
        </p>
      ))}
      <Advice texts={advice} />
      <RelayDetail name={name} />
    </section>
  );
}

function Fact({ about, children }: { readonly about: string; readonly children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{about}</dt>
      <dd>{children}</dd>
    </div>
  );
}
