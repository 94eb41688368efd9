import { AwsError, notImplemented } from '../kernel/aws-error';
import { Constraints } from '../kernel/constraints';
import { TAG_RULES, type TagRules } from '../kernel/tags';

/** What Lambda's errors say of whose fault they are. */
const USER = { Type: 'User' } as const;

export function functionNotFound(functionArn: string): AwsError {
  return resourceNotFound(`Function not found: ${functionArn}`);
}

/** @param text what is not there. @default the text AWS has for what has none of its own */
export function resourceNotFound(text = 'The resource you requested does not exist.'): AwsError {
  return new AwsError('ResourceNotFoundException', text, 404, USER);
}

/** Why an invocation is throttled: by the function's own reserved concurrency, or by what the account has left. */
export type ThrottleReason = 'ReservedFunctionConcurrentInvocationLimitExceeded' | 'ConcurrentInvocationLimitExceeded';

/** @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html#API_Invoke_Errors */
export function tooManyRequests(Reason: ThrottleReason): AwsError {
  return new AwsError('TooManyRequestsException', 'Rate Exceeded.', 429, { ...USER, Reason });
}

/** Whether Lambda said that it was asked for too much at once. */
export function isThrottle({ httpStatus }: Pick<AwsError, 'httpStatus'>): boolean {
  return httpStatus === 429;
}

/**
 * Of a function that its own output invokes for the 17th time.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
 */
export function recursiveInvocation(): AwsError {
  const text =
    "Lambda has detected your function being invoked in a recursive loop with other AWS resources and stopped your function's invocation.";
  return new AwsError('RecursiveInvocationException', text, 400, USER);
}

export function notClientContext(): AwsError {
  const text = 'Client context must be a valid Base64-encoded JSON object.';
  return new AwsError('InvalidRequestContentException', text, 400, USER);
}

export function notJson(reason: string): AwsError {
  const text = `Could not parse request body into json: ${reason}`;
  return new AwsError('InvalidRequestContentException', text, 400, USER);
}

/** The model names this error `RequestTooLargeException`; the answers people show have this code. */
function requestTooLarge(text: string): AwsError {
  return new AwsError('RequestEntityTooLargeException', text, 413, USER);
}

/** No invocation takes as much as that. */
export function invocationTooLarge(mostBytes: number): AwsError {
  return requestTooLarge(`Request must be smaller than ${mostBytes} bytes for the InvokeFunction operation`);
}

/** Less than an invocation that is waited for may have, and more than an event. */
export function eventTooLarge(bytes: number, mostBytes: number): AwsError {
  return requestTooLarge(`${bytes} byte payload is too large for the Event invocation type (limit ${mostBytes} bytes)`);
}

export function invalidParameter(text: string): AwsError {
  return new AwsError('InvalidParameterValueException', text, 400, USER);
}

export function conflict(text: string): AwsError {
  return new AwsError('ResourceConflictException', text, 409, USER);
}

/** What mappings of streams and brokers have, and none of a queue. */
export function unsupportedOfQueue(member: string): AwsError {
  return invalidParameter(`Unsupported ${member} parameter for given event source mapping type.`);
}

/** A mapping that is changing already. */
export function mappingInUse(what: 'update' | 'delete'): AwsError {
  const text = `Cannot ${what} the event source mapping because it is in use.`;
  return new AwsError('ResourceInUseException', text, 400, USER);
}

/** Somebody else has changed it since. */
export function preconditionFailed(): AwsError {
  const text =
    'The Revision Id provided does not match the latest Revision Id. ' +
    'Call the GetFunction/GetAlias API to retrieve the latest Revision Id';
  return new AwsError('PreconditionFailedException', text, 412, USER);
}

/** What an action has on AWS and not here. */
export function refuse(action: string, what: string): AwsError {
  return notImplemented(`${what} of lambda:${action}`);
}

export function lambdaConstraints(): Constraints {
  return new Constraints(text => new AwsError('ValidationException', text));
}

/**
 * The tags of functions and event source mappings. On record is the text for too many of them; the others are ours.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-tags.html
 */
export const LAMBDA_TAGS: TagRules = {
  refuse: ([first]) =>
    invalidParameter(
      !first || first.rule === 'most'
        ? 'Number of tags exceeds function tag limit.'
        : TAG_RULES[first.rule](first.text),
    ),
};
