import { useState } from 'preact/hooks';
import type { MessageList as Found, MessageRow, MessageSearch } from '../../api/journey';
import { Failure, Options, useAnswer } from '../shared/action';
import { link } from '../shared/router';
import { call, useFeed } from '../shared/server-connection';
import { counted, secondOf } from '../shared/text';

const TROUBLES: readonly (readonly [MessageRow['trouble'], string])[] = [
  ['none', 'all messages'],
  ['failed', 'an attempt failed'],
  ['dead-lettered', 'dead-lettered'],
  ['lost', 'lost'],
];

const SAYS: Readonly<Record<MessageRow['trouble'], string>> = {
  none: '',
  failed: 'an attempt failed',
  'dead-lettered': 'dead-lettered',
  lost: 'lost',
};

/** How long after a key the search begins. */
const TYPING_MS = 250;

/** The messages that the simulation has seen. The server searches, and a page of them is drawn. */
export function MessageList({ events }: { readonly events: number }) {
  const [wanted, setWanted] = useState<MessageSearch>({ text: '', place: '', trouble: 'none', before: null });
  const [earlier, setEarlier] = useState<readonly (number | null)[]>([]);
  const { document } = useFeed('simulation');
  // An older page does not change when messages arrive.
  const version = wanted.before === null ? events : 0;
  const { answer: found, problem } = useAnswer(() => call('journey/search', wanted), [wanted, version], TYPING_MS);
  const search = (change: Partial<MessageSearch>): void => {
    setEarlier([]);
    setWanted({ ...wanted, before: null, ...change });
  };
  return (
    <section class="card" aria-labelledby="messages-title">
      <h1 id="messages-title">Messages</h1>
      <search class="message-search">
        <label>
          Text or id
          <input type="search" value={wanted.text} onInput={event => search({ text: event.currentTarget.value })} />
        </label>
        <label>
          Passed
          <input
            type="search"
            list="places"
            placeholder="topic, queue, function, URL"
            value={wanted.place}
            onInput={event => search({ place: event.currentTarget.value })}
          />
        </label>
        <datalist id="places">
          {[...(document?.topics ?? []), ...(document?.queues ?? [])].map(it => (
            <option key={it} value={it} />
          ))}
        </datalist>
        <label>
          What happened
          <select
            value={wanted.trouble}
            onChange={event => search({ trouble: event.currentTarget.value as MessageRow['trouble'] })}
          >
            <Options of={TROUBLES} />
          </select>
        </label>
      </search>
      <Failure of={problem} />
      {found && <Rows found={found} />}
      {found && (
        <p class="pages">
          <button
            type="button"
            disabled={earlier.length === 0}
            onClick={() => {
              setWanted({ ...wanted, before: earlier.at(-1) ?? null });
              setEarlier(earlier.slice(0, -1));
            }}
          >
            Newer
          </button>
          <button
            type="button"
            disabled={found.next === null}
            onClick={() => {
              setEarlier([...earlier, wanted.before]);
              setWanted({ ...wanted, before: found.next });
            }}
          >
            Older
          </button>
          <span class="faint">{counted(found.total, 'message', 'messages')} in the trace</span>
        </p>
      )}
    </section>
  );
}

function Rows({ found: { messages, total } }: { readonly found: Found }) {
  if (messages.length === 0) {
    return (
      <p class="empty">
        {total === 0 ? (
          <>
            No message was sent yet. <a href={link('simulation')}>Publish one</a>.
          </>
        ) : (
          'No message matches.'
        )}
      </p>
    );
  }
  return (
    <ul class="message-rows">
      {messages.map(({ id, atMs, place, trouble, body }) => (
        <li key={id}>
          <a href={link('journey', id)}>
            <span class="at">{secondOf(atMs)}</span>
            <span class="where">{place}</span>
            <span class="mono">{body ?? id}</span>
            {trouble !== 'none' && <span class={`badge ${trouble}`}>{SAYS[trouble]}</span>}
          </a>
        </li>
      ))}
    </ul>
  );
}
