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
import { publishedRunbook, type RunbookSection } from '../../diagnosis/published-guides';
import { webUrlProblems } from '../../policy/web-url';
import { addActions } from './alarm-actions';
import { type AlarmSet, alarmSetOf } from './alarm-set';
import { throwProblems, warn } from './checks';
import { ownManifest } from './own-package';
import { watchStackSize } from './stack-size';

export { RunbookSection } from '../../diagnosis/published-guides';

/** What metric alarms and composite alarms have in common. */
interface Row {
  /** The construct id without the suffix `Alarm`. The logical id is made from it, so it must not change. */
  readonly id: string;
  /** What follows the owner's name in the alarm name. @default - the id */
  readonly suffix?: string;
  /** The whole alarm name, at most 255 characters. @default - the owner's name and the suffix */
  readonly alarmName?: string;
  /** What has happened, as a sentence. The link to the runbook is added to it. */
  readonly meaning: string;
  readonly runbook: RunbookSection;
  /** Whether the alarm has actions. Without them it only keeps its state. @default true */
  readonly hasActions?: boolean;
  /** The actions of this alarm. @default - those of the owner's other alarms */
  readonly actions?: IAlarmAction[];
  /** The only set that has this alarm. @default - all sets */
  readonly only?: AlarmSet;
}

/** An alarm on a metric. */
export interface AlarmRow extends Row {
  readonly metric: Metric | MathExpression;
  readonly threshold: number;
  /** @default - fires above the threshold */
  readonly comparison?: ComparisonOperator;
  /** The period of one datapoint. @default - 1 minute */
  readonly period?: Duration;
  /** How many of the latest datapoints are evaluated. @default 1 */
  readonly evaluationPeriods?: number;
  /** How many of the evaluated datapoints must breach the threshold. @default - all */
  readonly datapointsToAlarm?: number;
  /**
   * How missing data is treated.
   *
   * @default - not breaching: most of our metrics are sent only when something happens, or stop when a queue has been
   * idle for six hours
   * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
   */
  readonly missingData?: TreatMissingData;
}

interface AnyAlarmRow extends Row {
  /**
   * The ids of those alarms. Alarms that exist at synthesis count, and at least one must exist when this alarm is
   * created.
   */
  readonly of: readonly string[];
}

interface AlarmsProps {
  /** The prefix of the alarm names. It must not be a token. @default - the CDK or CloudFormation generates names */
  readonly name?: string | undefined;
  /** The actions of the alarms. @default - none, and a warning says so */
  readonly actions?: IAlarmAction[] | undefined;
  /** The first words of the warning that alarms have no actions, such as `A message is lost`. It goes on: `and no one is notified`. */
  readonly withoutActions: string;
}

/** The maximum length of an alarm name. A topic name can have one character more. */
const MAX_NAME_CHARACTERS = 255;

/** The alarms of one construct, as its children. Each alarm is created when it is first requested. */
export class Alarms {
  /** The actions of the alarms. */
  public readonly actions: IAlarmAction[];
  /** Which alarms there are; undefined if the owner is part of a construct whose alarms also watch its parts. */
  public readonly set: AlarmSet | undefined;
  private readonly byId = new Map<string, AlarmBase>();
  private readonly name: string | undefined;
  private hasWarned = false;

  constructor(
    private readonly owner: Construct,
    private readonly props: AlarmsProps,
  ) {
    const { name, actions = [] } = props;
    this.name = Token.isUnresolved(name) ? undefined : name;
    this.actions = actions;
    watchStackSize(owner);
    this.set = alarmSetOf(owner);
  }

  /** All alarms created so far, the oldest first. */
  public get all(): AlarmBase[] {
    return [...this.byId.values()];
  }

  /** The alarm with this id, if it has been created. */
  public get(id: string): Alarm | undefined {
    const alarm = this.byId.get(id);
    return alarm instanceof Alarm ? alarm : undefined;
  }

  /** Creates the alarms of those rows that are in the owner's set. */
  public watchAll(rows: readonly AlarmRow[]): void {
    for (const row of rows) this.watchIfWanted(row);
  }

  /** Returns the alarm of a row, and creates it if necessary; undefined if the owner's set does not have it. */
  public watchIfWanted(row: AlarmRow): Alarm | undefined {
    const isWanted = this.set !== undefined && (row.only ?? this.set) === this.set;
    return isWanted ? this.watch(row) : undefined;
  }

  /** Returns the alarm that a row defines, even if the owner's `AlarmSet` leaves it out, and creates it if necessary. */
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
    return this.register(row, alarm);
  }

  /** Returns the composite alarm of a row, and creates it if necessary. */
  public watchAny(row: AnyAlarmRow): CompositeAlarm {
    const existing = this.byId.get(row.id);
    if (existing instanceof CompositeAlarm) return existing;
    const { alarmName: compositeAlarmName, alarmDescription } = this.naming(row);
    const produce = () => AlarmRule.anyOf(...this.namedBy(row)).renderAlarmRule();
    if (this.namedBy(row).length === 0) throw new Error(`${this.owner.node.path} has none of the alarms ${row.of}`);
    const alarmRule = { renderAlarmRule: () => Lazy.string({ produce }) };
    const alarm = new CompositeAlarm(this.owner, `${row.id}Alarm`, { compositeAlarmName, alarmDescription, alarmRule });
    return this.register(row, alarm);
  }

  private namedBy({ of }: AnyAlarmRow): AlarmBase[] {
    return of.flatMap(id => this.byId.get(id) ?? []);
  }

  private naming({ id, suffix = id, alarmName: stated, meaning, runbook }: AlarmRow | AnyAlarmRow) {
    const alarmName = this.name && `${this.name}-${suffix}`;
    return {
      alarmName: stated ?? (alarmName && alarmName.length <= MAX_NAME_CHARACTERS ? alarmName : undefined),
      alarmDescription: `${meaning} ${runbookUrl(this.owner)}#${runbook}`,
    };
  }

  private register<A extends AlarmBase>(row: AlarmRow | AnyAlarmRow, alarm: A): A {
    const { id, hasActions: tells = true, actions = this.actions } = row;
    if (tells) {
      addActions(this.owner, alarm, actions);
      if (actions.length === 0) this.warnOfMissingActions();
    }
    this.byId.set(id, alarm);
    return alarm;
  }

  private warnOfMissingActions(): void {
    if (this.hasWarned) return;
    this.hasWarned = true;
    warn(this.owner, 'alarm-tells-nobody', `${this.props.withoutActions} and no one is notified: pass alarmActions.`);
  }
}

/** CloudWatch accepts descriptions of 1,024 characters. This leaves room for the rest of the sentence and the link. */
const MAX_LIST_CHARACTERS = 600;

/** Names in the description of an alarm, each once: as many as fit, and the number of the others. */
export function shortList(names: readonly string[], separator: string): string {
  const all = [...new Set(names)];
  let length = 0;
  const shown = all.filter(name => {
    length += name.length;
    return length <= MAX_LIST_CHARACTERS;
  });
  const rest = all.length - shown.length;
  return [...shown, ...(rest > 0 ? [`${rest} others`] : [])].join(separator);
}

/** The context key with which a user sets their own runbook page for all alarms of an app. */
export const RUNBOOK_CONTEXT = 'dead-letter-office:runbookUrl';

/**
 * The runbook page that alarm descriptions link to, without a section.
 * @throws if the context value is not an absolute http or https URL
 */
export function runbookUrl(scope: IConstruct): string {
  const stated: unknown = scope.node.tryGetContext(RUNBOOK_CONTEXT);
  if (stated === undefined) return publishedRunbook(ownManifest());
  throwProblems(scope.node.path, webUrlProblems(RUNBOOK_CONTEXT, stated));
  return String(stated);
}
