import type { DeliveryServices } from '../delivery/delivery-services';
import { phoneDimensions, pushDimensions } from '../delivery/metrics';
import { type FinishedAttempt, type RetriedDelivery, retry } from '../delivery/retry-loop';
import { type LogSettings, statusRecord, textMessageRecord } from '../delivery/status-log';
import type { MessageAttributes } from '../publish/message';
import { answerOf } from '../transports/transport';
import { type PlatformEndpoint, platformNames } from './platform-applications';
import type { TextMessage } from './text-messages';

/** The log group of text messages published directly to a phone number. */
const PHONE_LOG_GROUP = 'DirectPublishToPhoneNumber';

/**
 * Records a publication to one device or phone, and delivers it as new work at the current instant, by the
 * customer-managed retry policy. There is no dead-letter queue: only a subscription can have one.
 */
export function deliverDirectly(services: DeliveryServices, message: DirectMessage, sizeBytes: number): void {
  const { target, id: messageId, body } = message;
  const { protocol } = target;
  const { metrics, context } = services;
  const { timeline, trace } = context;
  const endpoint = addressOf(target);
  const isPhone = target.protocol === 'sms';
  const dimensions = isPhone ? phoneDimensions(endpoint, target.textMessage, true) : pushDimensions(endpoint);
  const names = { protocol, endpoint, messageId };
  const receipt = () => ({ ...names, body, ...(isPhone && { sms: target.textMessage }) });
  trace.record({ type: 'sns.direct-published', ...names, sizeBytes });
  metrics.countBy(dimensions, 'NumberOfMessagesPublished');
  const delivery: RetriedDelivery = {
    protocol,
    attempt: report => report(services.direct[protocol].offer({ endpoint, subscriptionRoleArn: undefined }, receipt)),
    ended: finished => {
      const { attempt, step, end } = finished;
      const { kind: outcome, reason } = step;
      const retried = step.kind === 'retry' && { delaySeconds: step.delaySeconds };
      trace.record({ type: 'sns.direct-attempt', ...names, attempt, outcome, reason, ...retried });
      if (step.kind === 'retry') return;
      const succeeded = step.kind === 'delivered';
      metrics.countBy(dimensions, succeeded ? 'NumberOfNotificationsDelivered' : 'NumberOfNotificationsFailed');
      if (isPhone) metrics.textMessage(dimensions, succeeded);
      if (succeeded) trace.record({ type: 'sns.direct-delivered', ...names, attempts: attempt });
      else {
        const cause = { kind: step.cause, ...answerOf(end), reason };
        trace.record({ type: 'sns.direct-lost', ...names, attempts: attempt, cause });
      }
      log(services, message, finished, succeeded);
    },
  };
  timeline.after(0, () => retry(services, delivery));
}

function log(services: DeliveryServices, message: DirectMessage, finished: FinishedAttempt, succeeded: boolean): void {
  const { target, id: messageId, publishedAtMs: readyAtMs, body } = message;
  const { attempt: attempts, startedAtMs, end } = finished;
  const { statusCode } = answerOf(end);
  services.statusLog.ended(logSettings(services, target), succeeded, deliveryId => {
    const providerResponse = end.providerResponse();
    const status = { messageId, readyAtMs, startedAtMs, destination: addressOf(target), succeeded, providerResponse };
    if (target.protocol === 'sms') return textMessageRecord({ ...status, ...target.textMessage });
    const answer = statusCode !== undefined && { statusCode };
    return statusRecord({ ...status, body, token: target.endpoint.token, attempts, ...answer }, deliveryId);
  });
}

/** Account settings govern the log of text messages. The platform application governs the log of its devices. */
function logSettings({ phones }: DeliveryServices, target: DirectTarget): LogSettings {
  if (target.protocol === 'sms') {
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
