import { isMembers, type Members } from '../../kernel/json';
import { jsonProblem } from '../../kernel/json-problem';
import { type DashboardProblem, lengthProblems, widgetProblems } from './widget-problems';

const MOST_WIDGETS = 500;

/** The body as an object; undefined when it is none. */
export function parsedBody(body: string): Members | undefined {
  const document: unknown = jsonProblem(body) ? undefined : JSON.parse(body);
  return isMembers(document) ? document : undefined;
}

/**
 * A body must be a JSON object with a list of widgets, each with a type and the properties that type takes.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/CloudWatch-Dashboard-Body-Structure.html
 */
export function dashboardProblems({ widgets }: Members): readonly DashboardProblem[] {
  if (widgets === undefined) return [{ dataPath: '', message: "Should have required property 'widgets'" }];
  if (!Array.isArray(widgets)) return [{ dataPath: '/widgets', message: 'Should be array' }];
  return [
    ...lengthProblems(widgets, '/widgets', 0, MOST_WIDGETS),
    ...widgets.flatMap((widget: unknown, index) => widgetProblems(widget, `/widgets/${index}`)),
  ];
}
