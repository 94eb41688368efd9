import { AwsError } from '../kernel/aws-error';

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
