import { dead, type ErrorRule, retry, type StatusRule } from './ruling';

/** The names AWS services give to throttling, often with a status of 400. */
export const THROTTLING_CODES: readonly string[] = [
  'RequestThrottled',
  'RequestThrottledException',
  'Throttling',
  'ThrottlingException',
  'ThrottledException',
  'TooManyRequestsException',
];

/** The service is at fault, or asks for patience. */
export const SERVICE_ERRORS: readonly ErrorRule[] = [
  { codes: THROTTLING_CODES, ruling: retry('the service throttles') },
  { codes: ['KMS.ThrottlingException', 'KmsThrottled'], ruling: retry('the key service throttles') },
  {
    codes: ['InternalError', 'InternalFailure', 'InternalServerError', 'ServiceException', 'ServiceUnavailable'],
    ruling: retry('the service failed'),
  },
];

/** What SNS knows of the endpoint no longer holds: its permissions or its key. */
export const ACCESS_ERRORS: readonly ErrorRule[] = [
  { codes: ['AccessDenied', 'AccessDeniedException'], ruling: dead('SNS is not allowed to deliver to it') },
  { codes: ['KMS.AccessDeniedException', 'KmsAccessDenied'], ruling: dead('SNS is not allowed to use its key') },
  { codes: ['KMS.DisabledException', 'KmsDisabled'], ruling: dead('its key is disabled') },
  { codes: ['KMS.NotFoundException', 'KmsNotFound'], ruling: dead('its key does not exist') },
  { codes: ['KMS.InvalidStateException', 'KmsInvalidState'], ruling: dead('its key is not in a usable state') },
  { codes: ['KMS.InvalidKeyUsageException', 'KmsInvalidKeyUsage'], ruling: dead('its key is not made for this use') },
  { codes: ['KMS.OptInRequired', 'KmsOptInRequired'], ruling: dead('its key needs a subscription to the key service') },
];

/** The statuses of an AWS service: server errors are tried again, client errors are final. */
export const SERVICE_STATUSES: readonly StatusRule[] = [
  { from: 200, to: 299, ruling: { kind: 'delivered', reason: 'the service took it' } },
  { from: 429, to: 429, ruling: retry('the service throttles') },
  { from: 500, to: 599, ruling: retry('the service failed') },
  { from: 400, to: 499, ruling: dead('the service refuses it') },
];

export const NO_SERVICE_STATUS = dead('the service gave no final answer');
