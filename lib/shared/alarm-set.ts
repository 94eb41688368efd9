import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct, IConstruct } from 'constructs';
import { throwProblems } from './checks';
import { checkArguments, enumValue, SCOPE } from './shapes';

/** Which alarms the constructs of this library create. */
export enum AlarmSet {
  /**
   * One alarm for each situation in which an operator does something different: a message was dead-lettered, dead
   * letters expire soon, a message was lost, a consumer or an endpoint is down, a relay or a redrive is broken. Each way
   * to lose or delay a message triggers at least one of them. The description and the dashboard say which it was.
   */
  ESSENTIAL = 'ESSENTIAL',

  /** One alarm for each cause, and reminders of dead letters that are still waiting. */
  ALL = 'ALL',
}

/** The shape of the property `alarms` of constructs. */
export const ALARM_SET = enumValue<AlarmSet>('AlarmSet', AlarmSet);

/** A global symbol, because an app may load this library twice. */
const STATED: unique symbol = Symbol.for('dead-letter-office.AlarmSet');

/** Marks constructs that have looked up their set. */
const USED: unique symbol = Symbol.for('dead-letter-office.AlarmSetUsed');

/** Marks constructs whose own alarms watch some of their parts. */
const WATCHED_PARTS: unique symbol = Symbol.for('dead-letter-office.WatchedParts');

/** A part without alarms of its own. */
interface WatchedPart {
  /** The construct id of the part. */
  readonly id: string;
  /** Returns the owner's alarm on the age of its messages, which is created after the part. */
  readonly ageAlarm: () => Alarm;
}

interface Marked extends IConstruct {
  [STATED]?: AlarmSet;
  [USED]?: true;
  [WATCHED_PARTS]?: readonly WatchedPart[];
}

/** Sets which alarms `construct` and its parts create. Does nothing if `set` is undefined. */
export function useAlarms(construct: IConstruct, set: AlarmSet | undefined): void {
  if (set !== undefined) Object.defineProperty(construct, STATED, { value: set, configurable: true });
}

/** Keeps `part` from creating alarms of its own: the alarms of `owner` watch it. */
export function watchPart(owner: IConstruct, part: WatchedPart): void {
  const { [WATCHED_PARTS]: others = [] }: Marked = owner;
  Object.defineProperty(owner, WATCHED_PARTS, { value: [...others, part], configurable: true });
}

/** The nearest set around a construct, or the part that it belongs to if an owner watches it. */
function statedFor(construct: IConstruct): AlarmSet | WatchedPart {
  let inner: Marked | undefined;
  for (const scope of construct.node.scopes.toReversed() as Marked[]) {
    const { [STATED]: set, [WATCHED_PARTS]: parts } = scope;
    const part = parts?.find(({ id }) => id === inner?.node.id);
    if (part) return part;
    if (set !== undefined) return set;
    inner = scope;
  }
  return AlarmSet.ESSENTIAL;
}

/**
 * The set of a construct: its own, or that of the nearest construct around it that has one. Undefined if the alarms of
 * its owner watch it (`watchPart`).
 */
export function alarmSetOf(construct: IConstruct): AlarmSet | undefined {
  Object.defineProperty(construct, USED, { value: true, configurable: true });
  const stated = statedFor(construct);
  return typeof stated === 'object' ? undefined : stated;
}

/** The alarm on the age of messages of a part that creates no alarms of its own. */
export function ownersAgeAlarm(part: IConstruct): Alarm {
  const stated = statedFor(part);
  if (typeof stated === 'object') return stated.ageAlarm();
  throw new Error(`no construct around ${part.node.path} watches it`);
}

/** Sets which alarms the constructs of an app, a stack or any other construct create by default. */
export class AlarmDefaults {
  /** Returns the defaults of all constructs below `scope`: an app, a stage, a stack or any other construct. */
  public static of(scope: Construct): AlarmDefaults {
    checkArguments('AlarmDefaults.of', { scope }, { scope: SCOPE });
    return new AlarmDefaults(scope);
  }

  private constructor(private readonly scope: Construct) {}

  /**
   * Uses a set for all constructs below the scope that are created from now on and do not state `alarms` themselves. A
   * scope further inside may set another default.
   *
   * @throws if a construct with alarms already exists below the scope, because its alarms are already created
   */
  public use(alarms: AlarmSet): void {
    const { scope } = this;
    checkArguments(scope, { alarms }, { alarms: ALARM_SET });
    const [earlier] = scope.node.findAll().filter((it: Marked) => it[USED]);
    const rule = 'must be set before constructs with alarms are created';
    throwProblems(scope.node.path, earlier ? [{ property: 'alarms', rule, value: earlier.node.path }] : []);
    useAlarms(scope, alarms);
  }
}
