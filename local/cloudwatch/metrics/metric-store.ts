import { type MetricIdentity, MetricSeries } from './metric-series';

type Dimensions = Readonly<Record<string, string>>;

/** Every metric that was ever reported or asked for, by namespace, name and dimensions. */
export class MetricStore {
  private readonly byKey = new Map<string, MetricSeries>();
  /** Services report with the same dimensions object again and again; its text is worked out once. */
  private readonly dimensionKeys = new WeakMap<Dimensions, string>();

  /** The series of this identity; made when it is new, so that an alarm can wait for a metric nobody reported yet. */
  series(namespace: string, name: string, dimensions: Dimensions): MetricSeries {
    const key = `${namespace}\n${name}\n${this.dimensionKey(dimensions)}`;
    let series = this.byKey.get(key);
    if (!series) {
      const identity: MetricIdentity = { namespace, name, dimensions: { ...dimensions } };
      series = new MetricSeries(identity);
      this.byKey.set(key, series);
    }
    return series;
  }

  /** Every series that has data, in the order in which they were first seen. */
  reported(): readonly MetricSeries[] {
    return [...this.byKey.values()].filter(series => series.units.length > 0);
  }

  private dimensionKey(dimensions: Dimensions): string {
    let key = this.dimensionKeys.get(dimensions);
    if (key === undefined) {
      key = JSON.stringify(Object.entries(dimensions).sort(([a], [b]) => (a < b ? -1 : 1)));
      this.dimensionKeys.set(dimensions, key);
    }
    return key;
  }
}
