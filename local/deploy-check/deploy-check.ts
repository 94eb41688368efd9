import { AssemblyError, readAssembly, StackFailed } from '../cloudformation';
import { LocalAws } from '../facade/local-aws';
import type { LocalAwsOptions, SynthesizedAssembly, TimeSpan } from '../facade/options';
import { isObject } from '../kernel/json';
import { checkNames, type MemberNames } from '../kernel/member-reader';
import { Causes, type DeployCause, type Effect, type StackChanges } from './causes';
import { notFollowed } from './sources';
import { type DeployRisk, staticRisks } from './static-check';
import { type Fate, Traffic } from './traffic';

export interface DeployCheckOptions extends Pick<LocalAwsOptions, 'seed' | 'place'> {
  /** How long CloudFormation takes for one resource. @default 10 seconds */
  readonly operationTime?: TimeSpan;
  /** Values of template parameters, by name. Each version gets those that it declares. */
  readonly parameters?: LocalAwsOptions['parameters'];
}

/** What happens to the messages of one receiver during a deployment. */
export interface ReceiverReport {
  /** The construct path or `Stack/LogicalId` of a queue or function, or a host. */
  readonly receiver: string;
  /** Messages that neither the receiver nor any queue has in the end. */
  readonly lost: number;
  /** Messages that are in a queue in the end, and would not be without the deployment. */
  readonly leftBehind: number;
  /** Messages that the receiver got more often than without the deployment. */
  readonly doubled: number;
  /** Messages that came more than a minute later than without the deployment. */
  readonly delayed: number;
  /** When the first and the last affected message were sent, in seconds since the update began. */
  readonly fromSeconds: number;
  readonly toSeconds: number;
  /** What happened to the messages, and the operation of the update that is concerned. */
  readonly causes: readonly DeployCause[];
}

export interface DeployCheck {
  /** Why CloudFormation rolls the update back; undefined if it succeeds. */
  readonly failure: string | undefined;
  /** How long the update takes, in seconds. */
  readonly updateSeconds: number;
  /** Messages sent in the simulation. */
  readonly sent: number;
  /** Messages that AWS refused to take, such as for a topic that was replaced. */
  readonly refused: number;
  /** Messages that a topic dropped because it had no subscription then, and would not have dropped without the update. */
  readonly unreceived: number;
  /** The receivers whose messages are affected. */
  readonly receivers: readonly ReceiverReport[];
  /** What the templates alone show. */
  readonly risks: readonly DeployRisk[];
  /** What the simulation sends nothing to, or cannot follow, and why. */
  readonly notFollowed: readonly string[];
  /** Whether the update succeeds, and the simulation lost no message. */
  readonly isSafe: boolean;
  /** Whether the templates alone show no risk. */
  readonly isStaticallySafe: boolean;
}

const NOTHING_SENT = 'no topic, queue, rule, schedule, bucket or stream takes messages: nothing was sent';

const OPTIONS: MemberNames<DeployCheckOptions> = { seed: true, place: true, operationTime: true, parameters: true };

type AssemblyLike = string | SynthesizedAssembly;

/**
 * Says what a deployment does to messages: plays traffic through the old version while it is updated to the new one, and
 * compares what became of each message with both versions by themselves, in all accounts and Regions of the app. Messages
 * enter through topics, queues, rules of event buses, schedules, notifications of buckets, and streams. Functions that
 * receive messages are replaced by handlers that take two seconds, so nothing depends on what the app calls. Of receivers
 * outside of the stacks, HTTP endpoints answer 200, and consumers of queues receive every 30 seconds.
 *
 * ```ts
 * await expect(deployCheck('cdk.out.deployed', 'cdk.out')).toLoseNothing();
 * ```
 *
 * @throws AssemblyError when one of the assemblies cannot be deployed, or if they have no stack in common
 */
export async function deployCheck(
  before: AssemblyLike,
  after: AssemblyLike,
  given: DeployCheckOptions = {},
): Promise<DeployCheck> {
  checkNames(given, 'the options', OPTIONS);
  const { operationTime, parameters = {}, ...options } = given;
  const [has, gets] = [versionOf(before), versionOf(after)];
  const left = [...has.stacks].filter(name => !gets.stacks.has(name));
  if (left.length === has.stacks.size) throw nothingInCommon(has, gets);
  const [ofBefore, ofAfter] = [
    { ...options, parameters: valuesFor(has, gets, parameters) },
    { ...options, parameters: valuesFor(gets, has, parameters) },
  ];
  let stacks: readonly StackChanges[] = [];
  const updated = await played(before, ofBefore, async aws => {
    stacks = changesOf(aws, after, ofAfter.parameters);
    try {
      await aws.update(after, { ...(operationTime && { operationTime }), parameters: ofAfter.parameters });
      return undefined;
    } catch (error) {
      if (error instanceof StackFailed) return error.message;
      throw error;
    }
  });
  const { failure, seconds, traffic } = updated;
  const wait = async (aws: LocalAws) => {
    await aws.advance({ seconds });
    return undefined;
  };
  const old = (await played(before, ofBefore, wait)).traffic;
  // A version that CloudFormation rolls back may not deploy by itself either. Receivers then expect what the old one gives them.
  const next = failure === undefined ? (await played(after, ofAfter, wait)).traffic : old;
  const groups = [...traffic.groups.values()];
  const isGivenUp = (key: string, receiver: string) => next.isGivenUp(key, receiver);
  const { fates } = traffic;
  const affected = affectedMessages(old.fates, next.fates, { fates, groups, failure, seconds, isGivenUp });
  const causes = new Causes(traffic.history, traffic.startMs, stacks);
  const receivers = [...new Set(affected.map(({ receiver }) => receiver))].map(receiver => {
    const messages = affected.filter(it => it.receiver === receiver);
    return reportOf(receiver, messages, traffic, causes);
  });
  const dropped = [...traffic.fates].filter(
    ([key, { token }]) => traffic.history.unreceived.has(token) && !isDropped(key, old) && !isDropped(key, next),
  );
  const risks = stacks.flatMap(({ stack, changes, live }) => staticRisks(stack, changes, live));
  return {
    failure,
    updateSeconds: seconds,
    sent: traffic.fates.size,
    refused: [...traffic.fates.values()].filter(({ refused }) => refused !== undefined).length,
    unreceived: dropped.length,
    receivers,
    risks,
    notFollowed: [
      ...updated.notFollowed,
      ...left.map(name => `${name}: the new version does not have this stack, so it stays as it is`),
      ...(traffic.fates.size > 0 ? [] : [NOTHING_SENT]),
    ],
    isSafe: failure === undefined && receivers.every(({ lost }) => lost === 0),
    isStaticallySafe: risks.every(({ severity }) => severity === 'note'),
  };
}

function isDropped(key: string, { fates, history }: Traffic): boolean {
  const token = fates.get(key)?.token;
  return token !== undefined && history.unreceived.has(token);
}

/** What a version of the app declares. */
interface Version {
  readonly stacks: ReadonlySet<string>;
  readonly parameters: ReadonlySet<string>;
}

function versionOf(assembly: AssemblyLike): Version {
  const { stacks } = readAssembly(typeof assembly === 'string' ? assembly : assembly.directory, true);
  const parametersOf = ({ Parameters }: Readonly<Record<string, unknown>>) =>
    isObject(Parameters) ? Object.keys(Parameters) : [];
  return {
    stacks: new Set(stacks.map(({ name }) => name)),
    parameters: new Set(stacks.flatMap(({ template }) => parametersOf(template))),
  };
}

/** The values for the parameters of one version. It gets those that neither version declares too, and refuses them. */
function valuesFor(own: Version, other: Version, given: Readonly<Record<string, string>>) {
  const isMeant = (name: string) => own.parameters.has(name) || !other.parameters.has(name);
  return Object.fromEntries(Object.entries(given).filter(([name]) => isMeant(name)));
}

function nothingInCommon({ stacks: old }: Version, { stacks: next }: Version): AssemblyError {
  const names = (stacks: ReadonlySet<string>) => [...stacks].join(', ') || 'no stack';
  return new AssemblyError([
    `the new version must have a stack of the old one, which has ${names(old)}: it has ${names(next)}. The stack of a template is named like its file`,
  ]);
}

interface Played {
  readonly traffic: Traffic;
  readonly failure: string | undefined;
  /** How long the update took. */
  readonly seconds: number;
  readonly notFollowed: readonly string[];
}

async function played(
  assembly: AssemblyLike,
  options: LocalAwsOptions,
  during: (aws: LocalAws) => Promise<string | undefined>,
): Promise<Played> {
  const aws = await LocalAws.deploy(assembly, { standIns: 'warn', ...options });
  try {
    const traffic = new Traffic(aws);
    const first = notFollowed(aws);
    await traffic.warmUp();
    const failure = await during(aws);
    const seconds = traffic.now;
    await traffic.finish();
    return { traffic, failure, seconds, notFollowed: [...new Set([...first, ...notFollowed(aws)])] };
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

function reportOf(
  receiver: string,
  messages: readonly AffectedMessage[],
  traffic: Traffic,
  causes: Causes,
): ReceiverReport {
  const count = (wanted: AffectedMessage['effect']) => messages.filter(({ effect }) => effect === wanted).length;
  const sentAt = messages.map(({ fate }) => fate.sentAt);
  const arns = traffic.arnsOf(receiver);
  return {
    receiver,
    lost: count('lost'),
    leftBehind: count('leftBehind'),
    doubled: count('doubled'),
    delayed: count('delayed'),
    fromSeconds: Math.min(...sentAt),
    toSeconds: Math.max(...sentAt),
    causes: causes.of(
      messages.map(({ effect, fate }) => ({
        effect,
        token: fate.token,
        sentAtMs: sentAtMs(fate, traffic),
        arns,
      })),
    ),
  };
}

const sentAtMs = ({ sentAt }: Fate, { startMs }: Traffic): number => startMs + sentAt * 1000;

const LATE_SECONDS = 60;

/** The traffic of an update, and what is needed to judge it. */
interface UpdatedTraffic {
  /** By what was sent and when. */
  readonly fates: ReadonlyMap<string, Fate>;
  /** The receivers of one queue: another one may take the place of the first. */
  readonly groups: readonly ReadonlySet<string>[];
  readonly failure: string | undefined;
  /** How long the update took. */
  readonly seconds: number;
  /** Whether AWS gives up the delivery of a message to a receiver in the new version by itself. */
  readonly isGivenUp: (key: string, receiver: string) => boolean;
}

/** A message that the update affects at one receiver. */
interface AffectedMessage {
  readonly receiver: string;
  readonly effect: Effect;
  readonly fate: Fate;
}

type Fates = UpdatedTraffic['fates'];

/** Compares what became of each message with what becomes of it in both versions by themselves. */
function affectedMessages(old: Fates, next: Fates, updated: UpdatedTraffic): readonly AffectedMessage[] {
  return [...updated.fates].flatMap(([key, fate]) => {
    if (fate.refused !== undefined) return [];
    const [before, after] = [old.get(key), next.get(key)];
    return expected(key, before, after, updated).flatMap(receiver => {
      if (hasOtherReceiver(fate, receiver, before, updated)) return [];
      const effect = effectOn(fate, receiver, before, after, updated.groups);
      return effect ? [{ receiver, effect, fate }] : [];
    });
  });
}

const receiversOf = (fate: Fate | undefined): readonly string[] => [
  ...(fate?.received.keys() ?? []),
  ...(fate?.kept ?? []),
];

/**
 * Who must get a message: before the update the old receivers, after it the new ones, during it those of both versions. A new version
 * that tries to deliver to an old receiver and fails has not given up the receiver on purpose.
 */
function expected(key: string, before: Fate | undefined, after: Fate | undefined, updated: UpdatedTraffic) {
  const { failure, seconds, fates, isGivenUp } = updated;
  const sentAt = fates.get(key)?.sentAt ?? 0;
  const old = receiversOf(before);
  if (sentAt < 0 || failure !== undefined) return old;
  const next = [...receiversOf(after), ...old.filter(receiver => isGivenUp(key, receiver))];
  return sentAt >= seconds ? [...new Set(next)] : old.filter(receiver => next.includes(receiver));
}

/**
 * Whether a receiver of the new version has taken the place of the old one for a message that waited in their queue. A queue is one only
 * for a message that a queue would have in the end anyway.
 */
function hasOtherReceiver(fate: Fate, receiver: string, before: Fate | undefined, { groups }: UpdatedTraffic): boolean {
  if (fate.received.has(receiver)) return false;
  const now = before?.kept.has(receiver) ? receiversOf(fate) : [...fate.received.keys()];
  const others = now.filter(other => !receiversOf(before).includes(other));
  return groups.some(group => group.has(receiver) && others.some(other => group.has(other)));
}

function effectOn(
  fate: Fate,
  receiver: string,
  before: Fate | undefined,
  after: Fate | undefined,
  groups: UpdatedTraffic['groups'],
): Effect | undefined {
  const receipt = fate.received.get(receiver);
  const usual = [before, after].flatMap(it => it?.received.get(receiver) ?? []);
  if (!receipt) {
    if (fate.kept.has(receiver)) return undefined;
    const [old, next] = [receiversOf(before), receiversOf(after)];
    // A dead-letter queue of the receiver's own may be where the new version takes such a message.
    const isOwn = (queue: string) => groups.some(group => group.has(receiver) && group.has(queue));
    const isLeft = [...fate.kept].some(queue => !old.includes(queue) && (isOwn(queue) || !next.includes(queue)));
    return isLeft ? 'leftBehind' : 'lost';
  }
  if (usual.length > 0 && receipt.count > Math.max(...usual.map(({ count }) => count))) return 'doubled';
  const latest = Math.max(...usual.map(({ afterSeconds }) => afterSeconds));
  return usual.length > 0 && receipt.afterSeconds > latest + LATE_SECONDS ? 'delayed' : undefined;
}
