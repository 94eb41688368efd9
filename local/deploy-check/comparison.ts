import type { Effect } from './causes';
import type { Fate } from './traffic';

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
export interface AffectedMessage {
  readonly receiver: string;
  readonly effect: Effect;
  readonly fate: Fate;
}

type Fates = UpdatedTraffic['fates'];

/** Compares what became of each message with what becomes of it in both versions by themselves. */
export function affectedMessages(old: Fates, next: Fates, updated: UpdatedTraffic): readonly AffectedMessage[] {
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
