import { DAY_MS } from '../../../policy/time-units';
import type { Journey, JourneyStep } from '../../api/journey';

/** How the time axis is drawn: every step visible, or to scale. */
export type Scale = 'steps' | 'time';

export const LANE_HEIGHT = 58;
export const AXIS_HEIGHT = 44;

/** Where the middle of the bars is in a lane. Its name is above. */
const TRACK = 38;

const MARGIN = 26;
const SAME_INSTANT = 20;
const SHORTEST_GAP = 22;
/** Added for each tenfold longer gap. */
const PER_DECADE = 26;

/** How far apart labels of the axis are at least. */
const TICK_WIDTH = 64;

interface Tick {
  readonly x: number;
  readonly atMs: number;
  /** Whether it is the first one of its day. */
  readonly isNewDay: boolean;
}

export interface JourneyLayout {
  readonly width: number;
  readonly height: number;
  /** The place of each step. */
  readonly xs: readonly number[];
  /** The middle of the bars of each lane. */
  readonly ys: ReadonlyMap<string, number>;
  readonly nowX: number;
  readonly ticks: readonly Tick[];
  /** How long the wait was between two labels. */
  readonly gaps: readonly { readonly x: number; readonly ms: number }[];
}

function gapWidth(ms: number): number {
  return ms <= 0 ? SAME_INSTANT : SHORTEST_GAP + PER_DECADE * Math.log10(1 + ms / 1000);
}

/** Offsets from the first step. Steps at one instant are side by side, and long waits are shortened. */
function byStep(instants: readonly number[]): readonly number[] {
  let x = 0;
  return instants.map((atMs, at) => {
    if (at > 0) x += gapWidth(atMs - (instants[at - 1] ?? atMs));
    return x;
  });
}

function byTime(instants: readonly number[]): readonly number[] {
  const [first = 0] = instants;
  return instants.map(atMs => atMs - first);
}

function ticksOf(steps: readonly JourneyStep[], xs: readonly number[], now: Tick): readonly Tick[] {
  const ticks: Tick[] = [];
  const all = [...steps.map(({ atMs }, at) => ({ atMs, x: xs[at] ?? 0 })), now];
  for (const { atMs, x } of all) {
    const last = ticks.at(-1);
    if (last && (last.atMs === atMs || x - last.x < TICK_WIDTH)) continue;
    ticks.push({ x, atMs, isNewDay: !last || Math.floor(last.atMs / DAY_MS) !== Math.floor(atMs / DAY_MS) });
  }
  return ticks;
}

/** Places the lanes and steps of a journey. @param room the width that is there; a long journey takes more */
export function journeyLayout({ places, steps, nowMs }: Journey, scale: Scale, room: number): JourneyLayout {
  const instants = [...steps.map(it => it.atMs), Math.max(nowMs, steps.at(-1)?.atMs ?? nowMs)];
  const offsets = scale === 'steps' ? byStep(instants) : byTime(instants);
  const longest = Math.max(offsets.at(-1) ?? 0, 1);
  const inside = room - 2 * MARGIN;
  const stretch = scale === 'time' ? inside / longest : Math.max(1, inside / longest);
  const placed = offsets.map(it => MARGIN + it * stretch);
  const nowX = placed.at(-1) ?? MARGIN;
  const xs = placed.slice(0, -1);
  const ticks = ticksOf(steps, xs, { x: nowX, atMs: instants.at(-1) ?? nowMs, isNewDay: false });
  const gaps = ticks.slice(1).map((tick, at) => {
    const before = ticks[at] ?? tick;
    return { x: (before.x + tick.x) / 2 + 4, ms: tick.atMs - before.atMs };
  });
  return {
    width: Math.max(room, nowX + MARGIN),
    height: AXIS_HEIGHT + places.length * LANE_HEIGHT + 8,
    xs,
    ys: new Map(places.map(({ id }, at) => [id, AXIS_HEIGHT + at * LANE_HEIGHT + TRACK])),
    nowX,
    ticks,
    gaps,
  };
}

/** A curve from one lane to another. */
export function movePath(fromX: number, fromY: number, toX: number, toY: number): string {
  const bend = Math.max(10, Math.abs(toX - fromX) / 2);
  const middle = (fromY + toY) / 2;
  if (Math.abs(toX - fromX) < 4)
    return `M${fromX},${fromY} C${fromX - 14},${middle} ${toX - 14},${middle} ${toX},${toY}`;
  return `M${fromX},${fromY} C${fromX + bend},${fromY} ${toX - bend},${toY} ${toX},${toY}`;
}
