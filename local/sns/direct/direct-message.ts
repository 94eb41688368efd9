import type { MessageAttributes } from '../message';
import { platformNames } from '../push/platform-arns';
import type { PlatformEndpoint } from '../push/platform-endpoint';
import type { TextMessage } from '../sms/text-message';

/** A message to one device. */
export interface PushTarget {
  readonly protocol: 'application';
  readonly endpoint: PlatformEndpoint;
}

/** A message to one phone. */
export interface PhoneTarget {
  readonly protocol: 'sms';
  /** As whoever published wrote it. */
  readonly phoneNumber: string;
  readonly textMessage: TextMessage;
}

export type DirectTarget = PushTarget | PhoneTarget;

/** What somebody published to one device or phone, and to no topic. */
export interface DirectMessage {
  readonly id: string;
  readonly target: DirectTarget;
  readonly body: string;
  readonly attributes: MessageAttributes;
  readonly publishedAtMs: number;
}

/** The ARN of the device, or the number of the phone. */
export function addressOf(target: DirectTarget): string {
  return target.protocol === 'sms' ? target.phoneNumber : target.endpoint.arn;
}

/** Which member of a `MessageStructure: json` message a device receives: that of its push platform. */
export function textKeyOfDevice(endpointArn: string): string | undefined {
  return platformNames(endpointArn)?.platform;
}
