import { DEFAULT_RETRY_POLICY, type RetryPolicy } from '../../../policy/delivery-policy/delivery-policy';
import type { DeliveryServices } from '../delivery/delivery-services';
import { type Dimensions, phoneDimensions, pushDimensions, type SnsCount } from '../delivery/metrics';
import { type FinishedAttempt, type RetriedDelivery, RetryLoop } from '../delivery/retry-loop';
import { type LogSettings, statusRecord, textMessageRecord } from '../delivery/status-log';
import type { MessageAttributes } from '../publish/message';
import type { Receipt } from '../transports/recorded-transport';
import { type AttemptEnd, answerOf } from '../transports/transport';
import { type PlatformEndpoint, platformNames } from './platform-applications';
import type { TextMessage } from './text-messages';

/** The log group of text messages published directly to a phone number. */
const PHONE_LOG_GROUP = 'DirectPublishToPhoneNumber';

/**
 * Delivers a message published directly to one device or phone, by the customer-managed retry policy. There is no
 * dead-letter queue: only a subscription can have one.
 */
export class DirectDelivery implements RetriedDelivery {
  readonly protocol: 'application' | 'sms';
  /** Not used: the customer-managed policy governs devices and phones. */
  readonly healthyRetryPolicy: RetryPolicy = DEFAULT_RETRY_POLICY;
  private readonly address: string;
  private readonly dimensions: readonly Dimensions[];

  constructor(
    private readonly services: DeliveryServices,
    private readonly message: DirectMessage,
  ) {
    const { target } = message;
    this.protocol = target.protocol;
    this.address = addressOf(target);
    this.dimensions =
      target.protocol === 'sms'
        ? phoneDimensions(this.address, target.textMessage, true)
        : pushDimensions(this.address);
  }

  /** Records the publication, and makes the first attempt as new work at the current instant. */
  start(sizeBytes: number): void {
    const { timeline, trace } = this.services.context;
    trace.record({ type: 'sns.direct-published', ...this.names, sizeBytes });
    this.count('NumberOfMessagesPublished');
    const loop = new RetryLoop(timeline, this.services.jitter, this);
    timeline.after(0, () => loop.proceed());
  }

  attempt(report: (end: AttemptEnd) => void): void {
    const destination = { endpoint: this.address, subscriptionRoleArn: undefined };
    report(this.services.direct[this.protocol].offer(destination, () => this.receipt()));
  }

  finished(finished: FinishedAttempt): void {
    const { attempt, step, end } = finished;
    const { trace } = this.services.context;
    trace.record({
      type: 'sns.direct-attempt',
      ...this.names,
      attempt,
      outcome: step.kind,
      reason: step.reason,
      ...(step.kind === 'retry' && { delaySeconds: step.delaySeconds }),
    });
    if (step.kind === 'retry') return;
    const succeeded = step.kind === 'delivered';
    this.count(succeeded ? 'NumberOfNotificationsDelivered' : 'NumberOfNotificationsFailed');
    if (this.protocol === 'sms') this.services.metrics.textMessage(this.dimensions, succeeded);
    if (step.kind === 'delivered') trace.record({ type: 'sns.direct-delivered', ...this.names, attempts: attempt });
    else {
      const cause = { kind: step.cause, ...answerOf(end), reason: step.reason };
      trace.record({ type: 'sns.direct-lost', ...this.names, attempts: attempt, cause });
    }
    this.log(finished, succeeded);
  }

  private get names() {
    return { protocol: this.protocol, endpoint: this.address, messageId: this.message.id };
  }

  private count(name: SnsCount): void {
    this.services.metrics.countBy(this.dimensions, name);
  }

  private receipt(): Omit<Receipt, 'atMs'> {
    const { id, body, target } = this.message;
    return {
      protocol: this.protocol,
      endpoint: this.address,
      messageId: id,
      body,
      ...(target.protocol === 'sms' && { sms: target.textMessage }),
    };
  }

  private log({ attempt, startedAtMs, end }: FinishedAttempt, succeeded: boolean): void {
    const { target, id: messageId, publishedAtMs: readyAtMs, body } = this.message;
    const providerResponse = (): string => end.providerResponse();
    const common = { messageId, readyAtMs, startedAtMs, destination: this.address, succeeded };
    const { statusCode } = answerOf(end);
    this.services.statusLog.ended(this.logSettings(), succeeded, deliveryId =>
      target.protocol === 'sms'
        ? textMessageRecord({ ...common, ...target.textMessage, providerResponse: providerResponse() })
        : statusRecord(
            {
              ...common,
              body,
              token: target.endpoint.token,
              providerResponse: providerResponse(),
              attempts: attempt,
              ...(statusCode !== undefined && { statusCode }),
            },
            deliveryId,
          ),
    );
  }

  /** Account settings govern the log of text messages. The platform application governs the log of its devices. */
  private logSettings(): LogSettings {
    const { target } = this.message;
    if (target.protocol === 'sms') {
      const { phones } = this.services;
      const roleArn = phones.setting('DeliveryStatusIAMRole');
      return {
        group: PHONE_LOG_GROUP,
        successRoleArn: roleArn,
        failureRoleArn: roleArn,
        successSampleRate: phones.setting('DeliveryStatusSuccessSamplingRate'),
      };
    }
    const { application } = target.endpoint;
    return {
      group: `app/${application.platform}/${application.name}`,
      successRoleArn: application.attribute('SuccessFeedbackRoleArn'),
      failureRoleArn: application.attribute('FailureFeedbackRoleArn'),
      successSampleRate: application.attribute('SuccessFeedbackSampleRate'),
    };
  }
}

interface PushTarget {
  readonly protocol: 'application';
  readonly endpoint: PlatformEndpoint;
}

interface PhoneTarget {
  readonly protocol: 'sms';
  /** The phone number as the publisher wrote it. */
  readonly phoneNumber: string;
  readonly textMessage: TextMessage;
}

export type DirectTarget = PushTarget | PhoneTarget;

/** A message published directly to one device or phone, without a topic. */
interface DirectMessage {
  readonly id: string;
  readonly target: DirectTarget;
  readonly body: string;
  readonly attributes: MessageAttributes;
  readonly publishedAtMs: number;
}

/** Returns the ARN of the device, or the phone number. */
function addressOf(target: DirectTarget): string {
  return target.protocol === 'sms' ? target.phoneNumber : target.endpoint.arn;
}

/** Returns the member of a `MessageStructure: json` message that a device receives: the name of its push platform. */
export function textKeyOfDevice(endpointArn: string): string | undefined {
  return platformNames(endpointArn)?.platform;
}
