import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { StandardRetryStrategy } from '@smithy/core/retry';
import { CopyingCourier } from '../../../lambda/redrive/copying/copying-courier';
import type { Started, StartOrder } from '../../../lambda/redrive/ports';
import { ReplayingCourier } from '../../../lambda/redrive/replaying/replaying-courier';
import type { Courier } from '../../../lambda/redrive/stint/courier';
import { RESERVE_MS } from '../../../lambda/redrive/stint/guard';
import { type LetterBox, letterBox } from '../../../lambda/redrive/stint/letter-box';
import { runStint } from '../../../lambda/redrive/stint/stint';
import { STINT_CLIENT_CONFIG } from '../../../lambda/redrive/stint/stint-client';
import type { Letter } from '../../../lib/policy/letters/decoded-letter';
import type { HandPlan } from '../../../lib/policy/redrive-by-hand/hand-plan';
import type { ClientSettings, Connection } from '../../aws/connection';
import type { Match } from './filter';
import { handCourier } from './hand-courier';
import type { Stage, StageEnd, StagePorts } from './stage';

/** Our choice: how long letters that stay are hidden at most, before they are given back and met again. */
const STINT_MS = 15 * 60_000;

/**
 * So many letters of a queue may be in flight, of which some are left for others. Our choice of the rest.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
 */
const MOST_LEFT = 100_000;

const NOTHING_FOUND = 'in a quarter of an hour no letter was found that can go';

const ONE_ATTEMPT = 1;

/** A client that asks once: each attempt has its turn by the pace, and what had no answer may have been done. */
class OneAttemptSqs extends SQSClient {
  constructor(settings: ClientSettings) {
    super({ ...settings, ...STINT_CLIENT_CONFIG, retryStrategy: new StandardRetryStrategy(ONE_ATTEMPT) });
  }
}

/** The same of Lambda. */
class OneAttemptLambda extends LambdaClient {
  constructor(settings: ClientSettings) {
    super({ ...settings, ...STINT_CLIENT_CONFIG, retryStrategy: new StandardRetryStrategy(ONE_ATTEMPT) });
  }
}

/** Moves letters stage by stage, each of which receives, sends on and deletes. */
export class LetterMover {
  private readonly letters: LetterBox;
  private readonly courier: Courier;
  private readonly runStartedAtMs: number;
  private deadlineMs = 0;

  /** @param pollSeconds how long an empty queue is listened to */
  constructor(
    aws: Connection,
    private readonly plan: HandPlan,
    matches: ((letter: Letter) => Match) | undefined,
    pollSeconds: number,
    private readonly ports: StagePorts,
  ) {
    const { deadLetters, destination, form } = plan;
    const sqs = aws.client(OneAttemptSqs);
    const box = letterBox(sqs, deadLetters.url, ports.wait);
    this.letters = { ...box, receive: (most, waitSeconds) => box.receive(most, Math.min(waitSeconds, pollSeconds)) };
    const inner =
      destination.kind === 'queue'
        ? new CopyingCourier(sqs, destination)
        : new ReplayingCourier(aws.client(OneAttemptLambda), destination);
    this.courier = handCourier(inner, { form, ...(matches && { matches }) });
    this.runStartedAtMs = ports.nowMs();
  }

  /** An interrupt ends it after the letters in hand, and gives the others back. */
  async move(stage: Stage): Promise<StageEnd> {
    let moved = 0;
    for (;;) {
      const came = await this.stint(stage, moved);
      if (came.outcome !== 'stint') throw new Error(`the stint came to ${came.outcome}`);
      moved += came.moved;
      if (came.status !== 'PAUSED' || !this.isTimeOver) return this.endOf(came, stage, moved);
      if (came.moved === 0) return { ...this.endOf(came, stage, moved), reason: NOTHING_FOUND };
    }
  }

  private get isTimeOver(): boolean {
    return this.deadlineMs - this.ports.nowMs() < RESERVE_MS;
  }

  private stint({ messagesPerSecond, messages = Number.MAX_SAFE_INTEGER }: Stage, before: number): Promise<Started> {
    const { plan, ports, runStartedAtMs } = this;
    let moved = before;
    this.deadlineMs = ports.nowMs() + STINT_MS;
    const order: StartOrder = {
      decision: {
        kind: 'start',
        step: 0,
        carrier: plan.carrier,
        messagesPerSecond,
        messages: messages - before,
        reason: 'somebody asked for it',
      },
      facts: { ...UNASKED, nowMs: ports.nowMs(), deadLetters: plan.deadLetters.depth },
      runStartedAtMs,
      remainingMs: () => this.deadlineMs - ports.nowMs(),
      check: async () => (ports.isInterrupted() ? { cause: 'cancelled', reason: 'it was interrupted' } : undefined),
      checkEveryMs: 0,
      mostLeft: MOST_LEFT,
    };
    const tell = (_: number, { StintMoved = 0 }: { readonly StintMoved?: number }) => {
      moved += StintMoved;
      ports.progress(moved);
    };
    return runStint(this.courier, { letters: this.letters, nowMs: ports.nowMs, wait: ports.wait, tell }, order);
  }

  private endOf(came: Extract<Started, { outcome: 'stint' }>, { messages }: Stage, moved: number): StageEnd {
    const { status, reason, left } = came;
    const isDone = messages !== undefined && moved >= messages;
    const endings = {
      COMPLETED: isDone ? 'done' : 'empty',
      CANCELLED: 'interrupted',
      PAUSED: 'failed',
      FAILED: 'failed',
    } as const;
    return { moved, ending: endings[status], reason: inConnectionsWords(reason), ...(left && { left }) };
  }
}

/** What a stint by hand asks nobody for: it looks after nothing but the letters. */
const UNASKED = {
  trigger: 'operator',
  killSwitch: 'on',
  destination: undefined,
  moves: [],
  isMovesComplete: true,
  alarms: [],
  mappings: [],
} as const;

/** What the connection says of a failed call names the call already. */
function inConnectionsWords(reason: string): string {
  return reason.replace(/^\w+: [\w.]+: (?=[a-z]+:[A-Z]\w+ )/, '');
}
