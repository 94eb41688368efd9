import { type MetricIdentity, MetricSeries } from './metric-series';

type Dimensions = Readonly<Record<string, string>>;

/** Every metric that was ever reported or asked for, by namespace, name and dimensions. */
export class MetricStore {
  private readonly byKey = new Map<string, MetricSeries>();
  /** By the very object that named the dimensions: services keep theirs, and need no key to be made for each value. */
  private readonly byObject = new WeakMap<Dimensions, MetricSeries[]>();

  /** Every metric that has data, in the order in which they were first seen. */
  get reported(): readonly MetricSeries[] {
    return [...this.byKey.values()].filter(({ reportedAtMs }) => reportedAtMs !== undefined);
  }

  /** The series of this identity, if anybody ever reported or watched it. */
  find(namespace: string, name: string, dimensions: Dimensions): MetricSeries | undefined {
    return this.byKey.get(keyOf(namespace, name, dimensions));
  }

  /** Like `series`, and quick for whoever hands over the same dimensions, unchanged, again and again. */
  seriesOfService(namespace: string, name: string, dimensions: Dimensions): MetricSeries {
    const known = this.byObject.get(dimensions);
    if (known) {
      for (const series of known) {
        if (series.identity.name === name && series.identity.namespace === namespace) return series;
      }
    }
    const series = this.series(namespace, name, dimensions);
    if (known) known.push(series);
    else this.byObject.set(dimensions, [series]);
    return series;
  }

  /** The series of this identity; made when it is new, so that an alarm can wait for a metric nobody reported yet. */
  series(namespace: string, name: string, dimensions: Dimensions): MetricSeries {
    const key = keyOf(namespace, name, dimensions);
    let series = this.byKey.get(key);
    if (!series) {
      const identity: MetricIdentity = { namespace, name, dimensions: { ...dimensions } };
      series = new MetricSeries(identity);
      this.byKey.set(key, series);
    }
    return series;
  }
}

function keyOf(namespace: string, name: string, dimensions: Dimensions): string {
  return `${namespace}\n${name}\n${dimensionKey(dimensions)}`;
}

/** Names and values in one order, with a separator that AWS allows in neither. */
function dimensionKey(dimensions: Dimensions): string {
  const names = Object.keys(dimensions);
  if (names.length > 1) names.sort();
  let key = '';
  for (const name of names) key += `${name}\0${dimensions[name]}\0`;
  return key;
}
