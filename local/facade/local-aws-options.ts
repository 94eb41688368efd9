import { checkNames } from '../kernel/member-reader';
import type { Place } from '../kernel/place';
import { Random } from '../kernel/random';
import type { TimelineOptions } from '../kernel/timeline';
import type { TraceOptions } from '../kernel/trace';
import type { LambdaOptions } from '../lambda';
import type { SnsOptions } from '../sns';
import { Simulation } from '../world/world';
import { instantMs } from './stretch-of-time';

export interface LocalAwsOptions {
  /** Any text or number: the same seed, assembly and calls write the same trace. @default 1 */
  readonly seed?: string | number;
  /** When the world begins: an ISO 8601 instant, or milliseconds since the Unix epoch. @default 2026-01-01T00:00:00Z */
  readonly startAt?: string | number;
  /** Where stacks go that name no account or Region of their own. @default account 123456789012 in us-east-1 */
  readonly place?: Place;
  /** Values for template parameters. @default the templates' own */
  readonly parameters?: Readonly<Record<string, string>>;
  /** When time that stands still counts as a world that feeds itself. */
  readonly timeline?: TimelineOptions;
  /** How much of what happened is kept. */
  readonly trace?: TraceOptions;
  /** How SNS differs from the plainest one, for example with jitter. */
  readonly sns?: SnsOptions;
  /** The account's concurrency, and when code counts as an endless loop. */
  readonly lambda?: LambdaOptions;
}

/** As much of the CDK's `CloudAssembly` as is needed here: `app.synth()` returns one. */
export interface SynthesizedAssembly {
  readonly directory: string;
}

const DEFAULT_START = '2026-01-01T00:00:00Z';

const OPTIONS: Readonly<Record<keyof LocalAwsOptions, true>> = {
  seed: true,
  startAt: true,
  place: true,
  parameters: true,
  timeline: true,
  trace: true,
  sns: true,
  lambda: true,
};

/**
 * A world in which nothing has happened yet, and the generator of everything in it.
 *
 * @throws RangeError for an option nobody knows
 */
export function newSimulation(
  place: Place,
  options: LocalAwsOptions,
): { readonly world: Simulation; readonly random: Random } {
  checkNames(options, 'the options', Object.keys(OPTIONS));
  const { seed = 1, startAt = DEFAULT_START, timeline, trace, sns, lambda } = options;
  const random = new Random(seed);
  return {
    world: new Simulation({ place, random, startAtMs: instantMs(startAt), timeline, trace, sns, lambda }),
    random,
  };
}
