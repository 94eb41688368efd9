import { Duration, Lazy, Token } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmBase,
  AlarmRule,
  ComparisonOperator,
  CompositeAlarm,
  type IAlarmAction,
  type MathExpression,
  type Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct, IConstruct } from 'constructs';
import type { Problem } from '../../policy/problem';
import { endpointProblems } from './addresses';
import { addActions } from './alarm-actions';
import { throwProblems, warn } from './checks';
import { publishedRunbook, type RunbookSection } from './published-runbook';

export { RunbookSection } from './published-runbook';

/** What every alarm of ours says, of a metric or of other alarms. */
interface Row {
  /** Its construct's id, but for `Alarm` behind it: it becomes the logical id, and must stay. */
  readonly id: string;
  /** What stands behind the owner's name in the alarm's. @default - the id */
  readonly suffix?: string;
  /** What has happened, in a sentence; the link to the runbook is added. */
  readonly meaning: string;
  readonly runbook: RunbookSection;
  /** Whether anything is done when it fires, and not only its state kept. @default true */
  readonly tells?: boolean;
  /** What is done when it fires. @default - what the owner has done for all its alarms */
  readonly actions?: IAlarmAction[];
}

/** An alarm on a metric: all that sets it apart from the others. */
export interface AlarmRow extends Row {
  readonly metric: Metric | MathExpression;
  readonly threshold: number;
  /** @default - fires above the threshold */
  readonly comparison?: ComparisonOperator;
  /** What one datapoint is over. @default - a minute */
  readonly period?: Duration;
  /** How many datapoints are looked at, the latest ones. @default 1 */
  readonly evaluationPeriods?: number;
  /** How many of those must be beyond the threshold. @default - all */
  readonly datapointsToAlarm?: number;
  /**
   * What no datapoint means.
   *
   * @default - no news: most of what we watch is either sent only when something happens, or stops when a queue has been
   * idle for six hours
   * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
   */
  readonly missingData?: TreatMissingData;
}

/** An alarm that fires while any of some others of its owner does. */
export interface AnyAlarmRow extends Row {
  /** The ids of the others; those of them count that are there when the app is synthesized, and one must be there now. */
  readonly of: readonly string[];
}

/** Whose alarms they are, and who hears them. */
export interface AlarmsProps {
  /** What the names of the alarms begin with: a name, not a token. @default - the CDK or CloudFormation makes names up */
  readonly name?: string | undefined;
  /** What is done when one fires. @default - nothing, and a warning says so */
  readonly actions?: IAlarmAction[] | undefined;
  /** What happens unheard where there are no actions: the beginning of the warning's sentence. */
  readonly unheard: string;
}

/** A longer one is refused; a topic's own name may have a character more than this. */
const LONGEST_NAME = 255;

/** The alarms of one construct, which its children are. Each is made when it is first asked for. */
export class Alarms {
  /** What is done when one fires. */
  public readonly actions: IAlarmAction[];
  private readonly made = new Map<string, AlarmBase>();
  private readonly name: string | undefined;
  private hasWarned = false;

  constructor(
    private readonly owner: Construct,
    private readonly props: AlarmsProps,
  ) {
    const { name, actions = [] } = props;
    this.name = Token.isUnresolved(name) ? undefined : name;
    this.actions = actions;
  }

  /** Every alarm there is by now, the oldest first. */
  public get all(): AlarmBase[] {
    return [...this.made.values()];
  }

  /** The alarm of the row with this id, if it has been made. */
  public get(id: string): Alarm | undefined {
    const alarm = this.made.get(id);
    return alarm instanceof Alarm ? alarm : undefined;
  }

  /** The alarm of a row, which is made unless it is there. */
  public watch(row: AlarmRow): Alarm {
    const existing = this.get(row.id);
    if (existing) return existing;
    const { evaluationPeriods = 1 } = row;
    const alarm = new Alarm(this.owner, `${row.id}Alarm`, {
      ...this.naming(row),
      metric: row.metric.with({ period: row.period ?? Duration.minutes(1) }),
      threshold: row.threshold,
      comparisonOperator: row.comparison ?? ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods,
      datapointsToAlarm: row.datapointsToAlarm ?? evaluationPeriods,
      treatMissingData: row.missingData ?? TreatMissingData.NOT_BREACHING,
    });
    return this.keep(row, alarm);
  }

  /** The composite alarm of a row, which is made unless it is there. */
  public watchAny(row: AnyAlarmRow): CompositeAlarm {
    const existing = this.made.get(row.id);
    if (existing instanceof CompositeAlarm) return existing;
    const { alarmName: compositeAlarmName, alarmDescription } = this.naming(row);
    const produce = () => AlarmRule.anyOf(...this.madeOf(row)).renderAlarmRule();
    if (this.madeOf(row).length === 0) throw new Error(`${this.owner.node.path} has none of the alarms ${row.of}`);
    const alarmRule = { renderAlarmRule: () => Lazy.string({ produce }) };
    const alarm = new CompositeAlarm(this.owner, `${row.id}Alarm`, { compositeAlarmName, alarmDescription, alarmRule });
    return this.keep(row, alarm);
  }

  private madeOf({ of }: AnyAlarmRow): AlarmBase[] {
    return of.flatMap(id => this.made.get(id) ?? []);
  }

  private naming({ id, suffix = id, meaning, runbook }: AlarmRow | AnyAlarmRow) {
    const alarmName = this.name && `${this.name}-${suffix}`;
    return {
      alarmName: alarmName && alarmName.length <= LONGEST_NAME ? alarmName : undefined,
      alarmDescription: `${meaning} ${runbookUrl(this.owner)}#${runbook}`,
    };
  }

  private keep<A extends AlarmBase>(row: AlarmRow | AnyAlarmRow, alarm: A): A {
    const { id, tells = true, actions = this.actions } = row;
    if (tells) {
      addActions(this.owner, alarm, actions);
      if (actions.length === 0) this.warnOfNobody();
    }
    this.made.set(id, alarm);
    return alarm;
  }

  private warnOfNobody(): void {
    if (this.hasWarned) return;
    this.hasWarned = true;
    warn(this.owner, 'alarm-tells-nobody', `${this.props.unheard} and nobody is told: pass alarmActions.`);
  }
}

/** Where a user says that the runbook is a page of their own: context, for the alarms of a whole app. */
export const RUNBOOK_CONTEXT = 'dead-letter-office:runbookUrl';

function statedProblems(stated: unknown): Problem[] {
  if (typeof stated === 'string') return endpointProblems(RUNBOOK_CONTEXT, stated);
  return [{ property: RUNBOOK_CONTEXT, rule: 'must be an absolute http or https URL', value: stated }];
}

/**
 * The page every alarm's description links to, without a section.
 * @throws if the context holds something else than an absolute http or https URL
 */
export function runbookUrl(scope: IConstruct): string {
  const stated: unknown = scope.node.tryGetContext(RUNBOOK_CONTEXT);
  if (stated === undefined) return publishedRunbook();
  throwProblems(scope.node.path, statedProblems(stated));
  return String(stated);
}
