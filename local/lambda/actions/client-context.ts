import { notClientContext } from '../errors';

/**
 * What a caller tells the handler beside the event: JSON, in base64.
 *
 * @throws AwsError `InvalidRequestContentException` when it is none
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html#lambda-Invoke-request-ClientContext
 */
export function clientContextOf(encoded: string | undefined): string | undefined {
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  try {
    JSON.parse(text);
    return text;
  } catch {
    throw notClientContext();
  }
}
