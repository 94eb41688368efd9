import type { SimulationDocument } from '../../api/simulation';
import { Failure, useAction } from '../shared/action';
import { Reading } from '../shared/copy';
import { link } from '../shared/router';
import { call, useFeed } from '../shared/server-connection';
import { formatNumber, secondOf } from '../shared/text';
import { Endpoints, Faults, Permissions } from './breakage';
import { Sending } from './sending';
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
