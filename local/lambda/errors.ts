import { AwsError, notImplemented } from '../kernel/aws-error';
import { TAG_RULES, type TagRules } from '../kernel/tags';

/** The `Type` member of errors that the caller caused. */
const USER = { Type: 'User' } as const;

export function functionNotFound(functionArn: string): AwsError {
  return resourceNotFound(`Function not found: ${functionArn}`);
}

/** @param text @default AWS's text for resources without a specific one */
export function resourceNotFound(text = 'The resource you requested does not exist.'): AwsError {
  return new AwsError('ResourceNotFoundException', text, 404, USER);
}

/** The limit that throttled an invocation: the function's reserved concurrency, or the account's concurrency. */
type ThrottleReason = 'ReservedFunctionConcurrentInvocationLimitExceeded' | 'ConcurrentInvocationLimitExceeded';

/** @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html#API_Invoke_Errors */
export function tooManyRequests(Reason: ThrottleReason): AwsError {
  return new AwsError('TooManyRequestsException', 'Rate Exceeded.', 429, { ...USER, Reason });
}

export function isThrottle({ httpStatus }: Pick<AwsError, 'httpStatus'>): boolean {
  return httpStatus === 429;
}

/**
 * The error of a function that one chain of requests invokes for the 17th time.
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

/** AWS's API model names this error `RequestTooLargeException`, but published responses have this code. */
function requestTooLarge(text: string): AwsError {
  return new AwsError('RequestEntityTooLargeException', text, 413, USER);
}

/** The error of a payload that is too large for any invocation type. */
export function invocationTooLarge(mostBytes: number): AwsError {
  return requestTooLarge(`Request must be smaller than ${mostBytes} bytes for the InvokeFunction operation`);
}

/** The error of a payload that is too large for an asynchronous invocation, but not for a synchronous one. */
export function eventTooLarge(bytes: number, mostBytes: number): AwsError {
  return requestTooLarge(`${bytes} byte payload is too large for the Event invocation type (limit ${mostBytes} bytes)`);
}

export function invalidParameter(text: string): AwsError {
  return new AwsError('InvalidParameterValueException', text, 400, USER);
}

export function conflict(text: string): AwsError {
  return new AwsError('ResourceConflictException', text, 409, USER);
}

export function policyLengthExceeded(text: string): AwsError {
  return new AwsError('PolicyLengthExceededException', text, 400, USER);
}

/** The error of a member that only mappings of streams and brokers support. */
export function unsupportedOfQueue(member: string): AwsError {
  return invalidParameter(`Unsupported ${member} parameter for given event source mapping type.`);
}

/** The error of a mapping that is already being changed. */
export function mappingInUse(what: 'update' | 'delete'): AwsError {
  const text = `Cannot ${what} the event source mapping because it is in use.`;
  return new AwsError('ResourceInUseException', text, 400, USER);
}

/** The error of an update that is based on an outdated revision. */
export function preconditionFailed(): AwsError {
  const text =
    'The Revision Id provided does not match the latest Revision Id. ' +
    'Call the GetFunction/GetAlias API to retrieve the latest Revision Id';
  return new AwsError('PreconditionFailedException', text, 412, USER);
}

/** The error of a member that AWS supports but the embedded AWS does not. */
export function refuse(action: string, what: string): AwsError {
  return notImplemented(`${what} of lambda:${action}`);
}

/**
 * The rules for tags of functions and event source mappings. The error for too many tags is recorded from AWS.
 * **Assumption AWS-4:** The other texts are ours.
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
