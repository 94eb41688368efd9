import { Arn, ArnFormat, Token } from 'aws-cdk-lib';
import { MAIL_ADDRESS } from '../../../policy/limits/mail-address';
import { isE164, PHONE_NUMBER, phoneKey } from '../../../policy/limits/phone-number';
import type { Problem } from '../../../policy/problem';

/** What the ARN of an endpoint must be of. */
export interface ArnKind {
  readonly service: string;
  /** What stands before the first `/` or `:` of its resource. @default - whatever */
  readonly resource?: string;
  /** As an error says it, such as `an SQS queue`. */
  readonly noun: string;
}

function shapeProblems(property: string, value: string, shape: RegExp, rule: string): Problem[] {
  return Token.isUnresolved(value) || shape.test(value) ? [] : [{ property, rule, value }];
}

/** @see https://docs.aws.amazon.com/sns/latest/api/API_Subscribe.html */
export function mailAddressProblems(property: string, address: string): Problem[] {
  return shapeProblems(property, address, MAIL_ADDRESS, 'must be one e-mail address');
}

/** @see https://docs.aws.amazon.com/sns/latest/dg/sms_publish-to-topic.html */
export function phoneNumberProblems(property: string, phoneNumber: string): Problem[] {
  return shapeProblems(property, phoneNumber, PHONE_NUMBER, 'must be a phone number, such as +15550100');
}

/** Whether SNS takes a number, and may not know how to reach it: it has no plus sign and country code. */
export function isLocalNumber(phoneNumber: string): boolean {
  if (Token.isUnresolved(phoneNumber)) return false;
  return !phoneNumber.startsWith('+') || !isE164(phoneKey(phoneNumber));
}

function isArnOf(arn: string, { service, resource }: ArnKind): boolean {
  if (!/^arn:[^:]+:[^:]+:[^:]*:[^:]*:.+/.test(arn)) return false;
  const parts = Arn.split(arn, ArnFormat.NO_RESOURCE_NAME);
  return parts.service === service && (resource === undefined || parts.resource.split(/[/:]/)[0] === resource);
}

/** A problem if `arn` is known, and not of the kind. */
export function arnProblems(property: string, arn: string, kind: ArnKind): Problem[] {
  if (Token.isUnresolved(arn) || isArnOf(arn, kind)) return [];
  return [{ property, rule: `must be ${kind.noun}`, value: arn }];
}
