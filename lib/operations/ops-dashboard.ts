import { AspectPriority, Aspects, Duration, Token } from 'aws-cdk-lib';
import { Column, Dashboard, type DashboardProps, type IAlarm, type IWidget, Row } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IConstruct } from 'constructs';
import { formatProblem, type Problem } from '../../policy/problem';
import type { FunctionFailures } from '../function/function-failures';
import type { ProcessingQueue } from '../queue/processing-queue';
import { pathOf, throwProblems, warn } from '../shared/checks';
import type { DurableTopic } from '../topic/durable-topic';
import { dashboardRows, Watched } from './dashboard-overview';
import type { IWatched } from './i-watched';

/** Properties of an `OpsDashboard`. */
export interface OpsDashboardProps extends DashboardProps {
  /**
   * Topics to show, each with the dead-letter queues of everything subscribed to it.
   *
   * @default - none but those of `addTopic`
   */
  readonly topics?: DurableTopic[];

  /**
   * Queues to show, each with its dead-letter queue.
   *
   * @default - none but those of `addQueue`
   */
  readonly queues?: ProcessingQueue[];

  /**
   * Functions to show, each with its dead-letter queue.
   *
   * @default - none but those of `addFunction`
   */
  readonly functions?: FunctionFailures[];

  /**
   * Whatever else can be shown, each with its dead-letter queues: such as an `ImportedTopic`, an `HttpRelay`, a
   * `Redrive` or `RedriveLane`, or a construct of your own.
   *
   * @default - none but those of `add`
   */
  readonly watched?: IWatched[];

  /**
   * Dead-letter queues to show beside those that all of the above bring. One that they bring as well is
   * shown once.
   *
   * @default - none but those of `addDeadLetterQueue`
   */
  readonly deadLetterQueues?: IQueue[];

  /**
   * Alarms to show beside those of all of the above: your own.
   *
   * @default - none but those of `addAlarm`
   */
  readonly alarms?: IAlarm[];
}

/** A whole day: who is woken at night sees when it began. */
const DEFAULT_INTERVAL = Duration.days(1);

const DASHBOARD_NAME = /^[\w-]{1,255}$/;

function nameProblems(name: string | undefined): Problem[] {
  if (name === undefined || Token.isUnresolved(name) || DASHBOARD_NAME.test(name)) return [];
  const rule = 'must be 1 to 255 letters, digits, hyphens and underscores';
  return [{ property: 'dashboardName', rule, value: name }];
}

/** The properties of the dashboard, once they have been judged. Its own widgets come before those of `widgets`. */
function checked(scope: Construct, id: string, props: OpsDashboardProps): DashboardProps {
  throwProblems(pathOf(scope, id), nameProblems(props.dashboardName));
  const defaultInterval = props.defaultInterval ?? (props.start === undefined ? DEFAULT_INTERVAL : undefined);
  return { ...props, defaultInterval, widgets: [] };
}

/**
 * One look tells what is dying, where, and since when.
 *
 * From top to bottom: the state of every alarm, those that fire first; messages that are lost, dead letters that wait,
 * and the age of the oldest; then each dead-letter queue, each topic with what its deliveries failed on, by destination and
 * answer, each queue, each function, and whatever else was handed in. All of it links to the runbook.
 *
 * It shows what is handed to it, when the app is synthesized: deliveries and alarms that are added later are there too.
 * The time shown is a day, unless `defaultInterval` or `start` says otherwise. Without anything it gets the warning `dead-letter-office:dashboard-shows-nothing`. It is a `Dashboard`: `addWidgets`
 * adds your own below.
 *
 * A dashboard costs 3 US dollars a month, the first three of an account with at most 50 metrics each excepted. Each look
 * runs a query of Logs Insights a topic, at half a cent for each gigabyte of failure records in the time shown.
 *
 * What is shown of another Region needs physical names, or `crossRegionReferences` of its stack, as ever in the CDK.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Dashboards.html
 */
export class OpsDashboard extends Dashboard {
  private readonly watched = new Watched();

  /** @throws if the name is not one CloudWatch takes */
  constructor(scope: Construct, id: string, props: OpsDashboardProps = {}) {
    super(scope, id, checked(scope, id, props));
    const { topics = [], queues = [], functions = [], watched = [] } = props;
    const { deadLetterQueues = [], alarms = [], widgets = [] } = props;
    for (const part of [...topics, ...queues, ...functions, ...watched]) this.add(part);
    for (const queue of deadLetterQueues) this.addDeadLetterQueue(queue);
    for (const alarm of alarms) this.addAlarm(alarm);
    const shown = new LateWidget(() => dashboardRows(this, this.watched));
    this.addWidgets(shown);
    for (const row of widgets) this.addWidgets(...row);
    this.node.addValidation({ validate: () => dashboardLimitProblems(shown).map(formatProblem) });
    this.warnOfNothing();
  }

  /** Shows whatever can be shown, and its dead-letter queues. */
  public add(watched: IWatched): void {
    this.watched.handedIn.add(watched);
  }

  /** Shows a topic, and the dead-letter queues of everything that is subscribed to it by the time the app is synthesized. */
  public addTopic(topic: DurableTopic): void {
    this.add(topic);
  }

  /** Shows a queue, and its dead-letter queue. */
  public addQueue(queue: ProcessingQueue): void {
    this.add(queue);
  }

  /** Shows a function, and the dead-letter queue its events end in. */
  public addFunction(failures: FunctionFailures): void {
    this.add(failures);
  }

  /** Shows a dead-letter queue, of whatever kind; of a `DeadLetterQueue` its alarms too. */
  public addDeadLetterQueue(queue: IQueue): void {
    this.watched.deadLetterQueues.add(queue);
  }

  /** Shows the state of an alarm of your own, wherever in the app it stands. */
  public addAlarm(alarm: IAlarm): void {
    this.watched.alarms.add(alarm);
  }

  private warnOfNothing(): void {
    const visit = (node: IConstruct) => {
      if (node !== this || !this.watched.isEmpty) return;
      warn(
        this,
        'dashboard-shows-nothing',
        'It costs 3 US dollars a month and shows nothing: hand a topic or a queue to it.',
      );
    };
    Aspects.of(this).add({ visit }, { priority: AspectPriority.READONLY });
  }
}

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_limits.html */
const MOST = { widgets: 500, metricsOfOneWidget: 500, metrics: 2_500 } as const;

/** As far as it matters here. */
interface WidgetJson {
  readonly properties?: { readonly metrics?: readonly unknown[] };
}

/** What CloudWatch would reject of a dashboard that shows too much. */
export function dashboardLimitProblems(shown: IWidget): Problem[] {
  const widgets: readonly WidgetJson[] = shown.toJson();
  const metrics = widgets.map(({ properties }) => properties?.metrics?.length ?? 0);
  const counts: Record<keyof typeof MOST, number> = {
    widgets: widgets.length,
    metricsOfOneWidget: Math.max(0, ...metrics),
    metrics: metrics.reduce((sum, count) => sum + count, 0),
  };
  return (Object.keys(MOST) as (keyof typeof MOST)[])
    .filter(property => counts[property] > MOST[property])
    .map(property => {
      const rule = `must be at most ${MOST[property].toLocaleString('en-US')}, so share what it shows among two dashboards`;
      return { property, rule, value: counts[property] };
    });
}

/** A widget that is asked what it holds no sooner than the dashboard is rendered. */
export class LateWidget implements IWidget {
  private placed?: Column;

  /** @param rows what stands beside each other, from top to bottom */
  constructor(private readonly rows: () => readonly (readonly IWidget[])[]) {}

  get width(): number {
    return this.column().width;
  }

  get height(): number {
    return this.column().height;
  }

  position(x: number, y: number): void {
    this.placed = this.column();
    this.placed.position(x, y);
  }

  toJson(): unknown[] {
    return (this.placed ?? this.column()).toJson();
  }

  private column(): Column {
    return new Column(...this.rows().map(row => new Row(...row)));
  }
}
