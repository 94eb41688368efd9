import { Duration, Lazy, Token } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmBase,
  AlarmRule,
  ComparisonOperator,
  CompositeAlarm,
  type IAlarmAction,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { warn } from '../checks';
import { runbookUrl } from '../runbook-url';
import { addActions } from './actions';
import type { AlarmRow, AnyAlarmRow } from './alarm-row';

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
