import { hash } from 'node:crypto';
import type { RelayAttemptRecord } from '../../policy/messages/delivery-status';
import type { NotificationEnvelope } from '../../policy/messages/envelope';
import type { RelayStep } from '../../policy/relay/attempt-verdict';
import type { RelayMessage } from './message';
import type { Posted } from './ports';

/** What happened in one attempt. */
export interface AttemptFacts {
  readonly relayMessage: RelayMessage;
  readonly envelope: NotificationEnvelope;
  readonly destination: string;
  /** 0 for the initial attempt, then the number of the retry. */
  readonly attempt: number;
  readonly posted: Posted;
  /** What follows, if it failed. */
  readonly step: RelayStep | undefined;
  readonly beganAtMs: number;
  readonly latencyMs: number;
  readonly latenessMs: number;
}

/** SNS's format in records: `2019-11-05 18:33:46.123`. */
function recordTime(isoInstant: string): string {
  return isoInstant.replace('T', ' ').replace(/Z$/, '');
}

/** Time from the publication to the attempt; 0 if the envelope has no valid timestamp. */
function dwellTimeMs({ Timestamp }: NotificationEnvelope, atMs: number): number {
  const publishedAtMs = Timestamp.endsWith('Z') ? new Date(Timestamp).getTime() : Number.NaN;
  return Number.isNaN(publishedAtMs) ? 0 : Math.max(0, atMs - publishedAtMs);
}

/** Returns the log record of an attempt. */
export function attemptRecord(facts: AttemptFacts): RelayAttemptRecord {
  const { relayMessage, envelope, destination, attempt, posted, step, beganAtMs, latencyMs, latenessMs } = facts;
  const { verdict, statusCode, answer, cut, requests } = posted;
  return {
    notification: {
      messageMD5Sum: hash('md5', envelope.Message),
      messageId: envelope.MessageId,
      topicArn: envelope.TopicArn,
      timestamp: recordTime(envelope.Timestamp),
    },
    delivery: {
      deliveryId: relayMessage.messageId,
      destination,
      providerResponse: answer,
      dwellTimeMs: dwellTimeMs(envelope, beganAtMs),
      attempts: attempt + 1,
      ...(statusCode !== undefined && { statusCode }),
    },
    status: verdict.kind === 'delivered' ? 'SUCCESS' : 'FAILURE',
    relay: {
      verdict: verdict.kind,
      reason: verdict.reason,
      ...(cut !== undefined && { cut }),
      ...(requests > 1 && { requests }),
      receiveCount: relayMessage.receiveCount,
      ...(step?.kind === 'retry' && { nextRetryInSeconds: step.delaySeconds }),
      latencyMs,
      latenessMs,
    },
  };
}
