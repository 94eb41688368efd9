import { NO_SERVICE_STATUS, SERVICE_ERRORS, SERVICE_STATUSES } from './aws-service';
import { dead, type ProtocolRules, retry, UNANSWERED } from './ruling';

/** What push services call a device that no longer has the app: SNS disables its endpoint. */
export const GONE_DEVICE_CODES: readonly string[] = [
  'BadDeviceToken',
  'InvalidRegistration',
  'NotRegistered',
  'UNREGISTERED',
  'Unregistered',
];

/**
 * Mobile push, by the answer of the platform's push service. AWS names the schedule and not the errors: that a device which
 * is gone or not ours is final, and a push service in trouble is tried again, is our choice. Some platforms name an error
 * under a status of 200.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-msg-status.html
 */
export const APPLICATION_RULES: ProtocolRules = {
  errors: [
    {
      codes: ['EndpointDisabled', 'EndpointDisabledException'],
      ruling: dead('the endpoint is disabled'),
    },
    {
      codes: ['PlatformApplicationDisabled', 'PlatformApplicationDisabledException'],
      ruling: dead('the platform application is disabled'),
    },
    {
      codes: GONE_DEVICE_CODES,
      ruling: dead('the device is not registered'),
    },
    {
      codes: ['DeviceTokenNotForTopic', 'MismatchSenderId', 'SENDER_ID_MISMATCH'],
      ruling: dead('the device is registered with another sender'),
    },
    {
      codes: ['DeviceMessageRateExceeded', 'IdleTimeout', 'Shutdown', 'UNAVAILABLE', 'Unavailable'],
      ruling: retry('the push service cannot take it now'),
    },
    ...SERVICE_ERRORS,
  ],
  statuses: SERVICE_STATUSES,
  otherwise: NO_SERVICE_STATUS,
  unanswered: UNANSWERED,
};
