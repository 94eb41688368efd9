import { AssemblyError, readAssembly, StackFailed, StackNotFollowed } from '../cloudformation';
import { isTexts } from '../facade/emit';
import { LocalAws } from '../facade/local-aws';
import type { LocalAwsOptions, TimeSpan } from '../facade/options';
import { checkNames, InvalidInput, type MemberNames } from '../kernel/member-reader';
import { Causes, type DeployCause, type StackChanges } from './causes';
import { type ChangedDelivery, changedDeliveries, type DeliveryChangeKind, isFailing } from './comparison';
import { type FailedDeliveries, failDeliveries, lostFailures } from './failed-deliveries';
import { gapsOf, type NotFollowed } from './gaps';
import { arnsIn } from './message-history';
import { type NamedValues, namedValues } from './samples';
import { rarerSchedules, type ScheduleRuns, scheduleRunsOf } from './schedule-runs';
import { located } from './sources';
import { type DeployRisk, staticRisks } from './static-check';
import { Traffic } from './traffic';
import { type Accepted, type AssemblyLike, checkExist, readAccepted, readVersion, valuesFor } from './versions';

export interface DeployCheckOptions extends Pick<LocalAwsOptions, 'seed' | 'place'> {
  /** How long CloudFormation takes for one resource. @default 10 seconds */
  readonly operationTime?: TimeSpan;
  /** Values of template parameters, by name. Each version gets those that it declares. */
  readonly parameters?: LocalAwsOptions['parameters'];
  /**
   * Changes that are meant to happen, as `RECEIVER:KIND`: `Shop/Picking:stops-arriving`. A change of another kind still makes the
   * deployment unsafe. @default - none
   */
  readonly accept?: readonly string[];
  /** The names of gaps in `notFollowed` that do not make the verdict unknown. @default - none */
  readonly allowUnknown?: readonly string[];
}

/** What a deployment changes for one receiver, of one kind. */
export interface DeliveryChange {
  readonly kind: DeliveryChangeKind;
  readonly messages: number;
  /** Whether the option `accept` names it. */
  readonly isAccepted: boolean;
  /** When the first and the last of the messages were sent, in seconds since the update began. */
  readonly fromSeconds: number;
  readonly toSeconds: number;
  /** What happened to the messages, and the operation of the update that is concerned. */
  readonly causes: readonly DeployCause[];
}

/** What changes for the messages of one receiver. */
export interface ReceiverReport {
  /** The construct path or `Stack/LogicalId` of a queue or function, or a host. */
  readonly receiver: string;
  /** Messages that it gets from the old version. */
  readonly delivered: number;
  readonly changes: readonly DeliveryChange[];
}

export interface DeployCheck {
  /**
   * `safe`: the update succeeds, each receiver gets what it gets from the old version, and what fails is kept as by the old version. `unsafe`: the update fails, or messages are lost,
   * dead-lettered or left behind, or stop arriving, and the option `accept` does not name it. `unknown`: neither was found, but
   * something that may change it was not looked at.
   */
  readonly verdict: 'safe' | 'unsafe' | 'unknown';
  /** Why CloudFormation rolls the update back; undefined if it succeeds. */
  readonly failure: string | undefined;
  /** How long the update takes, in seconds. */
  readonly updateSeconds: number;
  /** Messages sent in the simulation. */
  readonly sent: number;
  /** Messages that AWS refused to take, such as for a topic that was replaced. */
  readonly refused: number;
  /** Messages that no subscription of a topic, or no rule of a bus, took, and that one takes in the old version. */
  readonly unreceived: number;
  /** The receivers for which something changes. */
  readonly receivers: readonly ReceiverReport[];
  /** What the templates alone show. */
  readonly risks: readonly DeployRisk[];
  /** The functions whose code was not tried: a handler of the check replaced it. */
  readonly replacedFunctions: readonly string[];
  /** What the simulation sends nothing to, or cannot follow, and why. */
  readonly notFollowed: readonly NotFollowed[];
}

const OPTIONS: MemberNames<DeployCheckOptions> = {
  seed: true,
  place: true,
  operationTime: true,
  parameters: true,
  accept: true,
  allowUnknown: true,
};

/**
 * Says what a deployment changes for messages: plays traffic through the old version while it is updated to the new one, and compares what
 * each receiver gets with what it gets from the old version by itself. The new version by itself says whether a receiver that
 * gets nothing any more is what the new version means. Messages enter in all accounts and Regions of the app, through topics,
 * queues, rules of event buses, schedules, notifications of buckets, and streams. Functions that receive messages are replaced by
 * handlers that take two seconds, so nothing depends on what the app calls. Of receivers outside of the stacks, HTTP endpoints
 * answer 200, and consumers of queues receive every 30 seconds.
 *
 * ```ts
 * await expect(deployCheck('cdk.out.deployed', 'cdk.out')).toLoseNothing();
 * ```
 *
 * @throws AssemblyError when one of the assemblies cannot be deployed, if they have no stack in common, and for values of parameters and
 *   names in options that do not exist
 */
export async function deployCheck(
  before: AssemblyLike,
  after: AssemblyLike,
  given: DeployCheckOptions = {},
): Promise<DeployCheck> {
  checkOptions(given);
  const { operationTime, parameters = {}, accept = [], allowUnknown = [], ...options } = given;
  const accepted = readAccepted(accept);
  const [has, gets] = [readVersion(before), readVersion(after)];
  const left = has.stacks.filter(name => !gets.stacks.includes(name));
  if (left.length === has.stacks.length) throw nothingInCommon(has.stacks, gets.stacks);
  const values = valuesFor(has, gets, parameters);
  const named = namedValues([...has.templates, ...gets.templates]);
  const renewed = left.length === 0 ? [] : gets.stacks.filter(name => has.stacks.includes(name));
  const played = await playVersions({ before, after, renewed, values, named, options, operationTime });
  const { old, updated, next, stacks } = played;
  const { failure, seconds, traffic } = updated;
  const changed = changedDeliveries({
    old: old.traffic,
    updated: traffic,
    next: 'refusal' in next ? undefined : next.traffic,
    seconds: failure === undefined && updated.limit === undefined ? seconds : undefined,
  });
  const causes = new Causes(traffic, stacks);
  const settings = failure === undefined ? changedSettings(played, causes) : [];
  const receivers = [...new Set([...changed, ...settings].map(({ receiver }) => receiver))].map(receiver => {
    const ofReceiver = changed.filter(it => it.receiver === receiver);
    const ofSettings = settings.filter(it => it.receiver === receiver);
    return reportOf(receiver, ofReceiver, ofSettings, { old: old.traffic, causes, accepted, seconds });
  });
  const risks = stacks.flatMap(({ stack, changes, live }) => staticRisks(stack, changes, live));
  const notFollowed = [...notFollowedIn(played, left), ...unmetRisks(risks, receivers)];
  const everyReceiver = [old, updated, next].flatMap(it => ('refusal' in it ? [] : [...it.traffic.receivers]));
  const receiversToAccept = accepted.map(it => it.receiver);
  checkExist('accept', 'a receiver', receiversToAccept, everyReceiver);
  const known = [...old.names, ...updated.names, ...notFollowed.map(it => it.name)];
  checkExist('allowUnknown', 'a resource or a part', allowUnknown, known);
  return {
    verdict: verdictOf({ failure, receivers, notFollowed }, allowUnknown),
    failure,
    updateSeconds: seconds,
    sent: traffic.fates.size,
    refused: [...traffic.fates.values()].filter(({ refused }) => refused !== undefined).length,
    unreceived: [...traffic.fates.keys()].filter(key => traffic.isDropped(key) && !old.traffic.isDropped(key)).length,
    receivers,
    risks,
    replacedFunctions: traffic.replacedFunctions,
    notFollowed,
  };
}

/** @throws InvalidInput */
function checkOptions(given: DeployCheckOptions): void {
  checkNames(given, 'the options', OPTIONS);
  for (const property of ['accept', 'allowUnknown'] as const) {
    const value: unknown = given[property] ?? [];
    if (!isTexts(value)) throw new InvalidInput([{ property, rule: 'must be a list of texts', value }]);
  }
}

interface Versions extends Pick<DeployCheckOptions, 'operationTime'> {
  readonly before: AssemblyLike;
  readonly after: AssemblyLike;
  /** The stacks of both versions, if the old one has others that stay. */
  readonly renewed: readonly string[];
  readonly values: ReturnType<typeof valuesFor>;
  readonly named: NamedValues;
  readonly options: Pick<LocalAwsOptions, 'seed' | 'place'>;
}

interface PlayedVersions {
  readonly old: Played;
  readonly updated: Played;
  /** Or why it cannot be created. */
  readonly next: Played | { readonly refusal: string };
  readonly stacks: readonly StackChanges[];
}

/** Plays the same traffic through the update, the old version, and the new version. */
async function playVersions({
  before,
  after,
  renewed,
  values,
  named,
  options,
  operationTime,
}: Versions): Promise<PlayedVersions> {
  const ofOld = { ...options, parameters: values.old };
  let stacks: readonly StackChanges[] = [];
  const updated = await played(before, ofOld, { named, version: 'new' }, async aws => {
    stacks = changesOf(aws, after, values.next);
    return failureOf(() => aws.update(after, { ...(operationTime && { operationTime }), parameters: values.next }));
  });
  const wait = async (aws: LocalAws) => {
    await aws.advance({ seconds: updated.seconds });
    return {};
  };
  const old = await played(before, ofOld, { named, version: 'old' }, wait);
  // A version that CloudFormation rolls back may not deploy by itself either. Receivers then expect what the old one gives them.
  if (updated.failure !== undefined || updated.limit !== undefined) return { old, updated, next: old, stacks };
  const { roles } = old.traffic;
  const playing = { named, version: 'new', roles } as const;
  const renew = async (aws: LocalAws) => {
    await aws.destroy(renewed);
    await aws.update(after, { parameters: values.next });
  };
  const attempts = [
    () => played(after, { ...options, parameters: values.next }, playing, wait),
    // Stacks that stay may have what the others import.
    ...(renewed.length > 0 ? [() => played(before, ofOld, { ...playing, prepare: renew }, wait)] : []),
  ];
  let refusal = '';
  for (const attempt of attempts) {
    try {
      return { old, updated, next: await attempt(), stacks };
    } catch (error) {
      // An update may succeed where the same version cannot be created: Lambda checks the role of a mapping only then.
      if (!(error instanceof StackFailed || error instanceof AssemblyError)) throw error;
      refusal ||= error.message;
    }
  }
  return { old, updated, next: { refusal }, stacks };
}

/** A gap of both versions is one. */
function notFollowedIn({ old, updated, next }: PlayedVersions, left: readonly string[]): readonly NotFollowed[] {
  const stays = 'the new version does not have this stack, so it stays as it is';
  const unique = new Map<string, NotFollowed>();
  for (const gap of [
    ...old.gaps,
    ...updated.gaps,
    ...left.map(name => ({ name, why: stays, isOnTheWay: false })),
    ...(updated.traffic.fates.size > 0 ? [] : [NOTHING_SENT]),
    ...(updated.limit === undefined ? [] : [{ name: 'update', why: updated.limit, isOnTheWay: true }]),
    ...('refusal' in next
      ? [{ name: 'new version', why: `it cannot be created by itself: ${next.refusal}`, isOnTheWay: true }]
      : []),
  ]) {
    const key = `${gap.name} ${gap.why}`;
    if (!unique.get(key)?.isOnTheWay) unique.set(key, gap);
  }
  return [...unique.values()];
}

const NOTHING_SENT: NotFollowed = {
  name: 'traffic',
  why: 'no topic, queue, rule, schedule, bucket or stream takes messages: nothing was sent',
  isOnTheWay: true,
};

/** Losses that the messages of the simulation did not meet: the queue was empty when the update deleted it, or they are small. */
function unmetRisks(risks: readonly DeployRisk[], receivers: readonly ReceiverReport[]): readonly NotFollowed[] {
  const causes = receivers.flatMap(({ changes }) => changes.flatMap(it => it.causes));
  const met = new Set(causes.map(({ operation }) => operation?.resource));
  return risks
    .filter(({ isUnlessShown, resource }) => isUnlessShown && !met.has(resource))
    .map(({ resource, severity, why }) => ({
      name: resource,
      why: severity === 'loses' ? `${why} No message of the check was there.` : why,
      isOnTheWay: true,
    }));
}

function verdictOf(
  { failure, receivers, notFollowed }: Pick<DeployCheck, 'failure' | 'receivers' | 'notFollowed'>,
  allowUnknown: readonly string[],
): DeployCheck['verdict'] {
  const changes = receivers.flatMap(it => it.changes);
  if (failure !== undefined || changes.some(it => isFailing(it.kind) && !it.isAccepted)) return 'unsafe';
  return notFollowed.every(({ name, isOnTheWay }) => !isOnTheWay || allowUnknown.includes(name)) ? 'safe' : 'unknown';
}

function nothingInCommon(old: readonly string[], next: readonly string[]): AssemblyError {
  const names = (stacks: readonly string[]) => stacks.join(', ') || 'no stack';
  return new AssemblyError([
    `the new version must have a stack of the old one, which has ${names(old)}: it has ${names(next)}. The stack of a template is named like its file`,
  ]);
}

/** Why an update did not succeed. */
interface Unsuccessful {
  /** CloudFormation rolls it back. */
  readonly failure?: string;
  /** The embedded AWS cannot follow it. */
  readonly limit?: string;
}

async function failureOf(update: () => Promise<unknown>): Promise<Unsuccessful> {
  try {
    await update();
    return {};
  } catch (error) {
    if (!(error instanceof StackFailed)) throw error;
    return error instanceof StackNotFollowed ? { limit: error.message } : { failure: error.message };
  }
}

/** What changes for a receiver without a message of the traffic that shows it. */
interface ChangedSetting {
  readonly receiver: string;
  readonly kind: DeliveryChangeKind;
  readonly cause: DeployCause;
}

/** Dead-letter queues that no longer get what fails, and schedules that run less often. */
function changedSettings({ old, updated }: PlayedVersions, causes: Causes): readonly ChangedSetting[] {
  const failures = lostFailures(old.failed, updated.failed).map(({ receiver, end }): ChangedSetting => {
    const why =
      end.deadLetterFailure === undefined
        ? 'a message that it does not take is lost: there is no dead-letter queue any more'
        : `a message that it does not take is lost: its dead-letter queue does not take it either (${end.deadLetterFailure})`;
    const arns = [...end.arns, ...arnsIn(why)];
    return { receiver, kind: 'loses-its-dead-letter-queue', cause: causes.ofNewVersion({ why, arns, messages: 1 }) };
  });
  const rarer = rarerSchedules(old.runs, updated.runs).flatMap(({ arn, targets, missing, why }) =>
    targets.map((target): ChangedSetting => {
      const cause = causes.ofNewVersion({ why, arns: [arn], messages: missing });
      return { receiver: updated.traffic.nameOf(target), kind: 'runs-less-often', cause };
    }),
  );
  return [...failures, ...rarer];
}

interface Played extends Unsuccessful {
  readonly traffic: Traffic;
  readonly failed: FailedDeliveries;
  readonly runs: ScheduleRuns;
  /** How long the update took. */
  readonly seconds: number;
  readonly gaps: readonly NotFollowed[];
  /** The names of all resources. */
  readonly names: readonly string[];
}

interface Playing {
  readonly named: NamedValues;
  /** Which one is deployed in the end. */
  readonly version: 'old' | 'new';
  /** @default - the version that is deployed first is the old one */
  readonly roles?: Traffic['roles'];
  /** What to do before the traffic begins. @default - nothing */
  readonly prepare?: (aws: LocalAws) => Promise<void>;
}

async function played(
  assembly: AssemblyLike,
  options: LocalAwsOptions,
  { named, version, roles, prepare }: Playing,
  during: (aws: LocalAws) => Promise<Unsuccessful>,
): Promise<Played> {
  const aws = await LocalAws.deploy(assembly, { standIns: 'warn', sns: { signatures: false }, ...options });
  try {
    await prepare?.(aws);
    const traffic = new Traffic(aws, named, roles);
    await traffic.warmUp();
    const unsuccessful = await during(aws);
    const seconds = traffic.now;
    await traffic.finish();
    const gaps = gapsOf(aws, traffic.history, version);
    const names = located(aws, /./).map(({ id }) => id);
    const runs = scheduleRunsOf(aws);
    // The new version by itself says nothing that the update does not say.
    const failed = roles ? new Map() : await failDeliveries(aws, traffic);
    return { traffic, ...unsuccessful, seconds, gaps, names, runs, failed };
  } finally {
    await aws.close();
  }
}

/** What the update would change in each stack that exists, in its account and Region. */
function changesOf(
  { whole, place }: LocalAws,
  after: AssemblyLike,
  parameters: Readonly<Record<string, string>>,
): readonly StackChanges[] {
  const { stacks } = readAssembly(typeof after === 'string' ? after : after.directory, true);
  return stacks.flatMap(stack => {
    const { account = place.account, region = place.region } = stack.environment;
    if (!whole.isDeclared(account, region)) return [];
    const predicted = whole.in(account, region).cloudFormation.predict(stack, parameters);
    return predicted ? [{ stack: stack.name, ...predicted }] : [];
  });
}

interface Reporting {
  readonly old: Traffic;
  readonly causes: Causes;
  readonly accepted: readonly Accepted[];
  /** How long the update took. */
  readonly seconds: number;
}

function reportOf(
  receiver: string,
  deliveries: readonly ChangedDelivery[],
  settings: readonly ChangedSetting[],
  { old, causes, accepted, seconds }: Reporting,
): ReceiverReport {
  const isAccepted = (kind: string) => accepted.some(it => it.receiver === receiver && it.kind === kind);
  const kinds = [...new Set(deliveries.map(({ kind }) => kind))];
  const delivered = [...old.fates.values()].filter(
    ({ received, kept }) => received.has(receiver) || kept.has(receiver),
  );
  const changes = kinds.map((kind): DeliveryChange => {
    const fates = deliveries.filter(it => it.kind === kind).map(({ fate }) => fate);
    const sentAt = fates.map(fate => fate.sentAt);
    return {
      kind,
      messages: fates.length,
      isAccepted: isAccepted(kind),
      fromSeconds: Math.min(...sentAt),
      toSeconds: Math.max(...sentAt),
      causes: causes.of(receiver, kind, fates),
    };
  });
  const ofSettings = [...new Set(settings.map(({ kind }) => kind))].map((kind): DeliveryChange => {
    const own = settings.filter(it => it.kind === kind).map(({ cause }) => cause);
    const counted = [...new Map(own.map(cause => [`${cause.why} ${cause.operation?.resource}`, cause])).values()];
    const messages = counted.reduce((sum, cause) => sum + cause.messages, 0);
    return { kind, messages, isAccepted: isAccepted(kind), fromSeconds: seconds, toSeconds: seconds, causes: counted };
  });
  return { receiver, delivered: delivered.length, changes: [...changes, ...ofSettings] };
}
