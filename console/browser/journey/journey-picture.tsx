import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Journey, JourneyMove, JourneySpan, PlaceKind, SpanKind, StepKind } from '../../api/journey';
import { px, roughDuration, secondOf } from '../shared/text';
import { AXIS_HEIGHT, type JourneyLayout, journeyLayout, LANE_HEIGHT, movePath, type Scale } from './journey-layout';

const GLYPHS: Readonly<Record<StepKind, string>> = {
  began: '●',
  ok: '✓',
  received: '▸',
  waits: '↻',
  failed: '✕',
  moved: '↪',
  dead: '✝',
  lost: '✕',
  dropped: '–',
  gap: '…',
};

const KINDS: Readonly<Record<PlaceKind, string>> = {
  topic: 'topic',
  bus: 'event bus',
  rule: 'rule',
  schedule: 'schedule',
  queue: 'queue',
  function: 'function',
  endpoint: 'endpoint',
  'dead-letter-queue': 'dead-letter queue',
};

const SPANS: readonly (readonly [SpanKind, string])[] = [
  ['waiting', 'can be received'],
  ['in-flight', 'in flight'],
  ['running', 'function runs'],
  ['retry', 'waits for the next attempt'],
  ['delayed', 'delayed'],
];

const MARKS: readonly (readonly [StepKind, string])[] = [
  ['began', 'sent'],
  ['received', 'received'],
  ['ok', 'succeeded'],
  ['failed', 'failed'],
  ['waits', 'visible again or hidden for longer'],
  ['moved', 'moved'],
  ['dead', 'dead-lettered'],
  ['lost', 'lost'],
];

/** The width of the card until it is known. */
const USUAL_ROOM = 1150;

interface PictureProps {
  readonly journey: Journey;
  readonly selected: number;
  readonly select: (step: number) => void;
}

/** The journey on a time axis, one lane for each place. */
export function JourneyPicture({ journey, selected, select }: PictureProps) {
  const [scale, setScale] = useState<Scale>('steps');
  const [room, setRoom] = useState(USUAL_ROOM);
  const scroll = useRef<HTMLElement>(null);
  useEffect(() => {
    const { current } = scroll;
    if (!current) return undefined;
    const observer = new ResizeObserver(() => setRoom(Math.floor(current.clientWidth)));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  const layout = useMemo(() => journeyLayout(journey, scale, room), [journey, scale, room]);
  const x = layout.xs[selected];
  useEffect(() => {
    const { current } = scroll;
    if (!current || x === undefined) return;
    const isSeen = x > current.scrollLeft + 30 && x < current.scrollLeft + current.clientWidth - 30;
    if (!isSeen) current.scrollTo({ left: Math.max(0, x - current.clientWidth / 2) });
  }, [x]);
  return (
    <>
      <section
        class="journey-scroll"
        ref={scroll}
        aria-label="Steps of the journey; arrow keys go from one to the next"
      >
        <div class="journey-canvas" style={{ width: px(layout.width), height: px(layout.height) }}>
          <Drawing journey={journey} layout={layout} selected={selected} />
          <Marks journey={journey} layout={layout} selected={selected} select={select} />
          <div class="lane-names">
            {journey.places.map(({ id, kind, name }, at) => (
              <div
                key={id}
                class={`lane-name ${kind}`}
                style={{ top: px(AXIS_HEIGHT + at * LANE_HEIGHT + 3) }}
                title={id}
              >
                <span>
                  <strong>{name}</strong> {KINDS[kind]}
                </span>
              </div>
            ))}
          </div>
        </div>
      </section>
      <div class="journey-foot">
        <Legend journey={journey} />
        <fieldset class="choice" aria-label="Time axis">
          {(['steps', 'time'] as const).map(it => (
            <button key={it} type="button" aria-pressed={scale === it} onClick={() => setScale(it)}>
              {it === 'steps' ? 'Every step' : 'To scale'}
            </button>
          ))}
        </fieldset>
      </div>
    </>
  );
}

function Drawing({ journey, layout, selected }: Omit<MarksProps, 'select'>) {
  const { places, spans, moves } = journey;
  const { width, height, nowX, ticks, gaps, xs } = layout;
  const guide = xs[selected];
  return (
    <svg width={width} height={height} aria-hidden="true">
      <defs>
        <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="2.5" height="6" class="hatch" />
        </pattern>
      </defs>
      {places.map(({ id, kind }, at) => (
        <rect
          key={id}
          class={`lane ${kind} ${at % 2 === 0 ? 'even' : ''}`}
          x={0}
          y={AXIS_HEIGHT + at * LANE_HEIGHT}
          width={width}
          height={LANE_HEIGHT}
        />
      ))}
      {ticks.map(({ x, atMs, isNewDay }) => (
        <g key={x} class="tick">
          <line x1={x} x2={x} y1={AXIS_HEIGHT - 5} y2={height - 8} />
          <text x={x} y={AXIS_HEIGHT - 10} text-anchor={x < 40 ? 'start' : x > width - 40 ? 'end' : 'middle'}>
            {secondOf(atMs).slice(11)}
          </text>
          {isNewDay && (
            <text class="day" x={x} y={12} text-anchor={x < 40 ? 'start' : 'middle'}>
              {secondOf(atMs).slice(0, 10)}
            </text>
          )}
        </g>
      ))}
      {gaps
        .filter(it => it.ms >= 1_000)
        .map(({ x, ms }) => (
          <text key={x} class="gap" x={x} y={22} text-anchor="middle">
            {roughDuration(ms)}
          </text>
        ))}
      <line class="now" x1={nowX} x2={nowX} y1={AXIS_HEIGHT} y2={height - 8} />
      {guide !== undefined && <line class="guide" x1={guide} x2={guide} y1={AXIS_HEIGHT - 5} y2={height - 8} />}
      {spans.map((span, at) => (
        <Span key={at} span={span} layout={layout} isDead={isDeadLetterQueue(journey, span.place)} />
      ))}
      {moves.map((move, at) => (
        <Move key={at} move={move} layout={layout} />
      ))}
    </svg>
  );
}

function isDeadLetterQueue({ places }: Journey, id: string): boolean {
  return places.some(it => it.id === id && it.kind === 'dead-letter-queue');
}

function Span({
  span,
  layout,
  isDead,
}: {
  readonly span: JourneySpan;
  readonly layout: JourneyLayout;
  readonly isDead: boolean;
}) {
  const { xs, ys, nowX } = layout;
  const { place, kind, from, to, fromMs, untilMs } = span;
  const x = xs[from] ?? 0;
  const end = to === null ? nowX : (xs[to] ?? x);
  const says = SPANS.find(([it]) => it === kind)?.[1] ?? kind;
  return (
    <rect
      class={`span ${kind} ${isDead ? 'dead' : ''}`}
      x={x}
      y={(ys.get(place) ?? 0) - 6}
      width={Math.max(end - x, 2)}
      height={12}
      rx={3}
    >
      <title>{`${says}${untilMs === null ? ' still' : ` for ${roughDuration(untilMs - fromMs)}`}`}</title>
    </rect>
  );
}

function Move({ move, layout: { xs, ys } }: { readonly move: JourneyMove; readonly layout: JourneyLayout }) {
  const [fromX, toX] = [xs[move.left] ?? 0, xs[move.arrived] ?? 0];
  const [fromY, toY] = [ys.get(move.from) ?? 0, ys.get(move.to) ?? 0];
  const down = toY > fromY ? -1 : 1;
  return (
    <g class={`move ${move.kind}`}>
      <path
        d={movePath(Math.min(fromX, toX), fromX <= toX ? fromY : toY, Math.max(fromX, toX), fromX <= toX ? toY : fromY)}
      />
      <circle cx={toX} cy={toY + down * 13} r={2.5} />
    </g>
  );
}

interface MarksProps extends PictureProps {
  readonly layout: JourneyLayout;
}

/** The steps, as buttons over the drawing. Arrow keys go from one to the next. */
function Marks({ journey: { steps }, layout: { xs, ys }, selected, select }: MarksProps) {
  const marks = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = marks;
    const mark = current?.children[selected];
    if (current?.contains(document.activeElement) && mark instanceof HTMLElement) mark.focus({ preventScroll: true });
  }, [selected]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const last = steps.length - 1;
    const to = { ArrowLeft: selected - 1, ArrowRight: selected + 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    select(Math.min(Math.max(to, 0), last));
  };
  return (
    <div ref={marks}>
      {steps.map(({ kind, says, atMs, place }, at) => (
        <button
          key={at}
          type="button"
          class={`mark ${kind}`}
          style={{ left: px(xs[at] ?? 0), top: px(ys.get(place) ?? 0) }}
          tabIndex={at === selected ? 0 : -1}
          aria-current={at === selected ? 'step' : undefined}
          aria-label={`${secondOf(atMs)}: ${says}`}
          title={`${secondOf(atMs)}\n${says}`}
          onClick={() => select(at)}
          onKeyDown={onKeyDown}
        >
          {GLYPHS[kind]}
        </button>
      ))}
    </div>
  );
}

function Legend({ journey }: { readonly journey: Journey }) {
  const spans = new Set(journey.spans.map(it => it.kind));
  const kinds = new Set(journey.steps.map(it => it.kind));
  return (
    <ul class="legend">
      {SPANS.filter(([kind]) => spans.has(kind)).map(([kind, says]) => (
        <li key={kind}>
          <svg width={26} height={12} aria-hidden="true">
            <rect class={`span ${kind}`} x={1} y={1} width={24} height={10} rx={3} />
          </svg>
          {says}
        </li>
      ))}
      {MARKS.filter(([kind]) => kinds.has(kind)).map(([kind, says]) => (
        <li key={kind}>
          <span class={`mark ${kind}`} aria-hidden="true">
            {GLYPHS[kind]}
          </span>
          {says}
        </li>
      ))}
    </ul>
  );
}
