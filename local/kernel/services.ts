import type { AccessControl, KeyAccess } from './access';
import type { Faults } from './faults';
import type { Place } from './place';
import type { Random } from './random';
import type { MetricSink } from './telemetry';
import type { Scheduler } from './timeline';
import type { Recorder, TraceEvent } from './trace';

/** What every service of the embedded AWS is built with. */
export interface ServiceContext<H extends TraceEvent> {
  readonly place: Place;
  readonly timeline: Scheduler;
  /** A stream of the world's generator that belongs to this service alone. */
  readonly random: Random;
  readonly access: AccessControl;
  readonly keys: KeyAccess;
  readonly faults: Faults;
  readonly metrics: MetricSink;
  readonly trace: Recorder<H>;
}
