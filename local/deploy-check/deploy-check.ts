import { readAssembly, StackFailed } from '../cloudformation';
import { LocalAws } from '../facade/local-aws';
import type { LocalAwsOptions, SynthesizedAssembly, TimeSpan } from '../facade/options';
import { type DeployRisk, staticRisks } from './static-check';
import { type Fate, Traffic } from './traffic';

export interface DeployCheckOptions extends Pick<LocalAwsOptions, 'seed' | 'parameters' | 'place'> {
  /** How long CloudFormation takes for one resource. @default 10 seconds */
  readonly operationTime?: TimeSpan;
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
  /** The receivers whose messages are affected. */
  readonly receivers: readonly ReceiverReport[];
  /** What the templates alone show. */
  readonly risks: readonly DeployRisk[];
  /** Whether the update succeeds, and the simulation lost no message. */
  readonly isSafe: boolean;
  /** Whether the templates alone show no risk. */
  readonly isStaticallySafe: boolean;
}

type AssemblyLike = string | SynthesizedAssembly;

const LATE_SECONDS = 60;

/**
 * Says what a deployment does to messages: plays traffic through the old version while it is updated to the new one, and
 * compares what became of each message with both versions by themselves. Functions that receive messages are replaced by
 * handlers that take two seconds, so nothing depends on what the app calls. Of receivers outside of the stacks, HTTP
 * endpoints answer 200, and consumers of queues receive every 30 seconds.
 *
 * ```ts
 * const { receivers } = await deployCheck('cdk.out.deployed', 'cdk.out');
 * expect(receivers).toEqual([]);
 * ```
 *
 * @throws AssemblyError when one of the assemblies cannot be deployed
 */
export async function deployCheck(
  before: AssemblyLike,
  after: AssemblyLike,
  { operationTime, ...options }: DeployCheckOptions = {},
): Promise<DeployCheck> {
  const old = await played(before, options, async () => undefined);
  const next = await played(after, options, async () => undefined);
  let risks: readonly DeployRisk[] = [];
  const updated = await played(before, options, async aws => {
    risks = risksOf(aws, after);
    try {
      await aws.update(after, {
        ...(operationTime && { operationTime }),
        ...(options.parameters && { parameters: options.parameters }),
      });
      return undefined;
    } catch (error) {
      if (error instanceof StackFailed) return error.message;
      throw error;
    }
  });
  const receivers = compare(old.fates, next.fates, updated);
  const failure = updated.failure;
  return {
    failure,
    updateSeconds: updated.seconds,
    sent: updated.fates.size,
    refused: [...updated.fates.values()].filter(({ refused }) => refused !== undefined).length,
    receivers,
    risks,
    isSafe: failure === undefined && receivers.every(({ lost }) => lost === 0),
    isStaticallySafe: risks.every(({ severity }) => severity === 'note'),
  };
}

interface Played {
  readonly fates: ReadonlyMap<string, Fate>;
  /** The receivers of one queue: another one may take the place of the first. */
  readonly groups: readonly ReadonlySet<string>[];
  readonly failure: string | undefined;
  readonly seconds: number;
}

async function played(
  assembly: AssemblyLike,
  options: LocalAwsOptions,
  during: (aws: LocalAws) => Promise<string | undefined>,
): Promise<Played> {
  const aws = await LocalAws.deploy(assembly, { standIns: 'warn', ...options });
  try {
    const traffic = new Traffic(aws);
    await traffic.warmUp();
    const failure = await during(aws);
    const seconds = traffic.now;
    await traffic.finish();
    return { fates: traffic.fates, groups: [...traffic.groups.values()], failure, seconds };
  } finally {
    await aws.close();
  }
}

function risksOf(aws: LocalAws, after: AssemblyLike): readonly DeployRisk[] {
  const { stacks } = readAssembly(typeof after === 'string' ? after : after.directory);
  return stacks.flatMap(stack => {
    const { changes = [], live = [] } = aws.services.cloudFormation.predict(stack) ?? {};
    return staticRisks(stack.name, changes, live);
  });
}

type Effect = 'lost' | 'leftBehind' | 'doubled' | 'delayed';

function compare(
  old: ReadonlyMap<string, Fate>,
  next: ReadonlyMap<string, Fate>,
  updated: Played,
): readonly ReceiverReport[] {
  const reports = new Map<string, Record<Effect, number> & { from: number; to: number }>();
  const note = (receiver: string, effect: Effect, { sentAt }: Fate): void => {
    const none = { lost: 0, leftBehind: 0, doubled: 0, delayed: 0, from: sentAt, to: sentAt };
    const report = reports.get(receiver) ?? none;
    report[effect] += 1;
    report.from = Math.min(report.from, sentAt);
    report.to = Math.max(report.to, sentAt);
    reports.set(receiver, report);
  };
  for (const [key, fate] of updated.fates) {
    const [before, after] = [old.get(key), next.get(key)];
    if (fate.refused !== undefined) continue;
    for (const receiver of expected(fate, before, after, updated)) {
      const effect = hasOtherReceiver(fate, receiver, before, updated)
        ? undefined
        : effectOn(fate, receiver, before, after);
      if (effect) note(receiver, effect, fate);
    }
  }
  return [...reports].map(([receiver, { from, to, ...counts }]) => ({
    receiver,
    ...counts,
    fromSeconds: from,
    toSeconds: to,
  }));
}

const receiversOf = (fate: Fate | undefined): readonly string[] => [
  ...(fate?.received.keys() ?? []),
  ...(fate?.kept ?? []),
];

/** Who must get a message: before the update the old receivers, after it the new ones, during it those of both versions. */
function expected(fate: Fate, before: Fate | undefined, after: Fate | undefined, { failure, seconds }: Played) {
  const [old, next] = [receiversOf(before), failure === undefined ? receiversOf(after) : receiversOf(before)];
  if (fate.sentAt < 0) return old;
  if (fate.sentAt >= seconds) return next;
  return old.filter(receiver => next.includes(receiver));
}

/** Whether a receiver of the new version has taken the place of the old one for a message that waited in their queue. */
function hasOtherReceiver(fate: Fate, receiver: string, before: Fate | undefined, { groups }: Played): boolean {
  if (fate.received.has(receiver)) return false;
  const others = receiversOf(fate).filter(other => !receiversOf(before).includes(other));
  return groups.some(group => group.has(receiver) && others.some(other => group.has(other)));
}

function effectOn(fate: Fate, receiver: string, before: Fate | undefined, after: Fate | undefined): Effect | undefined {
  const receipt = fate.received.get(receiver);
  const usual = [before, after].flatMap(it => it?.received.get(receiver) ?? []);
  if (!receipt) {
    if (fate.kept.has(receiver)) return undefined;
    const usually = [...receiversOf(before), ...receiversOf(after)];
    return [...fate.kept].some(queue => !usually.includes(queue)) ? 'leftBehind' : 'lost';
  }
  if (usual.length > 0 && receipt.count > Math.max(...usual.map(({ count }) => count))) return 'doubled';
  const latest = Math.max(...usual.map(({ afterSeconds }) => afterSeconds));
  return usual.length > 0 && receipt.afterSeconds > latest + LATE_SECONDS ? 'delayed' : undefined;
}
