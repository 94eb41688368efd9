import { useState } from 'preact/hooks';
import {
  ENDPOINT_MOODS,
  type EndpointMood,
  FAULT_KINDS,
  FAULT_SERVICES,
  type FaultKind,
  type SimulationDocument,
} from '../../api/simulation';
import { Failure, Form, Options, useAction } from '../shared/action';
import { call } from '../shared/server-connection';
import { counted, roughDuration } from '../shared/text';

const MOODS: Readonly<Record<EndpointMood, string>> = {
  up: 'answers 200',
  down: 'refuses connections',
  error: 'answers 503',
  slow: 'takes 20 seconds',
  flaky: 'fails two of three',
  throttling: 'answers 429',
  gone: 'has no address (DNS)',
};

const KINDS: Readonly<Record<FaultKind, string>> = {
  error: 'answers errors (503)',
  throttle: 'throttles',
  slow: 'takes 20 seconds',
};

/** Endpoints outside AWS, and how they behave. */
export function Endpoints({ endpoints, unconfirmed }: Pick<SimulationDocument, 'endpoints' | 'unconfirmed'>) {
  const { isBusy, problem, run } = useAction();
  return (
    <section class="card" aria-labelledby="endpoints-title">
      <h2 id="endpoints-title">Endpoints outside AWS</h2>
      {endpoints.length + unconfirmed.length === 0 && <p class="empty">Nothing calls an endpoint outside AWS.</p>}
      <ul class="switches">
        {endpoints.map(({ host, requests, mood }) => (
          <li key={host}>
            <span class="what">
              {host}
              <span class="sub">{counted(requests, 'request', 'requests')}</span>
            </span>
            <select
              aria-label={`How ${host} behaves`}
              class={mood === 'up' ? '' : 'broken'}
              value={mood ?? ''}
              onChange={({ currentTarget: { value } }) => {
                const wanted = ENDPOINT_MOODS.find(it => it === value);
                if (wanted) void run(() => call('simulation/endpoint', { host, mood: wanted }));
              }}
            >
              {mood === null && <option value="">as a script set it</option>}
              <Options of={Object.entries(MOODS)} />
            </select>
          </li>
        ))}
        {unconfirmed.map(endpoint => (
          <li key={endpoint}>
            <span class="what">
              {endpoint}
              <span class="sub">has not confirmed its subscription, and receives nothing</span>
            </span>
            <button
              type="button"
              disabled={isBusy}
              onClick={() => run(() => call('simulation/confirm', { endpoint }))}
              aria-label={`Confirm ${endpoint}`}
            >
              Confirm
            </button>
          </li>
        ))}
      </ul>
      <Failure of={problem} />
    </section>
  );
}

export function Faults({ faults, nowMs }: Pick<SimulationDocument, 'faults' | 'nowMs'>) {
  const { isBusy, problem, run } = useAction();
  const set = (text: (field: string) => string) => {
    const [action, minutes] = [text('action').trim(), text('minutes')];
    const kind = FAULT_KINDS.find(it => it === text('kind')) ?? 'error';
    const service = FAULT_SERVICES.find(it => it === text('service')) ?? 'lambda';
    const input = {
      service,
      kind,
      ...(action !== '' && { action }),
      ...(minutes !== '' && { forSeconds: Number(minutes) * 60 }),
    };
    void run(() => call('simulation/fault', input));
  };
  return (
    <section class="card" aria-labelledby="faults-title">
      <h2 id="faults-title">Faults of AWS</h2>
      <Form class="terms" send={set}>
        <label>
          Service
          <select name="service">
            <Options of={FAULT_SERVICES.map(it => [it, it])} />
          </select>
        </label>
        <label>
          What happens
          <select name="kind">
            <Options of={Object.entries(KINDS)} />
          </select>
        </label>
        <label>
          Only this action
          <input name="action" placeholder="all" size={14} />
        </label>
        <label>
          For … minutes
          <input name="minutes" type="number" min={0} step="any" placeholder="until it is ended" size={14} />
        </label>
        <button type="submit" disabled={isBusy}>
          Break it
        </button>
      </Form>
      <ul class="switches">
        {faults.map(({ says, untilMs }) => (
          <li key={says}>
            <span class="what bad">
              {says}
              <span class="sub">
                {untilMs === null ? 'until it is ended' : `for ${roughDuration(untilMs - nowMs)}`}
              </span>
            </span>
          </li>
        ))}
      </ul>
      {faults.length > 0 && (
        <button type="button" disabled={isBusy} onClick={() => run(() => call('simulation/end-faults', {}))}>
          End all faults
        </button>
      )}
      <Failure of={problem} />
    </section>
  );
}

/** More permissions than this need a search. */
const FEW = 12;

/** Permissions, to take away and give back. */
export function Permissions({ permissions }: Pick<SimulationDocument, 'permissions'>) {
  const { isBusy, problem, run } = useAction();
  const [wanted, setWanted] = useState('');
  const all = permissions ?? [];
  const shown = all.filter(({ holder, says, isTaken }) => isTaken || `${holder} ${says}`.includes(wanted));
  return (
    <section class="card" aria-labelledby="permissions-title">
      <h2 id="permissions-title">Permissions of queues and functions</h2>
      {!permissions && <p class="reading">Reading them …</p>}
      {permissions?.length === 0 && <p class="empty">No queue and no role of a function has a policy.</p>}
      {all.length > FEW && (
        <input
          type="search"
          aria-label="Find a permission"
          placeholder="find a queue, function or action"
          value={wanted}
          onInput={event => setWanted(event.currentTarget.value)}
        />
      )}
      <ul class="switches">
        {shown.slice(0, FEW).map(({ id, holder, says, isTaken }) => (
          <li key={id}>
            <span class={`what ${isTaken ? 'bad' : ''}`}>
              {holder}
              <span class="sub">{isTaken ? <s>{says}</s> : says}</span>
            </span>
            <button
              type="button"
              disabled={isBusy}
              aria-label={`${isTaken ? 'Give back' : 'Take away'}: ${holder} ${says}`}
              onClick={() => run(() => call('simulation/permission', { id, isTaken: !isTaken }))}
            >
              {isTaken ? 'Give back' : 'Take away'}
            </button>
          </li>
        ))}
      </ul>
      {shown.length > FEW && <p class="faint">and {shown.length - FEW} more</p>}
      <Failure of={problem} />
    </section>
  );
}
