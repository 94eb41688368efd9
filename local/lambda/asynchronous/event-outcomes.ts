import { deliver, type GivenUp, type RetryPolicy } from '../../event-delivery/delivery';
import { type Caller, sessionCaller } from '../../kernel/caller';
import { firstBytes } from '../../kernel/messaging';
import type { FunctionConfiguration } from '../function/function-configuration';
import type { Condition, LambdaContext } from '../trace-events';
import { type DestinationSender, destinationRecord, type Result } from './destinations';
import { type LastError, type QueuedEvent, THROTTLED } from './queued-event';

/**
 * A target that fails temporarily or throttles is retried three times, after one, two and four seconds.
 *
 * **Assumption LAMBDA-4:** AWS does not publish these numbers.
 */
const RETRIES: RetryPolicy = { maximumRetryAttempts: 3, maximumEventAgeSeconds: 60 };

interface Delivery {
  send(sender: Caller): void;
  delivered(): void;
  rejected(why: GivenUp): void;
}

/** Called when a target has accepted or finally rejected the delivery. */
type OnEnd = (isKept: boolean) => void;

/**
 * Sends the outcome of an event. A processed event goes to the on-success destination. A failed event goes to the
 * dead-letter target and the on-failure destination; if there is neither, or neither accepts it, the event is lost.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
 */
export class EventOutcomes {
  constructor(
    private readonly context: LambdaContext,
    private readonly destinations: DestinationSender,
  ) {}

  /** Handles an event that the function has processed. `payload` is the function's response. */
  succeeded(event: QueuedEvent, payload: string): void {
    const { onSuccessArn } = event.target.eventInvoke;
    if (onSuccessArn) this.sendRecord(onSuccessArn, event, { condition: 'Success', payload }, () => {});
  }

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
    const ended: OnEnd = wasKept => {
      waiting -= 1;
      isKept ||= wasKept;
      if (waiting === 0 && !isKept) this.recordLoss(event, condition, 'every target rejected it');
    };
    if (deadLetterTargetArn) this.sendToDeadLetterTarget(deadLetterTargetArn, event, condition, ended);
    if (onFailureArn) this.sendRecord(onFailureArn, event, { condition, lastError }, ended);
  }

  private recordLoss({ requestId, failures, target }: QueuedEvent, condition: Condition, reason: string): void {
    const lost = { type: 'lambda.lost', functionArn: target.deployed.arn, requestId, condition } as const;
    this.context.trace.record({ ...lost, attempts: failures, reason });
  }

  private sendToDeadLetterTarget(targetArn: string, event: QueuedEvent, condition: Condition, ended: OnEnd): void {
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
      rejected: ({ error: { code, message: reason } }) => {
        target.metrics.count('DeadLetterErrors');
        trace.record({ type: 'lambda.dead-letter-failed', ...about, code, reason });
        ended(false);
      },
    });
  }

  private sendRecord(destinationArn: string, event: QueuedEvent, result: Result, ended: OnEnd): void {
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
      rejected: ({ error: { code, message: reason } }) => {
        target.metrics.count('DestinationDeliveryFailures');
        trace.record({ type: 'lambda.destination-failed', ...about, targetArn: destinationArn, code, reason });
        ended(false);
      },
    });
  }

  private deliver(event: QueuedEvent, { send, delivered, rejected: refused }: Delivery): void {
    const sender = this.sender(event);
    deliver(this.context.timeline, {
      policy: RETRIES,
      attempt: (_, latency) => send({ ...sender, latency }),
      delivered,
      attemptFailed: () => {},
      givenUp: refused,
    });
  }

  /**
   * Lambda sends with the function's role, in a session that has the function's name, and continues the event's chain of
   * requests. Recorded on AWS: the `SenderId`s of two functions with the same role differ.
   */
  private sender(event: QueuedEvent): Caller {
    const { roleArn, functionName } = this.configuration(event);
    return { ...sessionCaller(roleArn, functionName), traceHeader: event.traceHeader };
  }

  /** The configuration of the version that ran; if none ran or it has been deleted, the current one of the function. */
  private configuration({ target: { deployed, qualifier }, executedVersion }: QueuedEvent): FunctionConfiguration {
    const alias = qualifier === undefined ? undefined : deployed.aliases.find(qualifier)?.functionVersion;
    const found = deployed.versions.find(executedVersion ?? alias ?? qualifier ?? '');
    return (found ?? deployed.versions.latest).configuration;
  }
}

/** An attribute of an SQS or SNS message, which both spell alike. */
interface Attribute {
  readonly DataType: 'String' | 'Number';
  readonly StringValue: string;
}

/** The maximum size of the error message in a dead-letter message, in bytes. */
const MESSAGE_BYTES = 1024;

/** The characters that SQS and SNS reject in text: control characters, lone surrogates, U+FFFE and U+FFFF. */
const INVALID_CHARACTERS = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/**
 * Converts an error message to an attribute value.
 *
 * **Assumption LAMBDA-5:** AWS does not publish what happens to a character that an attribute cannot contain, such as a
 * terminal's color codes. Here it is replaced, so that the event is not lost.
 */
function withoutInvalidCharacters(message: string): string {
  // SQS rejects an empty attribute.
  return firstBytes(message.replace(INVALID_CHARACTERS, '\u{fffd}'), MESSAGE_BYTES) || ' ';
}

/**
 * Builds Lambda's dead-letter message: the unchanged event, with the reason in the attributes.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html#invocation-dlq
 */
function deadLetter(
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
