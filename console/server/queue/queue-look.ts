import { randomUUID } from 'node:crypto';
import { SQSClient } from '@aws-sdk/client-sqs';
import { applyCalls, areApplicable } from '../../../account/changes/apply-fix';
import { audited } from '../../../account/changes/audit-record';
import type { Connection } from '../../../account/connection/connection';
import type { ServerClock } from '../../../account/connection/server-clock';
import { BadInput } from '../../../account/errors';
import { gatherEvidence, seenMessage } from '../../../account/evidence/gather-evidence';
import type { Window } from '../../../account/evidence/logs';
import { eachMessage, type LookResult } from '../../../account/messages/each-message';
import type { HeldMessage } from '../../../account/messages/message-hold';
import { type NamedQueue, queueNamed } from '../../../account/messages/named-queue';
import { checkReceives } from '../../../account/messages/receive-guard';
import { Redaction } from '../../../account/redaction/redaction';
import type { Explanation } from '../../../diagnosis/causes/cause';
import { explain } from '../../../diagnosis/causes/explain';
import { type DecodedMessage, decodeMessage } from '../../../policy/messages/decode-message';
import { HOUR_MS } from '../../../policy/time-units';
import type { LookInput } from '../../api/queue';
import type { ConsoleContext } from '../context';

export interface SeenMessage {
  readonly held: HeldMessage;
  readonly decoded: DecodedMessage;
}

export interface QueueLook {
  readonly id: string;
  readonly queue: NamedQueue;
  readonly atMs: number;
  /** In the order in which they were first sent. */
  readonly messages: readonly SeenMessage[];
  readonly isRedacted: boolean;
  /** With hidden values. */
  readonly explanation: Explanation;
  readonly result: LookResult;
  readonly requests: number;
  readonly warnings: readonly string[];
  readonly unread: readonly string[];
}

/** Explains the same messages again, with what the account is now. */
type Explain = (aws: Connection) => Promise<{ readonly explanation: Explanation; readonly gaps: readonly string[] }>;

interface KeptLook {
  readonly look: QueueLook;
  /** Without hidden values: the calls of its fixes are made. */
  readonly explanation: Explanation;
  readonly explainAgain: Explain;
}

const MOST_LOOKS = 4;

/** Of the bodies of a look, in characters. */
const MOST_CHARACTERS = 64 * 1024 * 1024;

/** The looks that pages can still search in. */
export class QueueLooks {
  private readonly looks = new Map<string, KeptLook>();

  constructor(private readonly context: ConsoleContext) {}

  /** @throws BadInput when the look has been forgotten for newer ones, or was of an earlier process */
  find(id: string): QueueLook {
    return this.kept(id).look;
  }

  /**
   * Receives messages, gives them back, and explains them.
   * @throws BadInput when the queue does not exist, or receiving would move messages to another queue
   */
  async take(input: LookInput): Promise<QueueLook> {
    const kept = await this.context.source.alone('change', (aws, clock, sent) =>
      this.takeWith(aws, clock, sent, input),
    );
    this.looks.set(kept.look.id, kept);
    const [oldest] = this.looks.keys();
    if (oldest !== undefined && this.looks.size > MOST_LOOKS) this.looks.delete(oldest);
    return kept.look;
  }

  async applyFix(id: string, cause: string): Promise<void> {
    const { look, explanation, explainAgain } = this.kept(id);
    const { source, auditLogGroup, model } = this.context;
    const { calls = [] } = explanation.causes[Number(cause)]?.fix ?? {};
    if (!areApplicable(calls)) throw new BadInput(['this fix must be applied by hand']);
    model.forget();
    await source.alone('change', async (aws, { nowMs }) => {
      const now = await explainAgain(aws);
      const isSame = now.explanation.causes.some(({ fix }) => JSON.stringify(fix?.calls) === JSON.stringify(calls));
      if (!isSame) {
        throw new BadInput([
          'Nothing has been changed: the account is not as the look saw it. Look at the queue again.',
        ]);
      }
      const change = { command: 'console fix', resource: look.queue.arn, details: { calls } };
      const ports = { nowMs, newId: randomUUID, warn: (text: string) => aws.unread.note(text) };
      await audited(
        aws,
        auditLogGroup,
        change,
        ports,
        () => applyCalls(aws, calls),
        () => ({}),
      );
    });
    model.forget();
  }

  private kept(id: string): KeptLook {
    const kept = this.looks.get(id);
    if (kept) return kept;
    throw new BadInput(['The console has forgotten this look for newer ones: look at the queue again.']);
  }

  private async takeWith(aws: Connection, clock: ServerClock, sent: () => number, input: LookInput): Promise<KeptLook> {
    const { model, redact = [] } = this.context;
    const queue = await queueNamed(aws, input.queue);
    const warnings = checkReceives(queue, input.isForced);
    const atMs = clock.nowMs();
    const { received, result } = await receive(aws, clock, queue, input.messages);
    const redaction = new Redaction(redact);
    for (const message of received) redaction.observe(message);
    const sampled = received.map(seenMessage);
    const window: Window = { fromMs: atMs - input.sinceHours * HOUR_MS, toMs: clock.nowMs() };
    const explainAgain: Explain = async connection => {
      const { inventory } = await model.readStructure();
      const { evidence, gaps } = await gatherEvidence(connection, queue.arn, inventory, sampled, window);
      return { explanation: explain(evidence), gaps };
    };
    const { explanation, gaps } = await explainAgain(aws);
    const look = {
      id: randomUUID(),
      queue,
      atMs,
      messages: received
        .map(message => seenWith(redaction, message))
        .sort((one, other) => one.held.sentAtMs - other.held.sentAtMs),
      isRedacted: redaction.isOn,
      explanation: redaction.everywhere(explanation),
      result,
      requests: sent(),
      warnings,
      unread: redaction.everywhere(gaps),
    };
    return { look, explanation, explainAgain };
  }
}

function seenWith(redaction: Redaction, message: HeldMessage): SeenMessage {
  const held = redaction.everywhere(redaction.message(message));
  return { held, decoded: redaction.everywhere(decodeMessage(held)) };
}

async function receive(aws: Connection, clock: ServerClock, queue: NamedQueue, max: number) {
  const received: HeldMessage[] = [];
  let characters = 0;
  const { nowMs, wait, pollSeconds } = clock;
  const warn = (text: string) => aws.unread.note(text);
  const ports = { sqs: aws.client(SQSClient), queue, nowMs, wait, pollSeconds, warn };
  const options = { max, isOver: () => characters > MOST_CHARACTERS };
  const result = await eachMessage(ports, options, messages => {
    received.push(...messages);
    characters += messages.reduce((sum, { body }) => sum + body.length, 0);
  });
  return { received, result };
}
