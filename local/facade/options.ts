import { formatValue } from '../../policy/problem';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../policy/time-units';
import { type CustomResourceAnswers, isRuledType, type StandIns } from '../cloudformation';
import { isoInstantMs, LAST_INSTANT_MS } from '../kernel/clock';
import { isObject } from '../kernel/json';
import { checkNames, type MemberNames, MemberReader } from '../kernel/member-reader';
import { EXAMPLE_PLACE, type Place, placeIn } from '../kernel/place';
import { Random } from '../kernel/random';
import type { TimelineOptions } from '../kernel/timeline';
import type { TraceOptions } from '../kernel/trace';
import type { LambdaOptions } from '../lambda';
import { Simulation, type SimulationOptions } from '../simulation';
import type { SnsOptions } from '../sns';

export interface LocalAwsOptions {
  /** Any text or number. The same seed, assembly and calls give the same trace. @default 1 */
  readonly seed?: string | number;
  /**
   * The start of virtual time: an ISO 8601 instant, or milliseconds since the Unix epoch. @default 2026-01-01T00:00:00Z
   */
  readonly startAt?: string | number;
  /**
   * The account and Region of stacks that do not name their own. If all stacks name the same account or Region, it is
   * that one. @default account 123456789012 in us-east-1
   */
  readonly place?: PlaceOptions;
  /**
   * More accounts and Regions, in addition to those that the app's stacks name. Every account exists in every Region.
   * @default - only those of `place` and of the stacks
   */
  readonly places?: readonly AccountAndRegion[];
  /** Values of template parameters. @default the templates' defaults */
  readonly parameters?: Readonly<Record<string, string>>;
  /**
   * What to do with resource types, properties and attributes that the embedded AWS does not simulate: `refuse` fails the
   * deployment by name, `warn` deploys stand-ins and lists them in `aws.standIns`. For single resource types:
   * `{ '*': 'warn', 'AWS::DynamoDB::Table': 'refuse' }`, where `*` means all others. @default refuse
   */
  readonly standIns?: StandIns;
  /**
   * Answers of custom resources, by their types (`Custom::AWS`): `{ PhysicalResourceId, Data }`. Their providers are not called.
   * @default - every provider is called
   */
  readonly customResources?: CustomResourceAnswers;
  /**
   * Emulators that receive the calls to services which are not simulated, from the first deployment on: their URLs by
   * service, as in `{ dynamodb: 'http://127.0.0.1:8000' }`. @default - see `LocalAws.service`
   */
  readonly forward?: Readonly<Record<string, string>>;
  /** How much work may run at one instant of virtual time before it counts as an endless loop. */
  readonly timeline?: TimelineOptions;
  /** How much of the trace is kept. */
  readonly trace?: TraceOptions;
  /** Options of SNS, for example jitter. */
  readonly sns?: SnsOptions;
  /** The account's concurrency, and when code counts as an endless loop. */
  readonly lambda?: LambdaOptions;
}

/** An account, a Region or both. What is omitted is that of the default place. */
export interface AccountAndRegion {
  /** Twelve digits. */
  readonly account?: string;
  /** For example `eu-west-1`. */
  readonly region?: string;
}

/** Whom a client acts as, and where. */
export interface ActingAs extends AccountAndRegion {
  /** The ARN of a role: the client acts as a program on an instance or in a container that has this role. @default - an administrator */
  readonly role?: string;
  /** The service that gives the role to the program, if the role's trust policy allows it. @default 'ec2.amazonaws.com' */
  readonly service?: string;
}

/** An account and a Region. What is omitted is derived. */
export interface PlaceOptions {
  /** Twelve digits. @default '123456789012' */
  readonly account?: string;
  /** @default 'us-east-1' */
  readonly region?: string;
  /** @default - the Region's partition: `aws`, `aws-cn` or `aws-us-gov` */
  readonly partition?: string;
  /** The suffix of the Region's host names. @default - the Region's: `amazonaws.com` or `amazonaws.com.cn` */
  readonly urlSuffix?: string;
}

const ACCOUNT = /^\d{12}$/;
const REGION = /^[a-z]{2,3}(-[a-z]+)+-\d+$/;

/** @throws RangeError naming every member that is unknown or invalid */
export function placeFrom(given: PlaceOptions = {}): Place {
  const reader = new MemberReader(given, 'place', 'place.');
  const { account, region } = { ...EXAMPLE_PLACE, ...readAccountAndRegion(reader) };
  const matching = (name: string, rule: string, pattern: RegExp) => textMatching(reader, name, rule, pattern);
  const derived = placeIn(account, region);
  const partition = matching('partition', 'must be a partition such as aws', /^aws(-[a-z]+)*$/) ?? derived.partition;
  const urlSuffix =
    matching('urlSuffix', 'must be a suffix such as amazonaws.com', /^[a-z0-9.-]+$/) ?? derived.urlSuffix;
  reader.check();
  return { account, region, partition, urlSuffix };
}

function textMatching(reader: MemberReader, name: string, rule: string, pattern: RegExp): string | undefined {
  return reader.optional(name, rule, (value): value is string => typeof value === 'string' && pattern.test(value));
}

function readAccountAndRegion(reader: MemberReader): AccountAndRegion {
  const account = textMatching(reader, 'account', 'must be twelve digits', ACCOUNT);
  const region = textMatching(reader, 'region', 'must be a Region such as us-east-1', REGION);
  return { ...(account !== undefined && { account }), ...(region !== undefined && { region }) };
}

/**
 * Reads an account and a Region.
 *
 * @param name as errors call it
 * @throws RangeError naming every member that is unknown or invalid
 */
export function accountAndRegion(given: AccountAndRegion, name: string): AccountAndRegion {
  const reader = new MemberReader(given, name, `${name}.`);
  const read = readAccountAndRegion(reader);
  reader.check();
  return read;
}

export interface DestroyOptions {
  /**
   * How long CloudFormation takes to create, change or delete one resource. Resources that do not depend on each other
   * are worked on at the same time. @default 10 seconds
   */
  readonly operationTime?: TimeSpan;
}

export interface UpdateOptions extends DestroyOptions {
  /** Values of template parameters. @default the previous values, or the templates' defaults */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** @throws RangeError for anything but a name or a list of names */
export function stackNamesOf(given: unknown): readonly string[] {
  const names: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (names.every(it => typeof it === 'string')) return names;
  throw new RangeError(`stackNames must be the name of a stack or a list of names, got ${formatValue(given)}`);
}

const DESTROY: MemberNames<DestroyOptions> = { operationTime: true };
export const UPDATE: MemberNames<UpdateOptions> = { ...DESTROY, parameters: true };

/** @throws RangeError for an unknown option or an invalid time */
export function operationTime(
  options: UpdateOptions,
  names: MemberNames<DestroyOptions> = DESTROY,
): number | undefined {
  checkNames(options, 'the options', names);
  return options.operationTime && timeSpanMs(options.operationTime);
}

const ROLE_ARN = /^arn:[a-z-]+:iam::(\d{12}):role\/./;

/**
 * Reads whom a client acts as. Without an account, it is that of the role.
 *
 * @param name as errors call it
 * @throws RangeError naming every member that is unknown or invalid
 */
export function actingAs(given: ActingAs, name: string): ActingAs {
  const reader = new MemberReader(given, name, `${name}.`);
  const place = readAccountAndRegion(reader);
  const role = textMatching(reader, 'role', 'must be the ARN of a role', ROLE_ARN);
  const service = textMatching(reader, 'service', 'must be a service such as ec2.amazonaws.com', /^[a-z0-9.-]+$/);
  reader.check();
  const account = ROLE_ARN.exec(role ?? '')?.[1];
  return { ...(account !== undefined && { account }), ...place, ...(role !== undefined && { role, service }) };
}

/** The part of the CDK's `CloudAssembly` that is used: `app.synth()` returns one. */
export interface SynthesizedAssembly {
  readonly directory: string;
}

/** A cloud assembly: its directory, or the result of `app.synth()`. Or the assemblies of several apps. */
export type AssemblySource = string | SynthesizedAssembly | readonly (string | SynthesizedAssembly)[];

/** @throws RangeError for anything else, and for an empty list */
export function directoriesOf(source: AssemblySource): readonly string[] {
  const all: readonly unknown[] = Array.isArray(source) ? source : [source];
  const directories = all.map(it => (isObject(it) ? it['directory'] : it));
  if (directories.length > 0 && directories.every(it => typeof it === 'string')) return directories;
  const rule = 'the path of a cloud assembly or template, the result of app.synth(), or a list of one or more of these';
  throw new RangeError(`the assembly must be ${rule}, got ${formatValue(source)}`);
}

const DEFAULT_START = '2026-01-01T00:00:00Z';

/** Without stacks, there are no template parameters. */
type StartOptions = Omit<LocalAwsOptions, 'parameters'>;

const START: MemberNames<StartOptions> = {
  seed: true,
  startAt: true,
  place: true,
  places: true,
  standIns: true,
  customResources: true,
  forward: true,
  timeline: { maxWorkAtOneInstant: true },
  trace: { keep: true },
  sns: { jitter: true, signatures: true, devices: true },
  lambda: {
    watchdogMs: true,
    accountConcurrency: true,
    maxThreads: true,
    filtersPerMapping: true,
    idleEnvironments: true,
  },
};

const DEPLOY: MemberNames<LocalAwsOptions> = { ...START, parameters: true };

/** @throws RangeError naming every unknown option, and those in options that are objects */
export function checkStartOptions(options: StartOptions): void {
  checkNames(options, 'the options', START);
}

/** @throws RangeError as `checkStartOptions` */
export function checkDeployOptions(options: LocalAwsOptions): void {
  checkNames(options, 'the options', DEPLOY);
}

/**
 * Creates a simulation in which nothing has happened yet, and its random generator.
 *
 * @throws RangeError for an invalid option
 */
export function newSimulation(
  { place, places }: Pick<SimulationOptions, 'place' | 'places'>,
  options: LocalAwsOptions,
): { readonly simulation: Simulation; readonly random: Random } {
  checkStandIns(options.standIns);
  checkCustomResources(options.customResources);
  const { seed = 1, startAt = DEFAULT_START, timeline, trace, sns, lambda, standIns, customResources } = options;
  const random = new Random(seed);
  const more = (options.places ?? []).map((it, i) => ({ ...place, ...accountAndRegion(it, `places[${i}]`) }));
  const startAtMs = instantMs(startAt);
  const all = [...(places ?? []), ...more];
  const simulation = new Simulation({
    place,
    places: all,
    random,
    startAtMs,
    timeline,
    trace,
    sns,
    lambda,
    standIns,
    customResources,
  });
  for (const [service, url] of Object.entries(options.forward ?? {})) {
    simulation.otherServices.service(service).forwardTo(url);
  }
  return { simulation, random };
}

const STAND_IN_RULES: readonly unknown[] = ['warn', 'refuse'];

/** @throws RangeError for anything but a rule, or an object of rules by resource type */
function checkStandIns(given: unknown): void {
  if (given === undefined || STAND_IN_RULES.includes(given)) return;
  const rule = "must be 'warn' or 'refuse', or an object of these by resource type";
  if (!isObject(given)) throw new RangeError(`standIns ${rule}, got ${formatValue(given)}`);
  const wrong = Object.entries(given).filter(
    ([type, it]) => !STAND_IN_RULES.includes(it) || !(type === '*' || /^\w+::\w+::\w+(::MODULE)?$/.test(type)),
  );
  if (wrong.length > 0) throw new RangeError(`standIns ${rule} or *, got ${formatValue(Object.fromEntries(wrong))}`);
  const unknown = Object.keys(given).filter(type => !(type === '*' || isRuledType(type)));
  if (unknown.length > 0)
    throw new RangeError(`standIns must name resource types that exist, got ${unknown.join(', ')}`);
}

/** @throws RangeError for anything but answers by the types of custom resources */
function checkCustomResources(given: unknown): void {
  if (given === undefined) return;
  const rule =
    "must have answers by type, such as { 'Custom::AWS': { PhysicalResourceId: 'id', Data: { Name: 'text' } } }";
  const isAnswer = ([type, answer]: [string, unknown]): boolean => {
    if (!/^(?:Custom::[\w@-]+|AWS::CloudFormation::CustomResource)$/.test(type) || !isObject(answer)) return false;
    const { PhysicalResourceId = 'id', Data = {}, ...more } = answer;
    const isData = isObject(Data) && Object.values(Data).every(value => typeof value === 'string');
    return typeof PhysicalResourceId === 'string' && isData && Object.keys(more).length === 0;
  };
  if (isObject(given) && Object.entries(given).every(isAnswer)) return;
  throw new RangeError(`customResources ${rule}, got ${formatValue(given)}`);
}

/** A span of virtual time: the sum of its members. Each is 0 or more and may have a fraction. */
export interface TimeSpan {
  readonly days?: number;
  readonly hours?: number;
  readonly minutes?: number;
  readonly seconds?: number;
}

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['days', DAY_MS],
  ['hours', HOUR_MS],
  ['minutes', MINUTE_MS],
  ['seconds', 1_000],
]);

/**
 * Returns whole milliseconds. Between two of them, an instant would be one that no service accepts: CloudWatch drops a log
 * record's metrics if its timestamp is not an integer.
 *
 * @throws RangeError naming every member that is unknown, or not a number in its range
 */
export function timeSpanMs(span: TimeSpan): number {
  const given: Readonly<Record<string, number | undefined>> = { ...span };
  if (!isObject(span)) {
    throw new RangeError(`a time span must be an object such as { minutes: 5 }, got ${formatValue(span)}`);
  }
  const problems: string[] = [];
  let ms = 0;
  for (const [unit, count] of Object.entries<number | undefined>(given)) {
    const unitMs = UNIT_MS.get(unit);
    if (unitMs === undefined) {
      problems.push(`${unit} is not a unit of time: it must be one of ${[...UNIT_MS.keys()].join(', ')}`);
    } else if (count !== undefined && !(Number.isFinite(count) && count >= 0 && count * unitMs <= LAST_INSTANT_MS)) {
      problems.push(`${unit} must be a number from 0 to ${LAST_INSTANT_MS / unitMs}, got ${count}`);
    } else ms += (count ?? 0) * unitMs;
  }
  if (problems.length > 0) throw new RangeError(problems.join('; '));
  return Math.round(ms);
}

/**
 * Parses an instant into milliseconds since the Unix epoch.
 *
 * @param instant ISO 8601 (a date, or a date and time with `Z` or an offset), or milliseconds since the Unix epoch
 * @throws RangeError when it is neither
 */
export function instantMs(instant: string | number): number {
  const ms = typeof instant === 'string' ? isoInstantMs(instant) : instant;
  if (typeof ms === 'number' && Math.abs(ms) <= LAST_INSTANT_MS) return ms;
  throw new RangeError(
    'an instant must be ISO 8601 (a date, or a date and time with Z or an offset), or milliseconds since the Unix epoch, ' +
      `got ${formatValue(instant)}`,
  );
}
