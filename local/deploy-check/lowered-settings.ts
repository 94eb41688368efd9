import { DAY_SECONDS } from '../../policy/time-units';
import { isPending } from '../../template/values';
import { isObject, type JsonObject } from '../kernel/json';

/** A setting whose lower value can lose messages that are not like those of the check. */
interface Setting {
  readonly types: RegExp;
  /** The path of the property, in the property `in` or in each item of that list. */
  readonly in?: string;
  readonly path: string;
  /** The value without the property. A negative number means: without a limit. */
  readonly otherwise: number | boolean;
  /** With this property nothing is lost: what is given up goes there. */
  readonly unless?: string;
  readonly why: string;
}

const RETRIES = 'What fails is given up earlier, and no dead-letter queue gets it.';
const DEDUPLICATION = 'A sender that gives no MessageDeduplicationId is refused. The check gives one.';

const SETTINGS: readonly Setting[] = [
  {
    types: /^AWS::SQS::Queue$/,
    path: 'MaximumMessageSize',
    otherwise: 1_048_576,
    why: 'SQS refuses larger messages. Those of the check are small.',
  },
  {
    types: /^AWS::SQS::Queue$/,
    path: 'MessageRetentionPeriod',
    otherwise: 345_600,
    why: 'SQS deletes messages that wait longer, also those that wait now. Those of the check wait for a short time.',
  },
  {
    types: /^AWS::(?:SQS::Queue|SNS::Topic)$/,
    path: 'ContentBasedDeduplication',
    otherwise: false,
    why: DEDUPLICATION,
  },
  {
    types: /^AWS::Kinesis::Stream$/,
    path: 'RetentionPeriodHours',
    otherwise: 24,
    why: 'Records that are read later are lost. Those of the check are read at once.',
  },
  ...['MaximumRecordAgeInSeconds', 'MaximumRetryAttempts'].map(path => ({
    types: /^AWS::Lambda::EventSourceMapping$/,
    path,
    otherwise: -1,
    unless: 'DestinationConfig.OnFailure',
    why: RETRIES,
  })),
  ...[
    { path: 'MaximumEventAgeInSeconds', otherwise: 21_600 },
    { path: 'MaximumRetryAttempts', otherwise: 2 },
  ].map(it => ({
    ...it,
    types: /^AWS::Lambda::EventInvokeConfig$/,
    unless: 'DestinationConfig.OnFailure',
    why: RETRIES,
  })),
  ...['Target', 'Targets'].flatMap(within =>
    [
      { path: 'RetryPolicy.MaximumEventAgeInSeconds', otherwise: DAY_SECONDS },
      { path: 'RetryPolicy.MaximumRetryAttempts', otherwise: 185 },
    ].map(it => ({
      ...it,
      in: within,
      types: /^AWS::(?:Scheduler::Schedule|Events::Rule)$/,
      unless: 'DeadLetterConfig',
      why: RETRIES,
    })),
  ),
];

const valueAt = (value: unknown, path: string): unknown =>
  path.split('.').reduce((inner: unknown, name) => (isObject(inner) ? inner[name] : undefined), value);

/** What a setting is in: the properties, or items of a list by id. */
function holders(properties: JsonObject, within: string | undefined): ReadonlyMap<unknown, unknown> {
  if (within === undefined) return new Map([['', properties]]);
  return new Map([properties[within]].flat().map(it => [valueAt(it, 'Id'), it]));
}

function amount(value: unknown, otherwise: number | boolean): number {
  const number = Number(value ?? otherwise);
  if (typeof value === 'string' && Number.isNaN(number)) return Number(value === 'true');
  return number < 0 ? Number.POSITIVE_INFINITY : number;
}

/** Says which settings of a resource become lower. */
export function loweredSettings(type: string, before: JsonObject, after: JsonObject): readonly string[] {
  return SETTINGS.filter(({ types }) => types.test(type)).flatMap(({ in: within, path, otherwise, unless, why }) => {
    const then = holders(before, within);
    return [...holders(after, within)].flatMap(([id, now]) => {
      const [was, is] = [valueAt(then.get(id), path), valueAt(now, path)];
      if (!then.has(id) || isPending(is) || (unless !== undefined && valueAt(now, unless) !== undefined)) return [];
      if (amount(is, otherwise) >= amount(was, otherwise)) return [];
      return [`${path} becomes ${String(is ?? otherwise)}, and was ${String(was ?? otherwise)}. ${why}`];
    });
  });
}
