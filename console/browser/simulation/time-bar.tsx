import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { SimulationDocument } from '../../api/simulation';
import { Failure, Options, useAction } from '../shared/action';
import { call } from '../shared/server-connection';
import { counted, roughDuration, secondOf } from '../shared/text';

type Speed = SimulationDocument['speed'];

const SPEEDS: readonly (readonly [Speed, string])[] = [
  [1, 'real time'],
  [10, '10 ×'],
  [60, 'a minute a second'],
  [600, '10 minutes a second'],
  [3_600, 'an hour a second'],
  ['max', 'from event to event'],
];

const JUMPS: readonly (readonly [seconds: number, says: string])[] = [
  [1, '1 s'],
  [60, '1 min'],
  [900, '15 min'],
  [3_600, '1 h'],
  [86_400, '1 d'],
];

/** The speed at which time goes on after a pause. */
const chosen = signal<Speed>(60);

/** Play, pause, step, speed, jump and undo. It is on every page about the simulation. */
export function TimeBar({ state }: { readonly state: SimulationDocument | undefined }) {
  const { isBusy, problem, run } = useAction();
  const [moved, setMoved] = useState('');
  const { nowMs = 0, speed = 0, events = 0, undo = null } = state ?? {};
  const isPlaying = speed !== 0;
  useEffect(() => {
    if (speed !== 0) chosen.value = speed;
  }, [speed]);
  const setSpeed = (to: Speed) => run(() => call('simulation/speed', { speed: to }));
  const jump = async (work: () => Promise<{ readonly nowMs: number; readonly events: number }>) => {
    const to = await run(work);
    if (to) setMoved(`${counted(to.events, 'event', 'events')}, until ${secondOf(to.nowMs)}`);
  };
  return (
    <section class="card time-bar" aria-label="Time of the simulation">
      <p class="time-now">
        <strong>{state ? secondOf(nowMs) : '…'}</strong>
        <span class="events">{counted(events, 'event', 'events')}</span>
      </p>
      <div class="time-controls">
        <button
          type="button"
          class={isPlaying ? '' : 'primary'}
          disabled={!state}
          onClick={() => setSpeed(isPlaying ? 0 : chosen.value)}
        >
          {isPlaying ? '❚❚ Pause' : '▶ Play'}
        </button>
        <select
          aria-label="Speed"
          value={String(chosen.value)}
          onChange={({ currentTarget: { value } }) => {
            chosen.value = value === 'max' ? 'max' : Number(value);
            if (isPlaying) setSpeed(chosen.value);
          }}
        >
          <Options of={speedsWith(chosen.value)} />
        </select>
        <button type="button" disabled={isBusy} onClick={() => jump(() => call('simulation/step', {}))}>
          Step to the next event
        </button>
      </div>
      <fieldset class="time-controls" aria-label="Jump">
        {JUMPS.map(([seconds, says]) => (
          <button
            key={seconds}
            type="button"
            disabled={isBusy}
            onClick={() => jump(() => call('simulation/jump', { seconds }))}
          >
            + {says}
          </button>
        ))}
        <JumpTo nowMs={nowMs} isBusy={isBusy} jump={until => jump(() => call('simulation/jump', { until }))} />
      </fieldset>
      <div class="time-controls">
        <button
          type="button"
          disabled={isBusy || !undo}
          onClick={() => undo && run(() => call('simulation/restore', { name: undo.name }))}
        >
          ↶ Undo{undo && `: ${undo.says}`}
        </button>
      </div>
      {state && (
        <TimeLine state={state} isBusy={isBusy} travel={atMs => run(() => call('simulation/travel', { atMs }))} />
      )}
      <p class="time-said" role="status">
        {isBusy ? 'Working …' : moved}
      </p>
      <Failure of={problem} />
    </section>
  );
}

/** The speeds to choose from, and the present one if it is none of them. */
function speedsWith(speed: Speed): readonly (readonly [Speed, string])[] {
  return SPEEDS.some(([it]) => it === speed) ? SPEEDS : [...SPEEDS, [speed, `${speed} ×`]];
}

interface TimeLineProps {
  readonly state: SimulationDocument;
  readonly isBusy: boolean;
  readonly travel: (atMs: number) => Promise<unknown>;
}

/** The run from its beginning, as a slider. Going back repeats what was done before that instant. */
function TimeLine({ state: { beganMs, nowMs, story }, isBusy, travel }: TimeLineProps) {
  const [aimedMs, aim] = useState<number>();
  const [furthestMs, setFurthest] = useState(0);
  const endMs = Math.max(story?.endsAtMs ?? 0, furthestMs, nowMs);
  useEffect(() => {
    if (nowMs > furthestMs) setFurthest(nowMs);
  }, [nowMs, furthestMs]);
  const shownMs = aimedMs ?? nowMs;
  const happening = story?.marks.findLast(it => it.atMs <= shownMs);
  const go = async (atMs: number) => {
    await travel(atMs);
    aim(undefined);
  };
  return (
    <div class="time-line">
      <input
        type="range"
        aria-label="Time of the simulation"
        aria-valuetext={secondOf(shownMs)}
        list="time-marks"
        min={beganMs}
        max={Math.max(endMs, beganMs + 1)}
        step={1_000}
        value={shownMs}
        disabled={isBusy}
        onInput={event => aim(Number(event.currentTarget.value))}
        onChange={event => void go(Number(event.currentTarget.value))}
      />
      <datalist id="time-marks">
        {story?.marks.map(({ atMs }) => (
          <option key={atMs} value={atMs} />
        ))}
      </datalist>
      <p class="time-story">
        {aimedMs !== undefined && <strong>{secondOf(aimedMs)} </strong>}
        {story && (happening ? `${secondOf(happening.atMs).slice(11, 16)} ${happening.says}` : story.title)}
      </p>
    </div>
  );
}

interface JumpToProps {
  readonly nowMs: number;
  readonly isBusy: boolean;
  readonly jump: (until: string) => void;
}

function JumpTo({ nowMs, isBusy, jump }: JumpToProps) {
  const [value, setValue] = useState('');
  const untilMs = value === '' ? Number.NaN : Date.parse(`${value}Z`);
  const isAhead = untilMs > nowMs;
  return (
    <form
      class="jump-to"
      onSubmit={event => {
        event.preventDefault();
        if (isAhead) jump(new Date(untilMs).toISOString());
      }}
    >
      <input
        type="datetime-local"
        aria-label="Jump to, in UTC"
        step="1"
        value={value}
        onInput={event => setValue(event.currentTarget.value)}
        onFocus={() => value === '' && setValue(new Date(nowMs).toISOString().slice(0, 19))}
      />
      <button type="submit" disabled={isBusy || !isAhead}>
        Jump{isAhead && ` ${roughDuration(untilMs - nowMs)}`}
      </button>
    </form>
  );
}
