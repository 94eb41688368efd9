import { hash } from 'node:crypto';
import type { StatusRecord } from '../../policy/messages/delivery-status';
import type { NotificationEnvelope } from '../../policy/messages/envelope';
import type { RelayStep } from '../../policy/relay/attempt-verdict';
import type { RelayMessage } from './message';
import type { Posted } from './ports';

/** What happened in one attempt. */
export interface AttemptFacts {
  readonly relayMessage: RelayMessage;
  readonly envelope: NotificationEnvelope;
  readonly destination: string;
  /** 0 for the initial attempt, else the number of the retry. */
  readonly attempt: number;
  readonly posted: Posted;
  /** What follows, if it failed. */
  readonly step: RelayStep | undefined;
  readonly beganAtMs: number;
  readonly latencyMs: number;
  readonly latenessMs: number;
}

/** A record in the shape of SNS's delivery-status logging, but one an attempt, with what only a relay knows. */
export interface AttemptRecord extends StatusRecord {
  readonly relay: {
    readonly verdict: Posted['verdict']['kind'];
    readonly reason: string;
    /** Why the answer's body is not whole; absent where it is. */
    readonly cut?: string;
    /** Where it took more than one. */
    readonly requests?: number;
    readonly receiveCount: number;
    /** 0 where it is made at once; absent where there is none. */
    readonly nextRetryInSeconds?: number;
    readonly latencyMs: number;
    readonly latenessMs: number;
  };
}

/** As SNS writes it into records: `2019-11-05 18:33:46.123`. */
function recordTime(isoInstant: string): string {
  return isoInstant.replace('T', ' ').replace(/Z$/, '');
}

/** From the publication to the attempt; 0 where the envelope has no time that can be read. */
function dwellTimeMs({ Timestamp }: NotificationEnvelope, atMs: number): number {
  const publishedAtMs = Timestamp.endsWith('Z') ? new Date(Timestamp).getTime() : Number.NaN;
  return Number.isNaN(publishedAtMs) ? 0 : Math.max(0, atMs - publishedAtMs);
}

/** The line an attempt leaves in the log. */
export function attemptRecord(facts: AttemptFacts): AttemptRecord {
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
