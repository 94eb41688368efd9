import { AwsError } from '../kernel/aws-error';
import { Constraints } from '../kernel/constraints';
import { parseJson } from '../kernel/json';

/** The error SNS gives for most of what a caller can get wrong; `text` comes after `Invalid parameter: `. */
export function invalidParameter(text: string): AwsError {
  return new AwsError('InvalidParameter', `Invalid parameter: ${text}`, 400);
}

/** A message attribute that cannot be sent. */
export function invalidAttributeValue(text: string): AwsError {
  return new AwsError('ParameterValueInvalid', text, 400);
}

export function notFound(what: 'Topic' | 'Subscription'): AwsError {
  return new AwsError('NotFound', `${what} does not exist`, 404);
}

/** Makes the error for a bad attribute value from what is wrong with it; the prefix depends on the API action. */
export type Refuse = (text: string) => AwsError;

/** As SetTopicAttributes and SetSubscriptionAttributes say it. */
export const refuseValue: Refuse = text => invalidParameter(text);

/** As CreateTopic and Subscribe say it. */
export const refuseAttributes: Refuse = text => invalidParameter(`Attributes Reason: ${text}`);

/** What is missing from a request. @param name as SNS's error names it */
export function mustNotBeNull(name: string): AwsError {
  return new Constraints(text => new AwsError('ValidationError', text)).notNull(name, undefined).error();
}

/**
 * A parameter that has to be there.
 * @param name as SNS's error names it
 * @throws AwsError when it is missing
 */
export function checkNotNull<Value>(name: string, value: Value | undefined): Value {
  if (value === undefined) throw mustNotBeNull(name);
  return value;
}

/** As AWS's answer names where it read; it does not show what. */
const SOURCE = 'REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled)';

/**
 * Parses an attribute that holds JSON.
 *
 * @param refuse makes the error, of the text that is recorded without the attribute's name before it
 */
export function parseJsonAttribute(text: string, refuse: (problem: string) => Error): unknown {
  return parseJson(text, (_, { reason, line, column }) =>
    refuse(`failed to parse JSON. ${reason}\n at [Source: ${SOURCE}; line: ${line}, column: ${column}]`),
  );
}

/**
 * Reads an attribute that is true or false, in any letter case.
 * @throws AwsError made by `refuse`
 */
export function readBoolean(name: string, text: string, refuse: Refuse): boolean {
  const lower = text.toLowerCase();
  if (lower !== 'true' && lower !== 'false') throw refuse(`${name}: Invalid value [${text}]. Must be true or false.`);
  return lower === 'true';
}
