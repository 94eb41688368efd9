import type { Message } from '@aws-sdk/client-sqs';
import { isExpiring } from '../../lib/policy/relay/expiry';
import type { NowMs } from '../shared/clock';
import { BATCH } from '../shared/queue-messages';
import type { AskRelay } from './relay-call';
import type { RelayQueue } from './relay-queue';
import { sqsEvent } from './sqs-event';

/** A long poll as short as can be: it asks all servers of SQS, and does not wait where there are messages. */
const POLL_SECONDS = 1;

/** Our choice: what the relay needs to give up a batch, several times over, and then to put back what was not expiring. */
const RESERVE_MS = 60_000;

/** How far a drain goes. */
export interface DrainOrder {
  /** Messages the breaker has in its hands already. */
  readonly held: readonly Message[];
  /** Whether it goes through all that is visible, and not only as far as what it finds is expiring. */
  readonly isSweep: boolean;
  /** Until Lambda stops the function. */
  readonly remainingMs: () => number;
}

/** What came of a drain. */
export interface Drained {
  /** How many messages the relay gave up. */
  readonly givenUp: number;
  /** How many were put back, for they last longer. */
  readonly putBack: number;
  readonly ended: string;
}

export type Drain = (order: DrainOrder) => Promise<Drained>;

/** What a drain needs of the world. */
export interface DrainPorts {
  readonly queue: RelayQueue;
  readonly ask: AskRelay;
  readonly nowMs: NowMs;
  readonly queueArn: string;
  readonly retentionMs: number;
}

/** Has the relay give messages up, and answers how many it did, or why it did not. */
async function giveUp(messages: readonly Message[], { queue, ask, queueArn }: DrainPorts): Promise<number | string> {
  const asked = await ask({ ...sqsEvent(messages, queueArn), expiring: true });
  if ('broken' in asked) return asked.broken;
  const failed = new Set(asked.answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  const done = messages.filter(({ MessageId = '' }) => !failed.has(MessageId));
  await queue.remove(done);
  return done.length > 0 ? done.length : 'the dead-letter queue takes none';
}

/**
 * Has the relay give up, untried, what its queue would drop while the breaker is open: nothing of it comes near the endpoint.
 * What lasts longer is put back when the drain is over, and not before, so that it is not received again and again.
 */
export function draining(ports: DrainPorts): Drain {
  const { queue, nowMs, retentionMs } = ports;
  const isDue = ({ Attributes }: Message) => isExpiring(Number(Attributes?.SentTimestamp), nowMs(), retentionMs);
  const drain = async (
    { held, isSweep, remainingMs }: DrainOrder,
    spared: Message[],
  ): Promise<Omit<Drained, 'putBack'>> => {
    let givenUp = 0;
    for (let batch = held; ; ) {
      const due = batch.filter(isDue);
      if (batch !== held) spared.push(...batch.filter(message => !due.includes(message)));
      if (due.length > 0) {
        const came = await giveUp(due, ports);
        if (typeof came === 'string') return { givenUp, ended: came };
        givenUp += came;
      } else if (batch !== held && !isSweep) return { givenUp, ended: 'nothing more expires' };
      if (remainingMs() < RESERVE_MS) return { givenUp, ended: 'the time was over' };
      // Nothing comes back before the drain is over, however it ends.
      const hiddenSeconds = Math.ceil(remainingMs() / 1_000);
      batch = await queue.receive({ most: BATCH, waitSeconds: POLL_SECONDS, hiddenSeconds });
      if (batch.length === 0) return { givenUp, ended: 'no message is left' };
    }
  };
  return async order => {
    const spared: Message[] = [];
    try {
      const drained = await drain(order, spared);
      return { ...drained, putBack: spared.length };
    } finally {
      await queue.putBack(spared);
    }
  };
}
