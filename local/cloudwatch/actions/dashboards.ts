import { isObject, type JsonObject, jsonProblem } from '../../kernel/json';
import { Constraints, cloudWatchPage, dashboardNotFound, invalidDashboard, invalidParameter } from '../errors';
import { anyDashboard, type CloudWatchFamily, dashboardArn, dashboardNamed } from './cloud-watch-action';

const NAME = /^[\w-]{1,255}$/;

const PAGE_SIZE = 1_000;

const MOST_DASHBOARDS = 100;

const MOST_WIDGETS = 500;

interface DashboardProblem {
  /** The JSON path, such as `/widgets/0`. */
  readonly dataPath: string;
  readonly message: string;
}

type Rule = (properties: JsonObject, dataPath: string) => readonly DashboardProblem[];

const MOST_ALARMS = 100;
const MOST_METRICS = 500;

/** AWS documents colors as six hexadecimal digits. It does not accept names of colors. */
const COLOR = /^#[0-9a-f]{6}$/i;

/** Reports each required property that is missing. */
const requires =
  (...names: readonly string[]): Rule =>
  (properties, dataPath) =>
    names.filter(name => properties[name] === undefined).map(name => required(dataPath, name));

const alarmWidget: Rule = (properties, dataPath) => {
  const { alarms } = properties;
  const path = `${dataPath}/alarms`;
  if (alarms === undefined) return [required(dataPath, 'alarms')];
  if (!Array.isArray(alarms)) return [{ dataPath: path, message: 'Should be array' }];
  return lengthProblems(alarms, path, 1, MOST_ALARMS);
};

const metricWidget: Rule = (properties, dataPath) => {
  const { metrics, annotations, region } = properties;
  const message = 'The metric widget should have specified a region and a data source or an alarm annotation';
  const hasNoSource = metrics === undefined && annotations === undefined;
  if (hasNoSource) {
    return [required(dataPath, 'metrics'), { dataPath, message }, required(dataPath, 'annotations')];
  }
  if (metrics === undefined) return [];
  const noRegion = region === undefined ? [{ dataPath, message }] : [];
  const path = `${dataPath}/metrics`;
  if (!Array.isArray(metrics)) return [...noRegion, { dataPath: path, message: 'Should be array' }];
  return [
    ...noRegion,
    ...lengthProblems(metrics, path, 0, MOST_METRICS),
    ...metrics.flatMap((row: unknown, index) => metricProblems(row, `${path}/${index}`)),
  ];
};

/** The rules by widget type. The properties of other types are not validated. */
const RULES: Readonly<Record<string, Rule>> = {
  alarm: alarmWidget,
  log: requires('query', 'region'),
  metric: metricWidget,
  text: requires('markdown'),
};

export const dashboardActions = {
  PutDashboard: {
    resourceOf: dashboardNamed,
    run: (state, { input }) => {
      const { DashboardName: name = '', DashboardBody: body = '', Tags: tags } = input;
      if (!NAME.test(name)) {
        // The error of a deployment on AWS, quoted in https://github.com/aws/aws-cdk/issues/2976.
        throw invalidParameter(
          `The value ${name} for field DashboardName contains invalid characters. It can only contain alphanumerics, dash (-) and underscore (_).`,
        );
      }
      const document = parsedBody(body);
      if (!document) throw invalidDashboard('The field DashboardBody must be a valid JSON object');
      const problems = dashboardProblems(document);
      if (problems.length > 0) {
        throw invalidDashboard(
          `The dashboard body is invalid, there are ${problems.length} validation errors: ${JSON.stringify(problems)}`,
        );
      }
      const arn = dashboardArn(state.context.place, name);
      if (tags && !state.dashboards.find(name)) state.tags.add(arn, tags);
      state.dashboards.put(name, arn, body);
      return { DashboardValidationMessages: [] };
    },
  },

  GetDashboard: {
    resourceOf: dashboardNamed,
    run: ({ dashboards }, { input: { DashboardName: name = '' } }) => {
      const dashboard = dashboards.find(name);
      if (!dashboard) throw dashboardNotFound(name);
      return { DashboardArn: dashboard.arn, DashboardBody: dashboard.body, DashboardName: dashboard.name };
    },
  },

  ListDashboards: {
    resourceOf: anyDashboard,
    run: ({ dashboards }, { input }) => {
      const found = dashboards.all.filter(({ name }) => name.startsWith(input.DashboardNamePrefix ?? ''));
      const { items, nextToken } = cloudWatchPage(found, PAGE_SIZE, input.NextToken);
      return {
        DashboardEntries: items.map(({ name, arn, body, modifiedAtMs }) => ({
          DashboardName: name,
          DashboardArn: arn,
          LastModified: new Date(modifiedAtMs),
          Size: Buffer.byteLength(body),
        })),
        NextToken: nextToken,
      };
    },
  },

  DeleteDashboards: {
    resourceOf: anyDashboard,
    run: ({ dashboards, tags }, { input: { DashboardNames: names } }) => {
      new Constraints().notNull('dashboardNames', names).length('dashboardNames', names, 1, MOST_DASHBOARDS).check();
      const found = (names ?? []).map(name => {
        const dashboard = dashboards.find(name);
        if (!dashboard) throw dashboardNotFound(name);
        return dashboard;
      });
      for (const { name, arn } of found) {
        dashboards.delete(name);
        tags.forget(arn);
      }
      return {};
    },
  },
} satisfies CloudWatchFamily;

/** Parses a dashboard's body; undefined when it is not a JSON object. */
function parsedBody(body: string): JsonObject | undefined {
  const document: unknown = jsonProblem(body) ? undefined : JSON.parse(body);
  return isObject(document) ? document : undefined;
}

/**
 * Validates a dashboard's body: a JSON object with a list of widgets, each with a type and the properties of that type.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/CloudWatch-Dashboard-Body-Structure.html
 */
function dashboardProblems({ widgets }: JsonObject): readonly DashboardProblem[] {
  if (widgets === undefined) return [{ dataPath: '', message: "Should have required property 'widgets'" }];
  if (!Array.isArray(widgets)) return [{ dataPath: '/widgets', message: 'Should be array' }];
  return [
    ...lengthProblems(widgets, '/widgets', 0, MOST_WIDGETS),
    ...widgets.flatMap((widget: unknown, index) => widgetProblems(widget, `/widgets/${index}`)),
  ];
}

const required = (dataPath: string, property: string): DashboardProblem => ({
  dataPath,
  message: `Should have required property '${property}'`,
});

function lengthProblems(list: readonly unknown[], dataPath: string, min: number, max: number): DashboardProblem[] {
  if (list.length < min) return [{ dataPath, message: `Should NOT have less than ${min} items` }];
  return list.length > max ? [{ dataPath, message: `Should NOT have more than ${max} items` }] : [];
}

/**
 * Whether a value can be the rendering options after a metric's dimensions. Recorded from AWS are a rejected color, and
 * dimensions in a separate object.
 *
 * **Assumption CW-7:** AWS does not publish which other members CloudWatch rejects. Here they are accepted.
 *
 * @see https://github.com/aws/aws-cdk/issues/5026
 */
function isRendering(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { color } = value;
  const hasColor = color === undefined || (typeof color === 'string' && COLOR.test(color));
  return hasColor && Object.values(value).every(member => typeof member !== 'object');
}

function metricProblems(row: unknown, dataPath: string): readonly DashboardProblem[] {
  if (!Array.isArray(row)) {
    const message =
      'Field "metrics" has to be an array of array of strings, with an optional metricRenderer object as last element';
    return [
      { dataPath, message: 'Should be array' },
      { dataPath, message },
    ];
  }
  const texts = row.findIndex(item => typeof item !== 'string');
  if (texts === -1) return [];
  if (texts < row.length - 1) {
    return [{ dataPath: `${dataPath}/${texts}`, message: 'Invalid metric field type, only "String" type is allowed' }];
  }
  // For any other value at the end, AWS reports that the list has one item too many.
  return isRendering(row[texts]) ? [] : lengthProblems(row, dataPath, 0, texts);
}

/**
 * Validates one widget. The messages for metric and alarm widgets are recorded from AWS. The others follow their
 * wording and AWS's documentation of the widget types.
 *
 * @see https://github.com/aws-samples/aws-eda-slurm-cluster/issues/116
 * @see https://github.com/pulumi/pulumi/issues/13059
 * @see
 * https://github.com/aws-solutions-library-samples/guidance-for-automating-network-monitoring-and-alerting-on-aws/issues/7
 */
function widgetProblems(widget: unknown, dataPath: string): readonly DashboardProblem[] {
  if (!isObject(widget)) return [{ dataPath, message: 'Should be object' }];
  const missing = requires('type', 'properties')(widget, dataPath);
  if (missing.length > 0) return missing;
  const { type, properties } = widget;
  const path = `${dataPath}/properties`;
  if (!isObject(properties)) return [{ dataPath: path, message: 'Should be object' }];
  const rule = typeof type === 'string' && Object.hasOwn(RULES, type) ? RULES[type] : undefined;
  return rule?.(properties, path) ?? [];
}
