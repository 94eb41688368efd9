import type { Finding } from '../../diagnosis/checks/finding';
import type { FindingGroup } from '../../diagnosis/checks/finding-groups';
import type { Fix } from '../../diagnosis/fixes/fix';
import type { QueueFeeder } from '../../diagnosis/inventory/feeders';
import { urgencyOf } from '../../diagnosis/inventory/queue-expiry';
import { publishedCheck } from '../../diagnosis/published-guides';
import { parseArn } from '../../policy/arn';
import { isoInstant } from '../../policy/instants';
import type { DecodedMessage } from '../../policy/messages/decode-message';
import type { MoveFacts, QueueDepth } from '../../policy/redrive/redrive-facts';
import { knownValue } from '../../template/maybe-known';
import type { AlarmReport } from '../alarm-reports';
import { attributesDocument } from '../archive/archive-format';
import { type ListedQueue, urgencyFactsOf } from '../inventory/dead-letter-queues';
import { GROWTH_MINUTES } from '../inventory/queue-history';
import { expiryOf, type NamedQueue } from '../messages/named-queue';
import { awsCommand, type Site } from '../printed-commands';
import { ownManifest } from './own-package';

/** A fix for `--json`. Without calls and commands when only a person can decide how. */
export function fixDocument({ says, statement, calls = [] }: Fix, site: Site) {
  return { says, statement: statement ?? null, calls, commands: calls.map(call => awsCommand(call, site)) };
}

function foundAt({ resource, location, says, fix }: Finding, site: Site) {
  const { arn, name, place } = resource;
  return {
    resource: name,
    arn,
    stack: place?.stack ?? null,
    logicalId: place?.logicalId ?? null,
    template: place?.templatePath ?? null,
    location: location ?? null,
    says,
    fix: fixDocument(fix, site),
  };
}

/** A finding for `--json`. `null` is unknown in an account, or in a template. */
function findingDocument(finding: Finding, site: Site) {
  const { id, severity } = finding;
  return { id, severity, ...foundAt(finding, site), section: publishedCheck(ownManifest(), id) };
}

/**
 * Findings that say the same about different resources, for `--json`: `…` stands for the names in which they differ.
 * @param more members for each finding
 */
export function findingGroupDocument(
  { id, severity, says, fix, statement, findings }: FindingGroup,
  site: Site,
  more: (finding: Finding) => object = () => ({}),
) {
  return {
    id,
    severity,
    says,
    fix: { says: fix, statement: statement ?? null },
    section: publishedCheck(ownManifest(), id),
    resources: findings.map(({ finding, others }) => ({ ...foundAt(finding, site), others, ...more(finding) })),
  };
}

/** A queue and its Region for `--json`. */
export function queueDocument({ name, arn, url }: Pick<NamedQueue, 'name' | 'arn' | 'url'>) {
  return { region: parseArn(arn)?.region ?? null, queue: { name, arn, url } };
}

/** The number of messages in a queue for `--json`. */
export function depthsDocument({ visible, inFlight, delayed }: QueueDepth) {
  return { visible, inFlight, delayed };
}

/** A move task for `--json`. `null` is unknown, or does not exist. */
export function taskDocument({ status, startedAtMs, moved, handle, ...rest }: MoveFacts) {
  const { toMove, destinationArn, messagesPerSecond, failureReason } = rest;
  return {
    startedAt: isoInstant(startedAtMs),
    status,
    moved,
    toMove: toMove ?? null,
    destinationArn: destinationArn ?? null,
    messagesPerSecond: messagesPerSecond ?? null,
    failureReason: failureReason ?? null,
    isRunning: handle !== undefined,
  };
}

/** A message for `--json`. `null` is unknown, or does not exist. */
export function messageDocument({ message, who, before, payload }: DecodedMessage, queue: NamedQueue) {
  const { atMs, mayBeLater } = expiryOf(message, queue);
  return {
    messageId: message.messageId,
    sentAt: isoInstant(message.sentAtMs),
    firstReceivedAt: isoInstant(message.firstReceivedAtMs),
    receiveCount: message.receiveCount,
    expiresAt: isoInstant(atMs),
    mayExpireLater: mayBeLater,
    groupId: message.groupId ?? null,
    deduplicationId: message.deduplicationId ?? null,
    sequenceNumber: message.sequenceNumber ?? null,
    movedFromArn: message.movedFromArn ?? null,
    traceHeader: message.traceHeader ?? null,
    who,
    before,
    attributes: attributesDocument(message.attributes),
    payload,
    body: message.body,
  };
}

/** An alarm for `--json`. */
export interface AlarmDocument {
  readonly name: string;
  readonly state: string;
  readonly since: string;
  readonly description: string;
}

export function alarmDocument({ name, state, sinceMs, description }: AlarmReport): AlarmDocument {
  return { name, state, since: isoInstant(sinceMs), description };
}

/** A feeder for `--json`. */
function feederDocument({ kind, resource, via, qualifier }: QueueFeeder) {
  return { kind, name: resource.name, arn: resource.arn, via, qualifier: qualifier ?? null };
}

/** A dead-letter queue for `--json`. `null` is unknown, or does not exist. */
export function listedDocument(listed: ListedQueue, site: Site, nowMs: number) {
  const { arn, name, queue, location, depth, heldSinceMs, growth, expiry, ...rest } = listed;
  return {
    name,
    arn,
    url: queue?.url ?? null,
    isFifo: name.endsWith('.fifo'),
    location: location.kind,
    retentionSeconds: (queue && knownValue(queue.retentionSeconds)) ?? null,
    depths: depth ? depthsDocument(depth) : null,
    urgency: urgencyOf(urgencyFactsOf(listed), nowMs),
    growth: growth === undefined ? null : { messages: growth, minutes: GROWTH_MINUTES },
    oldestSince: heldSinceMs === undefined ? null : isoInstant(heldSinceMs),
    firstExpires: expiry ? { earliest: isoInstant(expiry.earliestMs), latest: isoInstant(expiry.latestMs) } : null,
    feeders: rest.feeders.map(feederDocument),
    tasks: knownValue(rest.moves)?.map(taskDocument) ?? null,
    findings: rest.findings.map(it => findingDocument(it, site)),
  };
}
