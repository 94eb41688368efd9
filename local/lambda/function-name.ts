import { parseArn } from '../kernel/arn';
import { arnIn, type Place } from '../kernel/place';

/** A function by name, with the version or alias asked for. */
export interface FunctionName {
  readonly name: string;
  readonly qualifier: string | undefined;
}

/**
 * Reads any form in which AWS lets one name a function: `name`, `name:alias`, `account:function:name`, an ARN.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html#lambda-Invoke-request-FunctionName
 */
export function parseFunctionName(text: string): FunctionName {
  const resource = parseArn(text)?.resource ?? text.replace(/^\d{12}:/, '');
  const [name = '', qualifier] = resource.replace(/^function:/, '').split(':');
  return { name, qualifier };
}

export function functionArn(place: Place, name: string): string {
  return arnIn(place, 'lambda', `function:${name}`);
}
