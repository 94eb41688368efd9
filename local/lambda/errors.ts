import { AwsError } from '../kernel/aws-error';

export function functionNotFound(functionArn: string): AwsError {
  return new AwsError('ResourceNotFoundException', `Function not found: ${functionArn}`, 404);
}

/** @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html#API_Invoke_Errors */
export function tooManyRequests(): AwsError {
  return new AwsError('TooManyRequestsException', 'Rate Exceeded.', 429);
}

/**
 * Of a function that its own output invokes for the 17th time.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
 */
export function recursiveInvocation(): AwsError {
  const text =
    "Lambda has detected your function being invoked in a recursive loop with other AWS resources and stopped your function's invocation.";
  return new AwsError('RecursiveInvocationException', text);
}

export function notJson(reason: string): AwsError {
  return new AwsError('InvalidRequestContentException', `Could not parse request body into json: ${reason}`);
}

export function requestTooLarge(mostBytes: number): AwsError {
  const text = `Request must be smaller than ${mostBytes} bytes for the InvokeFunction operation`;
  return new AwsError('RequestTooLargeException', text, 413);
}

export function invalidParameter(text: string): AwsError {
  return new AwsError('InvalidParameterValueException', text);
}

export function conflict(text: string): AwsError {
  return new AwsError('ResourceConflictException', text, 409);
}
