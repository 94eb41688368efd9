import { expiryOf, type NamedQueue } from '../account/messages/named-queue';
import { awsCommand, type Site } from '../account/printed-commands';
import type { Finding } from '../diagnosis/checks/finding';
import type { Fix } from '../diagnosis/fixes/fix';
import { publishedCheck } from '../lib/shared/published-runbook';
import { isoInstant } from '../local';
import { parseArn } from '../policy/arn';
import type { DecodedMessage } from '../policy/messages/decode-message';
import type { QueueAttributes } from '../policy/messages/queue-attributes';
import type { MoveFacts, QueueDepth } from '../policy/redrive/redrive-facts';

/** A fix as `--json` prints it: without calls and commands where only a person can say how. */
export function fixDocument({ says, statement, calls = [] }: Fix, site: Site) {
  return { says, statement: statement ?? null, calls, commands: calls.map(call => awsCommand(call, site)) };
}

/** A finding as `--json` prints it; `null` is what an account, or a template, does not tell. */
export function findingDocument({ id, severity, resource, location, says, fix }: Finding, site: Site) {
  const { arn, name, place } = resource;
  return {
    id,
    severity,
    resource: name,
    arn,
    stack: place?.stack ?? null,
    logicalId: place?.logicalId ?? null,
    template: place?.templatePath ?? null,
    location: location ?? null,
    says,
    fix: fixDocument(fix, site),
    section: publishedCheck(id),
  };
}

/** A queue as `--json` names it, and its Region. */
export function queueDocument({ name, arn, url }: Pick<NamedQueue, 'name' | 'arn' | 'url'>) {
  return { region: parseArn(arn)?.region ?? null, queue: { name, arn, url } };
}

/** How many letters are in a queue, as `--json` prints it. */
export function depthsDocument({ visible, inFlight, delayed }: QueueDepth) {
  return { visible, inFlight, delayed };
}

/** A task of SQS that moves letters, as `--json` prints it; `null` is what SQS does not tell, or what is not there. */
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

/** An attribute as JSON has it: bytes in base64. */
export interface AttributeDocument {
  readonly type: string;
  readonly value?: string;
  readonly base64?: string;
}

export function attributesDocument(attributes: QueueAttributes): Readonly<Record<string, AttributeDocument>> {
  const entries = Object.entries(attributes).map(([name, { DataType: type, StringValue: value, BinaryValue }]) => {
    const base64 = BinaryValue && Buffer.from(BinaryValue).toString('base64');
    return [name, { type, ...(value !== undefined && { value }), ...(base64 !== undefined && { base64 }) }] as const;
  });
  return Object.fromEntries(entries);
}

/** A letter as `--json` prints it; `null` is what it does not have, or what is not known. */
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
