import { SQSClient } from '@aws-sdk/client-sqs';
import type { Connection } from '../../account/connection/connection';
import {
  depthsIn,
  eachMessage,
  type LookEnd,
  type LookOptions,
  type LookResult,
  type MessagePorts,
  type Remover,
} from '../../account/messages/each-message';
import type { HeldMessage } from '../../account/messages/message-hold';
import type { NamedQueue } from '../../account/messages/named-queue';
import type { CommandContext } from '../shared/command-line';
import { type Io, interruptOf } from '../shared/io';
import { warn } from '../shared/print';
import { cleared, type Progress, progressOn } from '../shared/progress';

/**
 * Looks at the messages of a queue with a progress bar, until Ctrl-C at the latest.
 *
 * @param what what is counted, for the progress bar: `messages received`
 * @param max how many messages at most. @default - all
 */
export function lookAtMessages(
  aws: Connection,
  queue: NamedQueue,
  context: CommandContext,
  { what, max = Number.POSITIVE_INFINITY }: { readonly what: string; readonly max?: number },
  visit: (messages: readonly HeldMessage[], remover: Remover, ports: MessagePorts) => Promise<void> | void,
): Promise<LookResult> {
  const { io, nowMs } = context;
  const total = Math.min(max, depthsIn(queue.attributes).visible);
  const progress = lookProgress(io, what, total, nowMs);
  const { interrupt = interruptOf(io) } = context;
  const options = { max, isOver: () => interrupt.isAsked, progress: progress.at };
  const ports = messagePorts(aws, queue, context, progress.clear);
  return cleared(progress, () => eachMessage(ports, options, (received, remover) => visit(received, remover, ports)));
}

const CUT_SHORT: Readonly<Partial<Record<LookEnd, string>>> = {
  interrupted: 'Interrupted',
  'too-many-in-flight': 'SQS returns no more messages while so many are in flight',
};

/** Why a look ended early, as the beginning of a sentence. Undefined when it did not. */
export function cutShortText(end: LookEnd): string | undefined {
  return CUT_SHORT[end];
}

interface LookProgress {
  readonly at: NonNullable<LookOptions['progress']>;
  clear(): void;
}

function lookProgress(io: Io, received: string, total: number, nowMs: () => number): LookProgress {
  let current: { readonly what: string; readonly progress: Progress } | undefined;
  return {
    at: (what, count, max = total) => {
      // Giving messages back has a speed of its own.
      if (current?.what !== what) {
        const facts = { what: what === 'received' ? received : 'messages given back', total: max };
        current = { what, progress: progressOn(io.stderr, facts, nowMs) };
      }
      current.progress.at(count);
    },
    clear: () => current?.progress.clear(),
  };
}

/** @param clear removes the progress bar before a warning is printed */
function messagePorts(aws: Connection, queue: NamedQueue, context: CommandContext, clear: () => void): MessagePorts {
  const { io, nowMs, wait, pollSeconds = 1 } = context;
  const say = (text: string) => {
    clear();
    warn(io, [text]);
  };
  return { sqs: aws.client(SQSClient), queue, nowMs, wait, pollSeconds, warn: say };
}
