/** The members of a dashboard's widget that tests read. */
export interface Widget {
  readonly type: 'alarm' | 'log' | 'metric' | 'text';
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly properties: {
    readonly title?: string;
    readonly markdown?: string;
    readonly alarms?: readonly string[];
    readonly query?: string;
    readonly region?: string;
    readonly view?: string;
    readonly metrics?: readonly (readonly unknown[])[];
    readonly annotations?: { readonly horizontal?: readonly { readonly value: number; readonly label?: string }[] };
  };
}

/** A metric of a widget, with its dimensions and options. */
export interface WidgetMetric {
  readonly title: string;
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly options: {
    readonly stat?: string;
    readonly label?: string;
    readonly region?: string;
    readonly accountId?: string;
  };
}

export interface Body {
  readonly start?: string;
  readonly widgets: readonly Widget[];
}

function metricOf(title: string, row: readonly unknown[]): WidgetMetric {
  const texts = row.filter(it => typeof it === 'string');
  const options = row.find((it): it is WidgetMetric['options'] => typeof it === 'object') ?? {};
  const [namespace = '', name = '', ...pairs] = texts;
  const dimensions = Object.fromEntries(
    pairs.flatMap((key, i) => (i % 2 === 0 ? [[key, pairs[i + 1] ?? ''] as const] : [])),
  );
  return { title, namespace, name, dimensions, options };
}

/** Every metric of every widget. */
export function metricsOf({ widgets }: Body): readonly WidgetMetric[] {
  return widgets.flatMap(({ properties: { metrics = [], title = '' } }) => metrics.map(row => metricOf(title, row)));
}
