import { AspectPriority, Aspects, Duration, Token } from 'aws-cdk-lib';
import { Column, Dashboard, type DashboardProps, type IAlarm, type IWidget, Row } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IConstruct } from 'constructs';
import { formatProblem, type Problem } from '../../policy/problem';
import type { FunctionFailures } from '../function/function-failures';
import type { ProcessingQueue } from '../queue/processing-queue';
import { ALARM, ALARMS, QUEUE } from '../shared/cdk-shapes';
import { pathOf, throwProblems, warn } from '../shared/checks';
import { checkArguments, checkNew, having, listOf, optional, struct } from '../shared/shapes';
import type { DurableTopic } from '../topic/durable-topic';
import { dashboardRows, Watched } from './dashboard-overview';
import type { IWatched } from './i-watched';

/** Properties of an `OpsDashboard`. */
export interface OpsDashboardProps extends DashboardProps {
  /**
   * Topics to show, each with the dead-letter queues of its subscriptions.
   *
   * @default - only those added with `addTopic`
   */
  readonly topics?: DurableTopic[];

  /**
   * Queues to show, each with its dead-letter queue.
   *
   * @default - only those added with `addQueue`
   */
  readonly queues?: ProcessingQueue[];

  /**
   * Functions to show, each with its dead-letter queue.
   *
   * @default - only those added with `addFunction`
   */
  readonly functions?: FunctionFailures[];

  /**
   * Other constructs to show, each with its dead-letter queues: an `ImportedTopic`, an `HttpRelay`, a `RelayFleet`, a
   * `Redrive`, a `RedriveLane`, or your own.
   *
   * @default - only those added with `add`
   */
  readonly watched?: IWatched[];

  /**
   * Dead-letter queues to show in addition to those of the constructs above. Each queue is shown once.
   *
   * @default - only those added with `addDeadLetterQueue`
   */
  readonly deadLetterQueues?: IQueue[];

  /**
   * Alarms of your own, in addition to those of the constructs above.
   *
   * @default - only those added with `addAlarm`
   */
  readonly alarms?: IAlarm[];
}

const WATCHED = having<IWatched>('a construct that a dashboard can show', 'alarms', 'dashboardSection');

const DURABLE_TOPIC = having<DurableTopic>('a DurableTopic', 'topicArn', 'dashboardSection');

const PROCESSING_QUEUE = having<ProcessingQueue>('a ProcessingQueue', 'queueArn', 'dashboardSection');

const FAILURES = having<FunctionFailures>('a FunctionFailures', 'handler', 'dashboardSection');

const PROPS = struct<Omit<OpsDashboardProps, keyof DashboardProps>>({
  topics: optional(listOf(DURABLE_TOPIC)),
  queues: optional(listOf(PROCESSING_QUEUE)),
  functions: optional(listOf(FAILURES)),
  watched: optional(listOf(WATCHED)),
  deadLetterQueues: optional(listOf(QUEUE)),
  alarms: optional(ALARMS),
});

/** One day, so that an operator who is woken at night sees when the problem began. */
const DEFAULT_INTERVAL = Duration.days(1);

const DASHBOARD_NAME = /^[\w-]{1,255}$/;

function nameProblems(name: string | undefined): Problem[] {
  if (name === undefined || Token.isUnresolved(name) || DASHBOARD_NAME.test(name)) return [];
  const rule = 'must be 1 to 255 alphanumeric characters, hyphens and underscores';
  return [{ property: 'dashboardName', rule, value: name }];
}

/** Validates the properties. The widgets of this dashboard come before those of `widgets`. */
function checked(scope: Construct, id: string, props: OpsDashboardProps): DashboardProps {
  checkNew(scope, id, props, PROPS);
  throwProblems(pathOf(scope, id), nameProblems(props.dashboardName));
  const defaultInterval = props.defaultInterval ?? (props.start === undefined ? DEFAULT_INTERVAL : undefined);
  return { ...props, defaultInterval, widgets: [] };
}

/**
 * A dashboard that shows which messages fail, where, and since when.
 *
 * From top to bottom: the state of every alarm, firing ones first; the numbers of lost messages and of dead letters,
 * and the age of the oldest; each dead-letter queue; each topic, with its failed deliveries by destination and answer;
 * each queue; each function; and the other constructs you added. Every part links to the runbook.
 *
 * Its content is determined at synthesis, so deliveries and alarms that you add later are included. It shows one day
 * unless `defaultInterval` or `start` says otherwise. An empty dashboard gets the warning
 * `dead-letter-office:dashboard-shows-nothing`. It is a `Dashboard`: `addWidgets` adds your own widgets below.
 *
 * A dashboard costs 3 US dollars a month. The first three dashboards of an account are free if they have at most 50
 * metrics each. Each view runs one Logs Insights query per topic, at half a cent per gigabyte of failure records in the
 * time shown, and one per fleet.
 *
 * Resources of another Region need physical names, or `crossRegionReferences` on their stack, as usual in the CDK.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Dashboards.html
 */
export class OpsDashboard extends Dashboard {
  private readonly watched = new Watched();

  /** @throws if CloudWatch would reject the name */
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

  /** Adds a construct and its dead-letter queues. */
  public add(watched: IWatched): void {
    checkArguments(this, { watched }, { watched: WATCHED });
    this.watched.handedIn.add(watched);
  }

  /** Adds a topic and the dead-letter queues of all its subscriptions, including later ones. */
  public addTopic(topic: DurableTopic): void {
    checkArguments(this, { topic }, { topic: DURABLE_TOPIC });
    this.add(topic);
  }

  /** Adds a queue and its dead-letter queue. */
  public addQueue(queue: ProcessingQueue): void {
    checkArguments(this, { queue }, { queue: PROCESSING_QUEUE });
    this.add(queue);
  }

  /** Adds a function and its dead-letter queue. */
  public addFunction(failures: FunctionFailures): void {
    checkArguments(this, { failures }, { failures: FAILURES });
    this.add(failures);
  }

  /** Adds a dead-letter queue of any kind; for a `DeadLetterQueue` its alarms too. */
  public addDeadLetterQueue(queue: IQueue): void {
    checkArguments(this, { queue }, { queue: QUEUE });
    this.watched.deadLetterQueues.add(queue);
  }

  /** Adds the state of an alarm of your own. */
  public addAlarm(alarm: IAlarm): void {
    checkArguments(this, { alarm }, { alarm: ALARM });
    this.watched.alarms.add(alarm);
  }

  private warnOfNothing(): void {
    const visit = (node: IConstruct) => {
      if (node !== this || !this.watched.isEmpty) return;
      warn(
        this,
        'dashboard-shows-nothing',
        'It costs 3 US dollars a month and shows nothing: add a topic or a queue to it.',
      );
    };
    Aspects.of(this).add({ visit }, { priority: AspectPriority.READONLY });
  }
}

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_limits.html */
const MAX = { widgets: 500, metricsOfOneWidget: 500, metrics: 2_500 } as const;

interface WidgetJson {
  readonly properties?: { readonly metrics?: readonly unknown[] };
}

/** Returns what CloudWatch would reject about a dashboard with too many widgets or metrics. */
function dashboardLimitProblems(shown: IWidget): Problem[] {
  const widgets: readonly WidgetJson[] = shown.toJson();
  const metrics = widgets.map(({ properties }) => properties?.metrics?.length ?? 0);
  const counts: Record<keyof typeof MAX, number> = {
    widgets: widgets.length,
    metricsOfOneWidget: Math.max(0, ...metrics),
    metrics: metrics.reduce((sum, count) => sum + count, 0),
  };
  return (Object.keys(MAX) as (keyof typeof MAX)[])
    .filter(property => counts[property] > MAX[property])
    .map(property => {
      const rule = `must be at most ${MAX[property].toLocaleString('en-US')}; split the content over two dashboards`;
      return { property, rule, value: counts[property] };
    });
}

/** A widget whose content is created when the dashboard is rendered. */
class LateWidget implements IWidget {
  private placed?: Column;

  /** @param rows the widgets of each row, from top to bottom */
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
