import { parseUtc, showUtc, utcArguments } from './utc';

/** The virtual time inside one worker: it moves only when the engine says so. */
export class WorldClock {
  /** @param nowMs milliseconds since the Unix epoch */
  constructor(private now: number) {}

  get nowMs(): number {
    return this.now;
  }

  moveTo(nowMs: number): void {
    this.now = nowMs;
  }
}

/** Makes `Date`, `performance` and `process.hrtime` tell the virtual time. */
export function followTheEngine(clock: WorldClock): void {
  const startedAtMs = clock.nowMs;
  const elapsedMs = (): number => clock.nowMs - startedAtMs;
  showUtc();
  globalThis.Date = virtualDate(clock);
  virtualPerformance(startedAtMs, elapsedMs);
  process.uptime = () => elapsedMs() / 1000;
  const nanoseconds = (): bigint => BigInt(Math.round(clock.nowMs)) * 1_000_000n;
  process.hrtime = Object.assign((since?: [number, number]) => hrtime(nanoseconds(), since), { bigint: nanoseconds });
}

function virtualDate(clock: WorldClock): DateConstructor {
  const RealDate = Date;
  const now = (): number => clock.nowMs;
  const { parse: parseLocal } = RealDate;
  const parse = (text: string): number => parseUtc(String(text), parseLocal);
  const replaced = new Map<string | symbol, unknown>([
    ['now', now],
    ['parse', parse],
  ]);
  const VirtualDate = new Proxy(RealDate, {
    construct: (target, given: unknown[], newTarget) =>
      Reflect.construct(target, given.length === 0 ? [clock.nowMs] : utcArguments(given, parse), newTarget),
    apply: () => new RealDate(clock.nowMs).toString(),
    get: (target, property, receiver) => replaced.get(property) ?? Reflect.get(target, property, receiver),
  });
  // `new date.constructor()` must not find its way back to the wall clock.
  RealDate.prototype.constructor = VirtualDate;
  return VirtualDate;
}

function virtualPerformance(startedAtMs: number, elapsedMs: () => number): void {
  const { mark, measure } = performance;
  Object.defineProperties(performance, {
    now: { value: elapsedMs },
    timeOrigin: { value: startedAtMs },
    // How busy a loop is that takes no time between two virtual instants.
    eventLoopUtilization: { value: () => ({ idle: elapsedMs(), active: 0, utilization: 0 }) },
    nodeTiming: { get: () => ({ name: 'node', entryType: 'node', startTime: 0, duration: elapsedMs() }) },
    toJSON: { value: () => ({ timeOrigin: startedAtMs }) },
    mark: {
      value: (name: string, options?: PerformanceMarkOptions) =>
        mark.call(performance, name, { startTime: elapsedMs(), ...options }),
    },
    measure: {
      value: (name: string, from?: string | PerformanceMeasureOptions, to?: string) => {
        if (typeof from === 'object') return measure.call(performance, name, from);
        return measure.call(performance, name, { start: from ?? 0, end: to ?? elapsedMs() });
      },
    },
  });
}

interface PerformanceMarkOptions {
  readonly startTime?: number;
  readonly detail?: unknown;
}

interface PerformanceMeasureOptions {
  readonly start?: number | string;
  readonly end?: number | string;
}

function hrtime(nowNs: bigint, since?: [number, number]): [number, number] {
  const ns = since ? nowNs - (BigInt(since[0]) * 1_000_000_000n + BigInt(since[1])) : nowNs;
  return [Number(ns / 1_000_000_000n), Number(ns % 1_000_000_000n)];
}
