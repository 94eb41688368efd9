import { useState } from 'preact/hooks';
import type { SimulationDocument } from '../../api/simulation';
import { Failure, Form, Options, useAction } from '../shared/action';
import { Reading } from '../shared/copy';
import { link } from '../shared/router';
import { call, useFeed } from '../shared/server-connection';
import { counted, formatNumber, secondOf } from '../shared/text';
import { Endpoints, Faults, Permissions } from './breakage';
import { TimeBar } from './time-bar';

/** Breaks things in a simulation, sends messages, and shows what happens. */
export function SimulationView() {
  const state = useFeed('simulation');
  const { document } = state;
  return (
    <>
      <TimeBar state={document} />
      {document ? (
        <div class="two-columns">
          <div>
            <Sending topics={document.topics} queues={document.queues} />
            <Endpoints endpoints={document.endpoints} unconfirmed={document.unconfirmed} />
            <Faults faults={document.faults} nowMs={document.nowMs} />
            <Permissions permissions={document.permissions} />
          </div>
          <div>
            <Newest newest={document.newest} />
            <Points points={document.snapshots} />
          </div>
        </div>
      ) : (
        <Reading state={state} what="the simulation" />
      )}
    </>
  );
}

function Newest({ newest }: Pick<SimulationDocument, 'newest'>) {
  return (
    <section class="card" aria-labelledby="newest-title">
      <h2 id="newest-title">What happened last</h2>
      {newest.length === 0 && <p class="empty">Nothing yet.</p>}
      <ol class="newest">
        {newest.map(({ seq, atMs, type, facts, messageId }) => (
          <li key={seq}>
            <span class="at">{secondOf(atMs).slice(11)}</span>
            {messageId === null ? <strong>{type}</strong> : <a href={link('journey', messageId)}>{type}</a>}
            <span class="mono">{facts}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

const MOST_POINTS = 12;

function Points({ points }: { readonly points: SimulationDocument['snapshots'] }) {
  const action = useAction();
  const back = (name: string | null) => action.run(() => call('simulation/restore', { name }));
  return (
    <section class="card" aria-labelledby="points-title">
      <h2 id="points-title">Go back</h2>
      <p class="faint">
        The run begins again from the same assembly and seed, and repeats every request until that point.
      </p>
      <ul class="points">
        {[...points]
          .reverse()
          .slice(0, MOST_POINTS)
          .map(({ name, says, atMs, events }) => (
            <li key={name}>
              <button type="button" disabled={action.isBusy} onClick={() => back(name)}>
                Go back
              </button>
              <span>
                {says}
                {atMs !== null && (
                  <span class="sub">
                    {secondOf(atMs)}
                    {events !== null && `, ${formatNumber(events)} events`}
                  </span>
                )}
              </span>
            </li>
          ))}
        <li>
          <button type="button" disabled={action.isBusy} onClick={() => back(null)}>
            Go back
          </button>
          <span>the beginning</span>
        </li>
      </ul>
      <button type="button" disabled={action.isBusy} onClick={() => action.run(() => call('simulation/snapshot', {}))}>
        Remember this point
      </button>
      <p role="status" class="time-said">
        {action.isBusy ? 'Working …' : ''}
      </p>
      <Failure of={action.problem} />
    </section>
  );
}

interface SendingProps {
  readonly topics: readonly string[];
  readonly queues: readonly string[];
}

const EXAMPLE = '{"orderId":"R-{n}"}';

/** `country=DE, class=economy` as an object. */
function attributesIn(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').flatMap(pair => {
    const [name = '', ...value] = pair.split('=');
    return name.trim() === '' ? [] : [[name.trim(), value.join('=').trim()] as const];
  });
  return Object.fromEntries(pairs);
}

function Sending({ topics, queues }: SendingProps) {
  const { isBusy, problem, run } = useAction();
  const [sent, setSent] = useState<{ readonly messageId: string; readonly count: number }>();
  const send = async (text: (field: string) => string) => {
    const [to, name = ''] = text('to').split(/ (.*)/s);
    const count = Number(text('count'));
    const attributes = attributesIn(text('attributes'));
    const input = {
      to: to === 'queue' ? ('queue' as const) : ('topic' as const),
      name,
      message: text('message'),
      count,
      everySeconds: Number(text('everySeconds')),
      ...(Object.keys(attributes).length > 0 && { attributes }),
      ...(text('groupId') !== '' && { groupId: text('groupId') }),
    };
    const answer = await run(() => call('simulation/send', input));
    if (answer) setSent({ messageId: answer.messageId, count });
  };
  return (
    <section class="card" aria-labelledby="sending-title">
      <h2 id="sending-title">Send messages</h2>
      {topics.length + queues.length === 0 && <p class="empty">There is no topic and no queue yet.</p>}
      <Form class="terms sending" send={send}>
        <label class="wide">
          To
          <select name="to" required>
            <optgroup label="Topics">
              <Options of={topics.map(it => [`topic ${it}`, it])} />
            </optgroup>
            <optgroup label="Queues">
              <Options of={queues.map(it => [`queue ${it}`, it])} />
            </optgroup>
          </select>
        </label>
        <label class="wide">
          Message; {'{n}'} is its number
          <textarea name="message" rows={3} required defaultValue={EXAMPLE} spellcheck={false} />
        </label>
        <label class="wide">
          Attributes, for filters
          <input name="attributes" placeholder="vehicleClass=economy, country=DE" spellcheck={false} />
        </label>
        <label>
          How many
          <input name="count" type="number" min={1} max={100_000} required defaultValue="1" />
        </label>
        <label>
          One every … seconds
          <input name="everySeconds" type="number" min={0} step="any" required defaultValue="1" />
        </label>
        <label>
          Group (FIFO)
          <input name="groupId" size={8} />
        </label>
        <button type="submit" class="primary" disabled={isBusy}>
          Send
        </button>
      </Form>
      <p role="status" class="time-said">
        {isBusy && 'Sending …'}
        {!isBusy && sent && (
          <>
            {sent.count === 1 ? 'Sent. ' : `The first of ${counted(sent.count, 'message', 'messages')} is sent. `}
            <a href={link('journey', sent.messageId)}>Follow {sent.count === 1 ? 'it' : 'the first one'}</a>
          </>
        )}
      </p>
      <Failure of={problem} />
    </section>
  );
}
