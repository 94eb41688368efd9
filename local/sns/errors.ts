import { AwsError } from '../kernel/aws-error';
import { Constraints } from '../kernel/constraints';

/** The error of SNS for most invalid input; `text` follows `Invalid parameter: `. */
export function invalidParameter(text: string): AwsError {
  return new AwsError('InvalidParameter', `Invalid parameter: ${text}`, 400);
}

export function invalidAttributeValue(text: string): AwsError {
  return new AwsError('ParameterValueInvalid', text, 400);
}

export function notFound(what: 'Topic' | 'Subscription'): AwsError {
  return new AwsError('NotFound', `${what} does not exist`, 404);
}

/** Makes the error for an invalid attribute value. The prefix of the text depends on the API action. */
export type Refuse = (text: string) => AwsError;

/** The error of SetTopicAttributes and SetSubscriptionAttributes. */
export const refuseValue: Refuse = text => invalidParameter(text);

/** The error of CreateTopic and Subscribe. */
export const refuseAttributes: Refuse = text => invalidParameter(`Attributes Reason: ${text}`);

/** The error for a missing parameter. @param name as in the error text of SNS */
export function mustNotBeNull(name: string): AwsError {
  return new Constraints(text => new AwsError('ValidationError', text)).notNull(name, undefined).error();
}

/**
 * Checks that a required parameter is present.
 * @param name as in the error text of SNS
 */
export function checkNotNull<Value>(name: string, value: Value | undefined): Value {
  if (value === undefined) throw mustNotBeNull(name);
  return value;
}

/** Reads a Boolean attribute, in upper or lower case. */
export function readBoolean(name: string, text: string, refuse: Refuse): boolean {
  const lower = text.toLowerCase();
  if (lower !== 'true' && lower !== 'false') throw refuse(`${name}: Invalid value [${text}]. Must be true or false.`);
  return lower === 'true';
}
