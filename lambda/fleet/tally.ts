import { FLEET_METRICS, type FleetMetricName } from '../../policy/metric-names';
import { emfLines, failureLine, type MetricValues } from '../shared/log';
import type { FleetPorts } from './ports';

type Measured = Extract<FleetMetricName, 'Latency' | 'Delay' | 'OldestDue'>;

export type CountedMetric = Exclude<FleetMetricName, Measured>;

/** Counts and measures what happens in one invocation. */
export class FleetTally {
  private readonly counts = new Map<FleetMetricName, number>();
  private readonly measured: Record<Measured, number[]> = { Latency: [], Delay: [], OldestDue: [] };

  count(name: CountedMetric, by = 1): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + by);
  }

  /** Prints what the fleet itself could not do, so that messages are late, and counts it for the alarm. */
  broken({ print }: Pick<FleetPorts, 'print'>, message: string, thrown: unknown, more: object = {}): void {
    print(failureLine('ERROR', message, thrown, more));
    this.count('Broken');
  }

  measure(name: Measured, ms: number): void {
    this.measured[name].push(ms);
  }

  /** Prints the metrics. */
  print({ settings: { fleetName }, nowMs, print }: Pick<FleetPorts, 'settings' | 'nowMs' | 'print'>): void {
    const values = (unit: MetricValues['unit'], list: readonly number[]): MetricValues => ({ values: list, unit });
    const metrics = {
      ...Object.fromEntries([...this.counts].map(([name, count]) => [name, values('Count', [count])])),
      ...Object.fromEntries(Object.entries(this.measured).map(([name, list]) => [name, values('Milliseconds', list)])),
    };
    const { namespace, dimension } = FLEET_METRICS;
    const event = { namespace, dimensions: { [dimension]: fleetName }, nowMs: nowMs(), metrics };
    for (const line of emfLines(event)) print(line);
  }
}
