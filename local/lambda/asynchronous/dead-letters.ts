import { deliver, type GivenUp, type RetryPolicy } from '../../event-delivery';
import { type Caller, roleCaller } from '../../kernel/caller';
import { firstBytes } from '../../kernel/messaging';
import type { FunctionConfiguration } from '../function/function-configuration';
import type { Condition, LambdaContext } from '../ports';
import { type DestinationSender, destinationRecord, type Result } from './destinations';
import { type LastError, type QueuedEvent, THROTTLED } from './queued-event';

/**
 * A target that fails for a moment, or throttles, is tried again three times, after one, two and four seconds, as a client of
 * AWS would. AWS publishes no numbers: our choice.
 */
const RETRIES: RetryPolicy = { maximumRetryAttempts: 3, maximumEventAgeSeconds: 60 };

/** Something on its way to one target, and what is done in the end. */
interface Delivery {
  send(sender: Caller): void;
  delivered(): void;
  refused(why: GivenUp): void;
}

/** Called when a target has taken what it was sent, or will not. */
type Ended = (isKept: boolean) => void;

/**
 * Where an event goes in the end: to a destination when the function has processed it, and to whoever keeps dead letters
 * when nobody will try it again. It is lost if nobody does.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
 */
export class EventOutcomes {
  constructor(
    private readonly context: LambdaContext,
    private readonly destinations: DestinationSender,
  ) {}

  /** The function has processed the event; `payload` is what it answered. */
  succeeded(event: QueuedEvent, payload: string): void {
    const { onSuccessArn } = event.target.eventInvoke;
    if (onSuccessArn) this.sendRecord(onSuccessArn, event, { condition: 'Success', payload }, () => {});
  }

  /** Nobody will try the event again. */
  failed(event: QueuedEvent, condition: Condition): void {
    const { target, lastError = THROTTLED } = event;
    const { deadLetterTargetArn } = this.configuration(event);
    const { onFailureArn } = target.eventInvoke;
    let waiting = [deadLetterTargetArn, onFailureArn].filter(arn => arn !== undefined).length;
    if (waiting === 0) {
      this.recordLoss(event, condition, 'the function has no dead-letter queue and no on-failure destination');
      return;
    }
    let isKept = false;
    const ended: Ended = wasKept => {
      waiting -= 1;
      isKept ||= wasKept;
      if (waiting === 0 && !isKept) this.recordLoss(event, condition, 'no target took it');
    };
    if (deadLetterTargetArn) this.sendToDeadLetterTarget(deadLetterTargetArn, event, condition, ended);
    if (onFailureArn) this.sendRecord(onFailureArn, event, { condition, lastError }, ended);
  }

  private recordLoss({ requestId, failures, target }: QueuedEvent, condition: Condition, reason: string): void {
    const lost = { type: 'lambda.lost', functionArn: target.deployed.arn, requestId, condition } as const;
    this.context.trace.record({ ...lost, attempts: failures, reason });
  }

  private sendToDeadLetterTarget(targetArn: string, event: QueuedEvent, condition: Condition, ended: Ended): void {
    const { requestId, failures, target, lastError = THROTTLED } = event;
    const { trace } = this.context;
    const { body, attributes } = deadLetter(event, lastError);
    const about = { functionArn: target.deployed.arn, requestId, targetArn };
    this.deliver(event, {
      send: sender => this.destinations.sendDeadLetter(targetArn, sender, body, attributes),
      delivered: () => {
        trace.record({ type: 'lambda.dead-lettered', ...about, condition, attempts: failures });
        ended(true);
      },
      refused: ({ error: { code, message: reason } }) => {
        target.metrics.count('DeadLetterErrors');
        trace.record({ type: 'lambda.dead-letter-failed', ...about, code, reason });
        ended(false);
      },
    });
  }

  private sendRecord(destinationArn: string, event: QueuedEvent, result: Result, ended: Ended): void {
    const { requestId, target } = event;
    const { trace, timeline } = this.context;
    const record = destinationRecord(event, result, timeline.nowMs);
    const about = { functionArn: target.deployed.arn, requestId };
    this.deliver(event, {
      send: sender => this.destinations.sendRecord(destinationArn, sender, record),
      delivered: () => {
        const { condition } = result;
        trace.record({ type: 'lambda.destination-delivered', ...about, destinationArn, condition });
        ended(true);
      },
      refused: ({ error: { code, message: reason } }) => {
        target.metrics.count('DestinationDeliveryFailures');
        trace.record({ type: 'lambda.destination-failed', ...about, targetArn: destinationArn, code, reason });
        ended(false);
      },
    });
  }

  private deliver(event: QueuedEvent, { send, delivered, refused }: Delivery): void {
    const sender = this.sender(event);
    deliver(this.context.timeline, {
      policy: RETRIES,
      attempt: (_, latency) => send({ ...sender, latency }),
      delivered,
      attemptFailed: () => {},
      givenUp: refused,
    });
  }

  /** Lambda sends with the function's role, and as part of the chain of requests that led here. */
  private sender(event: QueuedEvent): Caller {
    return { ...roleCaller(this.configuration(event).roleArn), traceHeader: event.traceHeader };
  }

  /** Of the version that ran; where none did, or it is gone, of the function as it is now. */
  private configuration({ target: { deployed, qualifier }, executedVersion }: QueuedEvent): FunctionConfiguration {
    const alias = qualifier === undefined ? undefined : deployed.aliases.find(qualifier)?.functionVersion;
    const found = deployed.versions.find(executedVersion ?? alias ?? qualifier ?? '');
    return (found ?? deployed.versions.latest).configuration;
  }
}

/** An attribute of an SQS or SNS message; SNS and SQS spell it alike. */
interface Attribute {
  readonly DataType: 'String' | 'Number';
  readonly StringValue: string;
}

/** Bytes of the error message that go into a dead letter. */
const MESSAGE_BYTES = 1024;

/** What SQS and SNS take in no text: control characters, halves of characters, and two that are none. */
const INVALID_CHARACTERS = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/**
 * The message of an error as an attribute. AWS does not say what becomes of a character that cannot be in one, such as the
 * colours of a terminal; our choice is that it is replaced, rather than that the event is lost.
 */
function withoutInvalidCharacters(message: string): string {
  // SQS takes no empty attribute.
  return firstBytes(message.replace(INVALID_CHARACTERS, '\u{fffd}'), MESSAGE_BYTES) || ' ';
}

/**
 * A dead letter of Lambda: the event unchanged, with the reason beside it.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html#invocation-dlq
 */
export function deadLetter(
  { requestId, payload }: QueuedEvent,
  { statusCode, error }: LastError,
): { readonly body: string; readonly attributes: Readonly<Record<string, Attribute>> } {
  const attributes = {
    RequestID: { DataType: 'String', StringValue: requestId },
    ErrorCode: { DataType: 'Number', StringValue: String(statusCode) },
    ErrorMessage: { DataType: 'String', StringValue: withoutInvalidCharacters(error.errorMessage) },
  } as const;
  return { body: payload, attributes };
}
