import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { NowMs, Wait } from '../lambda/shared/clock';
import { type QuarantineCause, quarantineAttributes } from '../policy/redrive/quarantine';
import type { QueueName } from '../policy/redrive/redrive-settings';
import { withoutReplayMark } from '../policy/redrive/replay-mark';
import type { DeadLetter } from './dead-letter';
import { retryTransient } from './persistence';

/** What a quarantine takes. */
export interface QuarantinePorts {
  readonly client: SQSClient;
  readonly quarantine: QueueName;
  readonly deadLetters: QueueName;
  readonly nowMs: NowMs;
  readonly wait: Wait;
}

/** Puts a letter into the quarantine, with the reason. Rejects with what SQS answers. */
export type SendToQuarantine = (deadLetter: DeadLetter, cause: QuarantineCause, reason: string) => Promise<void>;

export function quarantineSender(ports: QuarantinePorts): SendToQuarantine {
  const { client, quarantine, deadLetters, nowMs, wait } = ports;
  return async ({ body, attributes, sentAtMs }, cause, reason) => {
    const facts = { cause, reason, sentAtMs, sourceArn: deadLetters.arn, quarantinedAtMs: nowMs() };
    const MessageBody = withoutReplayMark(body);
    const fitted = quarantineAttributes(facts, MessageBody, attributes);
    const command = new SendMessageCommand({
      QueueUrl: quarantine.url,
      MessageBody,
      MessageAttributes: { ...fitted.attributes },
    });
    await retryTransient(wait, () => client.send(command));
  };
}
