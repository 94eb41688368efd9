import type { RedriveDocument, RedriveRecordDocument, RedriveStateDocument } from '../../api/redrive';
import { nowMs } from '../shared/clock';
import { Advice, Facts, Reading, Unknowns } from '../shared/copy';
import { link } from '../shared/router';
import { useFeed } from '../shared/server-connection';
import { ago, counted, formatInstant, formatNumber } from '../shared/text';
import { QueueRedrive } from './queue-redrive';

/** The `Redrive` constructs: what each would do now, and why. */
function Constructs() {
  const state = useFeed('redrives');
  const { document } = state;
  return (
    <section class="card">
      <h2>Automatic redrives</h2>
      {!document && <Reading state={state} what="the Redrive constructs" />}
      {document && <Unknowns texts={document.unknowns} />}
      {document?.redrives.length === 0 && <p class="empty">This Region has no Redrive construct.</p>}
      {document?.redrives.map(it => (
        <Construct key={it.name} redrive={it} />
      ))}
    </section>
  );
}

function Construct({ redrive: { name, path, state, problems } }: { readonly redrive: RedriveDocument }) {
  return (
    <article class="construct">
      <h3 title={name}>
        {path ?? name}{' '}
        {state ? (
          <span class={`tag ${state.needsAttention ? 'warn' : 'good'}`}>{state.says}</span>
        ) : (
          <span class="tag warn">unknown</span>
        )}
      </h3>
      {problems.map(it => (
        <p key={it} class="problem">
          {it}
        </p>
      ))}
      {state && <State state={state} />}
    </article>
  );
}

function State({ state }: { readonly state: RedriveStateDocument }) {
  const { from, to, messages, killSwitch, steps, lastRun, byItself, ifAsked, advice, failedAgain, records } = state;
  const failing = state.preconditions.filter(it => it.reason !== null);
  const passed = state.preconditions.length - failing.length;
  return (
    <>
      <p>
        <a href={link('redrive', from)}>{from}</a> → {to},{' '}
        {messages === null ? 'the queue does not exist' : `${formatNumber(messages)} messages`}. {byItself}
      </p>
      <Advice texts={advice} />
      {failedAgain
        .filter(it => it.messages > 0)
        .map(it => (
          <p key={it.name}>
            Failed again: <a href={link('queue', it.name)}>{it.name}</a>, {it.says}
            {it.emptiedBy === null ? ', a quarantine that no redrive empties' : `, emptied by ${it.emptiedBy}`}
          </p>
        ))}
      <details>
        <summary>
          {failing.length === 0 ? 'All preconditions hold' : `Fails: ${failing.map(it => it.cause).join(', ')}`}
        </summary>
        <Facts
          rows={[
            ['Steps', steps],
            ['Switch', killSwitch],
            ['Last run', lastRun],
            ['If asked now', ifAsked],
            ...failing.map(it => [it.cause, it.reason ?? ''] as const),
            ['Passed', counted(passed, 'precondition', 'preconditions')],
          ]}
        />
        <Records records={records} />
      </details>
    </>
  );
}

function Records({ records }: { readonly records: readonly RedriveRecordDocument[] | null }) {
  if (records === null) return <p class="empty">Its log cannot be read.</p>;
  if (records.length === 0) return <p class="empty">It wrote no record within a day.</p>;
  return (
    <>
      <h3>Last records</h3>
      <ul class="plain">
        {records.map(it => (
          <li key={`${it.sinceMs} ${it.what}`} title={formatInstant(it.atMs)}>
            {ago(it.atMs, nowMs.value)}: {it.isFailure ? <span class="tag bad">{it.what}</span> : it.what}: {it.reason}
            {it.times > 1 && <span class="sub">{`${it.times} times since ${formatInstant(it.sinceMs)}`}</span>}
          </li>
        ))}
      </ul>
    </>
  );
}

/** The redrives of a queue; without one, the queues that hold messages, and the `Redrive` constructs. */
export function Redrives({ of: [queue] }: { readonly of: readonly string[] }) {
  if (queue) return <QueueRedrive key={queue} name={queue} />;
  return (
    <>
      <Queues />
      <Constructs />
    </>
  );
}

function Queues() {
  const state = useFeed('dead-letters');
  const queues = state.document?.queues.flatMap(({ depths, ...it }) => {
    const messages = depths ? depths.visible + depths.inFlight + depths.delayed : undefined;
    return messages === 0 && !it.isMoving ? [] : [{ ...it, messages }];
  });
  return (
    <section class="card">
      <h2>Redrive by hand</h2>
      {!queues && <Reading state={state} what="the dead-letter queues" />}
      {queues?.length === 0 && <p class="empty">No dead-letter queue holds messages: there is nothing to redrive.</p>}
      {queues && queues.length > 0 && (
        <ul class="plain">
          {queues.map(({ arn, name, shortName, messages, isMoving, location }) => (
            <li key={arn}>
              {location === 'here' ? (
                <a href={link('redrive', name)} title={name}>
                  {shortName}
                </a>
              ) : (
                shortName
              )}
              <span class="sub">
                {messages === undefined ? 'an unknown number of messages' : `${formatNumber(messages)} messages`}
                {isMoving && ', a redrive runs'}
                {location !== 'here' && ', not in this Region and account'}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
