import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import type { StatusDocument } from '../api';
import { Doctor } from './doctor/doctor';
import { FleetEndpoint } from './fleets/fleets';
import { JourneyView } from './journey/journey';
import { DeadLetterList } from './overview/dead-letter-list';
import { MessageMap } from './overview/map';
import { QueueView } from './queue/queue-view';
import { Redrives } from './redrive/redrives';
import { Relays } from './relays/relays';
import { nowMs, setClock } from './shared/clock';
import { Reading } from './shared/copy';
import { link, route } from './shared/router';
import { type Connection, connection, type FeedState, problems, useFeed } from './shared/server-connection';
import { counted, formatInstant } from './shared/text';
import { SimulationView } from './simulation/simulation';

/** The first page: what is in trouble, and where it is. */
function Overview() {
  const map = useFeed('map');
  const levels = useFeed('levels');
  const list = useFeed('dead-letters');
  const { otherAlarms = [] } = levels.document ?? {};
  return (
    <>
      {list.document ? <DeadLetterList list={list.document} /> : <Reading state={list} what="the dead-letter queues" />}
      {otherAlarms.length > 0 && <p class="other-alarms">Also in ALARM: {otherAlarms.join(', ')}</p>}
      <section class="card">
        <h2>What messages pass through</h2>
        {map.document ? (
          <MessageMap map={map.document} levels={levels.document} />
        ) : (
          <Reading state={map} what="topics, queues and functions" />
        )}
      </section>
    </>
  );
}

interface View {
  /** The first part of the route: `queue` for `#/queue/orders-dlq`. Empty for the first page. */
  readonly path: string;
  readonly title: string;
  /** Whether it is in the navigation, and for which AWS. @default - it is not */
  readonly nav?: 'always' | 'simulation';
  /** Whether the component has the main heading. @default - the title is it, for screen readers */
  readonly hasHeading?: true;
  /** @param of the other parts of the route */
  readonly component: ComponentType<{ readonly of: readonly string[] }>;
}

const VIEWS: readonly View[] = [
  { path: '', title: 'Overview', nav: 'always', component: Overview },
  { path: 'redrive', title: 'Redrive', nav: 'always', component: Redrives },
  { path: 'relays', title: 'Relays', nav: 'always', component: Relays },
  { path: 'fleets', title: 'Endpoint of a fleet', hasHeading: true, component: FleetEndpoint },
  { path: 'doctor', title: 'Doctor', nav: 'always', component: Doctor },
  { path: 'simulation', title: 'Simulation', nav: 'simulation', component: SimulationView },
  { path: 'journey', title: 'Journeys', nav: 'simulation', hasHeading: true, component: JourneyView },
  { path: 'queue', title: 'Queue', hasHeading: true, component: QueueView },
];

/** The frame of every view: which AWS it is, whether it is up to date, and where to go. */
export function App() {
  const status = useFeed('status');
  const [path = '', ...of] = route.value;
  const view = VIEWS.find(it => it.path === path);
  useEffect(() => {
    if (status.document) setClock(status.document.nowMs, status.document.speed ?? 0);
  }, [status.document]);
  useEffect(() => {
    document.title = view?.path ? `${view.title} – Dead Letter Office` : 'Dead Letter Office';
  }, [view]);
  const Shown = view?.component;
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the contents
      </button>
      <header>
        <a class="brand" href={link('')}>
          Dead Letter Office
        </a>
        <nav aria-label="Views">
          {VIEWS.filter(it => it.nav === 'always' || it.nav === status.document?.kind).map(it => (
            <a key={it.path} href={link(it.path)} aria-current={it.path === path ? 'page' : undefined}>
              {it.title}
            </a>
          ))}
        </nav>
        {status.document && <Place status={status.document} />}
        <Pulse state={status} />
      </header>
      <Notices state={status} />
      <main id="main" tabIndex={-1}>
        {!view?.hasHeading && <h1 class="unseen">{view?.title ?? 'No such page'}</h1>}
        {Shown ? <Shown of={of} /> : <p class="empty">There is no such page. It may be of another version of dlo.</p>}
      </main>
    </>
  );
}

function Place({ status }: { readonly status: StatusDocument }) {
  const { kind, account, region, profile, endpointUrl, mayChange } = status;
  const may = kind === 'aws' && (mayChange ? 'may change it' : 'read-only');
  const parts = [profile && `profile ${profile}`, account && `account ${account}`, region, may].filter(Boolean);
  const where = kind === 'simulation' ? 'Simulation' : endpointUrl !== null ? endpointUrl : 'AWS';
  return (
    <span class={`place ${kind}`}>
      <strong>{where}</strong> {parts.join(', ')}
    </span>
  );
}

const STATES: Readonly<Record<Connection, string>> = {
  connecting: 'connecting',
  live: 'live',
  lost: 'connection lost',
  'signed-out': 'signed out',
  paused: 'paused',
};

function Pulse({ state: { document } }: { readonly state: FeedState<StatusDocument> }) {
  const { requestsInLastMinute: requests = 0, levelsEverySeconds: every, kind } = document ?? {};
  const cost = kind === 'aws' ? `, ${counted(requests, 'request', 'requests')} in the last minute` : '';
  return (
    <span
      class={`pulse ${connection.value}`}
      title={every ? `The numbers are read every ${counted(every, 'second', 'seconds')}` : ''}
    >
      <span class="dot" aria-hidden="true" />
      <span role="status">{STATES[connection.value]}</span>
      <span class="clock">
        {formatInstant(nowMs.value)}
        {cost}
      </span>
    </span>
  );
}

/** What keeps the page from being up to date or complete. */
function Notices({ state: { document } }: { readonly state: FeedState<StatusDocument> }) {
  const { unread = [] } = document ?? {};
  return (
    <>
      {connection.value === 'lost' && (
        <p class="notice bad" role="alert">
          The console does not answer. Is dlo still running? What you see is of{' '}
          {formatInstant(document?.nowMs ?? nowMs.value)}.
        </p>
      )}
      {connection.value === 'signed-out' && (
        <p class="notice bad" role="alert">
          The console was started again.{' '}
          {document?.kind === 'simulation' ? 'Load this page again.' : 'Open the link that it printed.'}
        </p>
      )}
      {document?.silence && (
        <p class="notice bad" role="alert">
          AWS does not answer: {document.silence}. The console keeps asking.
          {document.levelsReadAtMs !== null && ` What you see is of ${formatInstant(document.levelsReadAtMs)}.`}
        </p>
      )}
      {problems.value.map(says => (
        <p key={says} class="notice bad" role="alert">
          {says}
        </p>
      ))}
      {unread.length > 0 && (
        <details class="notice">
          <summary>
            {counted(unread.length, 'thing', 'things')} could not be read, so some of this page is unknown
          </summary>
          <ul>
            {unread.map(it => (
              <li key={it}>{it}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
