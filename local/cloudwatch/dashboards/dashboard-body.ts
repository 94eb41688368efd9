import { isMembers, type Members } from '../../kernel/json';
import { jsonProblem } from '../../kernel/json-problem';

/** What is wrong with a dashboard's body, and where. */
export interface DashboardProblem {
  /** `/widgets/0` */
  readonly dataPath: string;
  readonly message: string;
}

/** The body as an object; undefined when it is none. */
export function parsedBody(body: string): Members | undefined {
  const document: unknown = jsonProblem(body) ? undefined : JSON.parse(body);
  return isMembers(document) ? document : undefined;
}

/**
 * AWS checks what each type of widget takes; here a body must be a JSON object with a list of widgets, each with a type and
 * properties. The messages are recorded ones.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/CloudWatch-Dashboard-Body-Structure.html
 */
export function dashboardProblems({ widgets }: Members): readonly DashboardProblem[] {
  if (widgets === undefined) return [{ dataPath: '', message: "Should have required property 'widgets'" }];
  if (!Array.isArray(widgets)) return [{ dataPath: '/widgets', message: 'Should be array' }];
  return widgets.flatMap((widget: unknown, index) => {
    const dataPath = `/widgets/${index}`;
    if (!isMembers(widget)) return [{ dataPath, message: 'Should be object' }];
    return ['type', 'properties']
      .filter(property => widget[property] === undefined)
      .map(property => ({ dataPath, message: `Should have required property '${property}'` }));
  });
}
