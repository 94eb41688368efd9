import { type ListedQueue, messagesOf, urgencyFactsOf } from '../../../account/inventory/dead-letter-queues';
import { ARRIVAL_MINUTES, GROWTH_MINUTES } from '../../../account/inventory/queue-history';
import type { AlarmFacts } from '../../../diagnosis/inventory/inventory';
import { urgencyOf } from '../../../diagnosis/inventory/queue-expiry';
import { shortenedText, shortNames } from '../../../diagnosis/inventory/short-names';
import { lastPart, parseArn } from '../../../policy/arn';
import { totalOf } from '../../../policy/redrive/budget';
import { knownValue } from '../../../template/maybe-known';
import type { DeadLetterRow, DeadLettersDocument, GroupAttention, LevelsDocument, MapDocument } from '../../api';
import type { Levels } from './account-model';
import { worstOf } from './map-document';

function feederText({ kind, resource }: ListedQueue['feeders'][number]): string {
  return `${kind} ${shortenedText(resource.name)}`;
}

function rowOf(queue: ListedQueue, shortName: string, { readAtMs, arrivals }: Levels): DeadLetterRow {
  const { arn, name, location, depth, growth, heldSinceMs, expiry, feeders, moves, findings } = queue;
  return {
    arn,
    name,
    shortName,
    location: location.kind,
    depths: depth ?? null,
    urgency: urgencyOf(urgencyFactsOf(queue), readAtMs),
    growth: growth ?? null,
    oldestSinceMs: heldSinceMs ?? null,
    expiresEarliestMs: expiry?.earliestMs ?? null,
    expiresLatestMs: expiry?.latestMs ?? null,
    feeders: feeders.map(feederText),
    isMoving: (knownValue(moves) ?? []).length > 0,
    worst: worstOf(findings),
    findings: findings.length,
    arrivals: messagesOf(queue) > 0 ? (arrivals.get(name) ?? []) : [],
  };
}

/** The dead-letter queues by urgency. */
export function deadLettersDocument(levels: Levels): DeadLettersDocument {
  const { queues } = levels.list;
  const short = shortNames(queues.map(({ name }) => name));
  return {
    growthMinutes: GROWTH_MINUTES,
    arrivalMinutes: ARRIVAL_MINUTES,
    queues: queues.map(queue => rowOf(queue, short.get(queue.name) ?? queue.name, levels)),
  };
}

/** The services of CloudWatch's namespaces, for the nodes that alarms watch. */
const NAMESPACES: Readonly<Record<string, string>> = {
  'AWS/SQS': 'sqs',
  'AWS/SNS': 'sns',
  'AWS/Lambda': 'lambda',
  'AWS/Events': 'events',
};

/** A name of a metric's dimension, and the service. */
function watchedNames({ metrics }: AlarmFacts): readonly string[] {
  return metrics.flatMap(({ namespace, dimensions }) =>
    Object.values(dimensions).map(value => `${NAMESPACES[namespace] ?? ''} ${knownValue(value) ?? ''}`),
  );
}

/** Severities of what loses messages now. */
const LOSING: readonly (string | null)[] = ['rejected', 'loses'];

/** Sorts the groups: those with dead letters by the urgency of their queues, then those with alarms, with losses, and the others. */
function attentionOf(
  map: MapDocument,
  depths: Levels['depths'],
  firing: Readonly<Record<string, readonly string[]>>,
  urgency: ReadonlyMap<string, number>,
): readonly GroupAttention[] {
  const ranked = map.groups.map(({ id, nodes }) => {
    const holding = nodes.filter(it => it.kind === 'dead-letter-queue' && totalOf(depths.get(it.id) ?? EMPTY) > 0);
    const isLosing = nodes.some(
      it => LOSING.includes(it.worst) || it.marks.some(mark => LOSING.includes(mark.severity)),
    );
    const needs: GroupAttention['needs'] =
      holding.length > 0 ? 'dead-letters' : nodes.some(it => firing[it.id]) ? 'alarm' : isLosing ? 'losses' : null;
    const first = Math.min(...holding.map(it => urgency.get(it.id) ?? urgency.size));
    return { id, needs, rank: NEEDS.indexOf(needs), first, size: nodes.length };
  });
  ranked.sort(
    (one, other) => one.rank - other.rank || (one.rank === 0 ? one.first - other.first : other.size - one.size),
  );
  return ranked.map(({ id, needs }) => ({ id, needs }));
}

const NEEDS: readonly GroupAttention['needs'][] = ['dead-letters', 'alarm', 'losses', null];

const EMPTY = { visible: 0, inFlight: 0, delayed: 0 };

export function levelsDocument({ depths, alarms, list }: Levels, map: MapDocument): LevelsDocument {
  const nodes = map.groups.flatMap(it => it.nodes);
  const byName = new Map(nodes.map(({ id }) => [`${parseArn(id)?.service ?? ''} ${lastPart(id)}`, id]));
  const firing: Record<string, string[]> = {};
  const otherAlarms: string[] = [];
  for (const alarm of alarms.filter(({ state }) => state === 'ALARM')) {
    const watched = [...new Set(watchedNames(alarm).flatMap(name => byName.get(name) ?? []))];
    for (const id of watched) {
      firing[id] ??= [];
      firing[id].push(alarm.name);
    }
    if (watched.length === 0) otherAlarms.push(alarm.name);
  }
  const groups = attentionOf(map, depths, firing, new Map(list.queues.map(({ arn }, at) => [arn, at])));
  const numbers = [...depths].map(([arn, { visible, inFlight, delayed }]) => [arn, { visible, inFlight, delayed }]);
  return { depths: Object.fromEntries(numbers), alarms: firing, otherAlarms, groups };
}
