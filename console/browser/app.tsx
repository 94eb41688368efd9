import { useEffect } from 'preact/hooks';
import type { StatusDocument } from '../api';
import { nowMs, setClock } from './shared/clock';
import { link, route } from './shared/router';
import { type Connection, connection, type FeedState, problems, useFeed } from './shared/server-connection';
import { counted, formatInstant } from './shared/text';
import { VIEWS } from './views';

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
